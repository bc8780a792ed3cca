//! Bodies of a purchase order of either kind, and the faults that their schemas cannot find.

#![allow(clippy::disallowed_types, reason = "the code that serde derives for `flatten` can take floats")]

use schemars::JsonSchema;
use serde::Deserialize;
use stoa_sdk::{Date, Id, Item, Problem, country, currency, item, text};
use stoa_trade::document::lines::Lines;
use stoa_trade::document::number::DocumentNumber;
use stoa_trade::document::version::ExpectedVersion;
use stoa_trade::quantity::{self, Amount, Money, Positive};
use stoa_trade::text::{Line, Prose};

use crate::records::order::{Incoterm, OrderKind, TransportMode};

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

/// Members of every body of an order. The bodies close themselves, so this part does not.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct OrderTerms {
    /// Legal entity that buys. Immutable.
    pub legal_entity_id: Id,
    /// Warehouse of the same legal entity that will receive the goods.
    pub warehouse_id: Id,
    pub supplier_id: Id,
    /// ISO 4217 code, ignoring case.
    #[schemars(regex(pattern = text::ANY_CASE_CURRENCY), extend("x-normalize" = ["upper"]))]
    pub currency_code: String,
    pub notes: Option<Prose<0, 2000>>,
    /// Day on which the goods are expected.
    pub expected_on: Option<Date>,
    /// At most one line for each variant.
    #[schemars(length(min = 1, max = stoa_trade::limits::LINES))]
    pub items: Vec<PurchaseOrderItemInput>,
}

/// Members of an import order only.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ImportTerms {
    /// A rule of Incoterms 2020.
    pub incoterm: Option<Incoterm>,
    pub transport_mode: Option<TransportMode>,
    /// ISO 3166-1 alpha-2, in upper case.
    #[schemars(with = "Option<text::CountryCode>")]
    pub origin_country: Option<String>,
    pub origin_port: Option<Line<0, 100>>,
    pub destination_port: Option<Line<0, 100>>,
    /// Reference only: the service creates no customs document.
    pub customs_reference: Option<Line<0, 100>>,
}

/// A draft of a purchase order.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PurchaseOrderInput {
    /// Unique in the legal entity, ignoring case. Immutable. Omitted or null: `PO-` and the next number.
    pub number: Option<DocumentNumber>,
    #[serde(flatten)]
    pub terms: OrderTerms,
}

// The replacements are not a `FullReplacement`: they require the number, which a new order may omit.
/// Full replacement of a draft.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PurchaseOrderUpdate {
    /// Current number of the order; it cannot change.
    pub number: DocumentNumber,
    #[serde(flatten)]
    pub terms: OrderTerms,
    pub expected_version: ExpectedVersion,
}

/// A draft of an import order.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ImportOrderInput {
    /// Unique in the legal entity, ignoring case. Immutable. Omitted or null: `PO-` and the next number.
    pub number: Option<DocumentNumber>,
    #[serde(flatten)]
    pub terms: OrderTerms,
    #[serde(flatten)]
    pub import: ImportTerms,
}

/// Replacement of an import order: all members of a draft, later only the members about transport.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ImportOrderUpdate {
    /// Current number of the order; it cannot change.
    pub number: DocumentNumber,
    #[serde(flatten)]
    pub terms: OrderTerms,
    #[serde(flatten)]
    pub import: ImportTerms,
    pub expected_version: ExpectedVersion,
}

/// An order as any body states it.
#[derive(Debug, Clone)]
pub struct StatedOrder {
    /// None: the next number of the legal entity.
    pub number: Option<DocumentNumber>,
    pub terms: OrderTerms,
    /// None: a STANDARD order.
    pub import: Option<ImportTerms>,
}

impl StatedOrder {
    /// The kind of the order, which follows from its members.
    pub fn kind(&self) -> OrderKind {
        if self.import.is_some() { OrderKind::Import } else { OrderKind::Standard }
    }

    /// Faults beyond the schema: currencies and countries that do not exist, a variant in two lines.
    pub fn find_faults(&self) -> Vec<Item> {
        let mut faults = Vec::new();
        if !currency::is_active(&self.terms.currency_code) {
            faults.push(item("/currencyCode", "FORMAT"));
        }
        let origin = self.import.as_ref().and_then(|import| import.origin_country.as_deref());
        if origin.is_some_and(|code| !country::is_assigned(code)) {
            faults.push(item("/originCountry", "FORMAT"));
        }
        faults.extend(self.terms.lines().find_repeats("variantId", |line| line.variant_id));
        faults
    }
}

