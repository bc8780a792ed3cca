//! Terms of an order, from any body, and the faults that the body's schema cannot find.

use schemars::JsonSchema;
use serde::Deserialize;
use stoa_sdk::{Date, Id, Item, Problem, country, currency, item};
use stoa_trade::document::lines::Lines;
use stoa_trade::document::number::DocumentNumber;
use stoa_trade::quantity::{self, Amount, Money, Positive};

use crate::records::order::{Incoterm, TransportMode};

/// Goods or services of one variant to buy.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PurchaseOrderItemInput {
    /// Each variant on one line only.
    pub variant_id: Id,
    /// Above zero, at most the decimal places of the unit of measure; whole for serialized variants.
    pub quantity: Positive,
    /// Cost of one unit of measure in the currency of the order.
    pub unit_cost: Money,
}

/// Terms of an import order only.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ImportTerms {
    pub incoterm: Option<Incoterm>,
    pub transport_mode: Option<TransportMode>,
    pub origin_country: Option<String>,
    pub origin_port: Option<String>,
    pub destination_port: Option<String>,
    pub customs_reference: Option<String>,
}

/// Terms of an order, as a body states them.
#[derive(Debug, Clone)]
pub struct OrderTerms {
    /// None: the next one of the entity.
    pub number: Option<DocumentNumber>,
    pub legal_entity_id: Id,
    pub warehouse_id: Id,
    pub supplier_id: Id,
    pub currency_code: String,
    pub notes: Option<String>,
    pub expected_on: Option<Date>,
    pub items: Vec<PurchaseOrderItemInput>,
    pub import: ImportTerms,
}

impl OrderTerms {
    /// Its lines with their pointers.
    pub fn lines(&self) -> Lines<'_, PurchaseOrderItemInput> {
        Lines::at("/items", &self.items)
    }

    /// How many lines it has.
    pub fn count(&self) -> i64 {
        i64::try_from(self.items.len()).unwrap_or(i64::MAX)
    }

    /// Total of all lines, exact, with 12 digits after the point.
    pub fn total(&self) -> Result<Amount, Problem> {
        let totals = self.items.iter().map(|line| quantity::multiply(line.quantity.0, line.unit_cost));
        quantity::sum(totals.collect::<Result<Vec<_>, _>>()?)
    }

    /// Faults beyond the schema: currencies and countries that do not exist, a variant in two lines.
    pub fn find_faults(&self) -> Vec<Item> {
        let mut faults = Vec::new();
        if !currency::is_active(&self.currency_code) {
            faults.push(item("/currencyCode", "FORMAT"));
        }
        if self.import.origin_country.as_deref().is_some_and(|code| !country::is_assigned(code)) {
            faults.push(item("/originCountry", "FORMAT"));
        }
        faults.extend(self.lines().find_repeats("variantId", |line| line.variant_id));
        faults
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(variant: u64) -> PurchaseOrderItemInput {
        PurchaseOrderItemInput {
            variant_id: Id(0, variant),
            quantity: Positive(Money::from_units(1_000_000)),
            unit_cost: Money::ZERO,
        }
    }

    fn terms(currency: &str, country: Option<&str>, variants: &[u64]) -> OrderTerms {
        OrderTerms {
            number: None,
            legal_entity_id: Id(1, 1),
            warehouse_id: Id(1, 2),
            supplier_id: Id(1, 3),
            currency_code: currency.to_owned(),
            notes: None,
            expected_on: None,
            items: variants.iter().map(|variant| line(*variant)).collect(),
            import: ImportTerms { origin_country: country.map(str::to_owned), ..ImportTerms::default() },
        }
    }

    #[test]
    fn faults_that_a_schema_cannot_tell_have_their_pointers() {
        // [E85, E93]
        for (terms, expected) in [
            (terms("EUR", Some("CN"), &[1, 2]), vec![]),
            (terms("DEM", None, &[1]), vec!["/currencyCode FORMAT"]),
            (terms("EUR", Some("ZZ"), &[1]), vec!["/originCountry FORMAT"]),
            (terms("EUR", None, &[1, 2, 1, 1]), vec!["/items/2/variantId REPEATED", "/items/3/variantId REPEATED"]),
        ] {
            let faults: Vec<String> =
                terms.find_faults().into_iter().map(|fault| format!("{} {}", fault.pointer, fault.code)).collect();
            assert_eq!(faults, expected);
        }
    }

    #[test]
    fn e87_a_hundred_lines_at_the_digit_limits_have_an_exact_total() {
        let total = |number: &str, count: u64| {
            let cost: Money = number.parse().unwrap();
            let line = |nth| PurchaseOrderItemInput { quantity: Positive(cost), unit_cost: cost, ..line(nth) };
            let items = (0..count).map(line).collect();
            OrderTerms { items, ..terms("EUR", None, &[]) }.total().unwrap().to_string()
        };
        assert_eq!(total("999999999999.999999", 100), "99999999999999999800000000.000000000100");
        assert_eq!(total("0.000001", 1), "0.000000000001");
        assert_eq!(total("1", 0), Amount::ZERO.to_string());
    }
}