impl OrderTerms {
    /// Terms without the members that a body may omit.
    pub fn new(
        legal_entity_id: Id,
        warehouse_id: Id,
        supplier_id: Id,
        currency_code: String,
        items: Vec<PurchaseOrderItemInput>,
    ) -> OrderTerms {
        OrderTerms { legal_entity_id, warehouse_id, supplier_id, currency_code, notes: None, expected_on: None, items }
    }

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
}

#[cfg(test)]
mod tests {
    use serde_json::{Value as Json, json};

    use super::*;

    fn line(variant: u64) -> PurchaseOrderItemInput {
        PurchaseOrderItemInput {
            variant_id: Id(0, variant),
            quantity: Positive(Money::from_units(1_000_000)),
            unit_cost: Money::ZERO,
        }
    }

    fn terms(currency: &str, variants: &[u64]) -> OrderTerms {
        let items = variants.iter().map(|variant| line(*variant)).collect();
        OrderTerms::new(Id(1, 1), Id(1, 2), Id(1, 3), currency.to_owned(), items)
    }

    fn from_country(code: &str) -> ImportTerms {
        ImportTerms { origin_country: Some(code.to_owned()), ..ImportTerms::default() }
    }

    #[test]
    fn faults_that_a_schema_cannot_tell_have_their_pointers() {
        // [E85, E93]
        for (terms, import, expected) in [
            (terms("EUR", &[1, 2]), Some(from_country("CN")), vec![]),
            (terms("DEM", &[1]), None, vec!["/currencyCode FORMAT"]),
            (terms("EUR", &[1]), Some(from_country("ZZ")), vec!["/originCountry FORMAT"]),
            (terms("EUR", &[1, 2, 1, 1]), None, vec!["/items/2/variantId REPEATED", "/items/3/variantId REPEATED"]),
        ] {
            let stated = StatedOrder { number: None, terms, import };
            let faults: Vec<String> =
                stated.find_faults().into_iter().map(|fault| format!("{} {}", fault.pointer, fault.code)).collect();
            assert_eq!(faults, expected);
        }
    }

    #[test]
    fn a_body_has_the_members_of_its_parts_and_no_others() {
        let terms = json!({
            "number": "PO-1",
            "legalEntityId": Id(1, 1),
            "warehouseId": Id(1, 2),
            "supplierId": Id(1, 3),
            "currencyCode": "EUR",
            "items": [{ "variantId": Id(0, 1), "quantity": "1", "unitCost": "2.5" }],
            "expectedVersion": 3,
        });
        let read = |extra: Json| {
            let mut body = terms.clone();
            body.as_object_mut().unwrap().extend(extra.as_object().unwrap().clone());
            serde_json::from_str::<ImportOrderUpdate>(&body.to_string()).ok()
        };
        let body = read(json!({ "originPort": "Ningbo", "incoterm": "FOB" })).unwrap();
        assert_eq!((body.number.0.as_str(), body.expected_version.0, body.terms.items.len()), ("PO-1", 3, 1));
        assert_eq!(body.import.origin_port, Some(Line("Ningbo".to_owned())));
        assert_eq!(body.import.incoterm, Some(Incoterm::Fob));
        assert!(read(json!({ "colour": "red" })).is_none());
        assert!(serde_json::from_str::<PurchaseOrderUpdate>(&terms.to_string()).is_ok());
        assert!(serde_json::from_str::<PurchaseOrderInput>(&terms.to_string()).is_err());
    }

    #[test]
    fn e87_a_hundred_lines_at_the_digit_limits_have_an_exact_total() {
        let total = |number: &str, count: u64| {
            let cost: Money = number.parse().unwrap();
            let line = |nth| PurchaseOrderItemInput { quantity: Positive(cost), unit_cost: cost, ..line(nth) };
            let items = (0..count).map(line).collect();
            OrderTerms { items, ..terms("EUR", &[]) }.total().unwrap().to_string()
        };
        assert_eq!(total("999999999999.999999", 100), "99999999999999999800000000.000000000100");
        assert_eq!(total("0.000001", 1), "0.000000000001");
        assert_eq!(total("1", 0), Amount::ZERO.to_string());
    }
}
