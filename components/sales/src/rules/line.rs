//! Lines as bodies state them, of quotations and of orders, and the faults that a schema cannot find (sales-pos.md 3.1).

#![allow(clippy::disallowed_types, reason = "the code that serde derives for `flatten` can take floats")]

use std::collections::BTreeSet;

use schemars::{JsonSchema, json_schema};
use serde::Deserialize;
use stoa_sdk::{Id, Item, Problem, item};
use stoa_trade::Caller;
use stoa_trade::document::lines::{Lines, find_repeated_ids};
use stoa_trade::goods::PriceAdjustment;
use stoa_trade::quantity::{Money, Positive, Quantity, Tracking};
use stoa_trade::refusal::refuse_invalid;
use stoa_trade::text::Line;

use crate::records::price_figures::Percent;
use crate::rules::price::StatedPrice;

/// At most 100, with at most 4 decimals.
const PERCENT: &str = "^((0|[1-9][0-9]?)(\\.[0-9]{1,4})?|100(\\.0{1,4})?)$";

/// A percentage as a body states it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(transparent)]
pub struct StatedPercent(pub Percent);

stoa_sdk::inline_schema!([] StatedPercent, |_| json_schema!({ "type": "string", "pattern": PERCENT, "x-normalize": ["decimal"] }));

/// A line of a quotation.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct QuotationItemInput {
    /// Active variant of an active product, on one line only.
    pub variant_id: Id,
    /// At most the decimal places of its unit of measure; whole for serialized variants.
    pub quantity: Positive,
    /// Agreed price. State at most one of this, `discountPercent` and `discountAmount`; without any of them the line
    /// has the price of the list.
    pub unit_price: Option<Money>,
    /// Discount on the list price in percent. The service converts it to a price at once, and that price remains.
    pub discount_percent: Option<StatedPercent>,
    /// Discount on the list price as an amount. The service converts it to a price at once, and that price remains.
    pub discount_amount: Option<Money>,
    /// Reason for the agreed price or discount; only together with one of the three.
    pub price_reason: Option<Line<0, 500>>,
}

/// A line of an order.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SalesOrderItemInput {
    #[serde(flatten)]
    pub line: QuotationItemInput,
    /// Units for a serialized line. A user chooses them. There may be fewer than the quantity until the order is confirmed.
    /// The confirmation reserves them; a draft does not.
    #[serde(default)]
    #[schemars(length(max = stoa_trade::limits::UNITS), extend("uniqueItems" = true, "default" = []))]
    pub unit_ids: Vec<Id>,
}

/// A line of either, as rules and rows take it.
#[derive(Debug, Clone)]
pub struct StatedLine {
    pub variant: Id,
    pub quantity: Quantity,
    pub price: StatedPrice,
    pub reason: Option<String>,
    /// Chosen for a serialized line of an order.
    pub units: Vec<Id>,
}

impl StatedLine {
    /// A line of a stored document as a body would state it: at its agreed price, or following the list.
    pub fn at_price(variant: Id, quantity: Quantity, agreed: Option<Money>, reason: Option<String>) -> StatedLine {
        let price = StatedPrice { unit_price: agreed, ..StatedPrice::default() };
        StatedLine { variant, quantity, price, reason, units: Vec::new() }
    }
}

impl From<&QuotationItemInput> for StatedLine {
    fn from(line: &QuotationItemInput) -> StatedLine {
        StatedLine {
            variant: line.variant_id,
            quantity: line.quantity.0,
            price: StatedPrice {
                unit_price: line.unit_price,
                discount_percent: line.discount_percent.map(|percent| percent.0),
                discount_amount: line.discount_amount,
            },
            reason: line.price_reason.clone().map(String::from),
            units: Vec::new(),
        }
    }
}

impl From<&SalesOrderItemInput> for StatedLine {
    fn from(item: &SalesOrderItemInput) -> StatedLine {
        StatedLine { units: item.unit_ids.clone(), ..StatedLine::from(&item.line) }
    }
}

/// Article and price of a line at this instant.
#[derive(Debug, Clone)]
pub struct LineTerms {
    pub product_id: Id,
    pub sku: String,
    pub description: String,
    pub tracking: Tracking,
    pub price_id: Id,
    pub list_price: Money,
    /// None where the line follows the list.
    pub agreed: Option<Money>,
    /// None where a price was agreed, or no extension adjusted the list's.
    pub adjusted: Option<AdjustedPrice>,
}

/// The price of the list as extensions adjusted it.
#[derive(Debug, Clone)]
pub struct AdjustedPrice {
    /// The amount of the last adjustment.
    pub amount: Money,
    /// In the sequence of the extensions; one at least.
    pub adjustments: Vec<PriceAdjustment>,
}

/// The records that a document names.
pub struct Named<'a> {
    pub entity: Id,
    pub warehouse: Option<Id>,
    pub customer: Id,
    pub price_list: Id,
    pub lines: &'a [StatedLine],
}

/// Reads the lines of a body of this caller, and rejects those with faults that a schema cannot find.
pub fn read_lines<'a, L>(items: &'a [L], caller: Caller) -> Result<Vec<StatedLine>, Problem>
where
    StatedLine: From<&'a L>,
{
    let lines: Vec<StatedLine> = items.iter().map(StatedLine::from).collect();
    check_lines(&lines, caller)?;
    Ok(lines)
}

/// Rejects a variant or unit that is stated twice, two ways to state a price, a reason without a price, and units that
/// an API client names.
fn check_lines(lines: &[StatedLine], caller: Caller) -> Result<(), Problem> {
    let lines = Lines::at("/items", lines);
    let mut faults: Vec<Item> = lines.find_repeats("variantId", |line| line.variant);
    let mut units = BTreeSet::new();
    for (pointer, line) in lines.iter() {
        faults.extend(line.price.members().skip(1).map(|name| item(pointer.member(name), "NOT_ALLOWED")));
        if line.reason.is_some() && line.price.members().next().is_none() {
            faults.push(item(pointer.member("priceReason"), "NOT_ALLOWED"));
        }
        if caller.is_client() && !line.units.is_empty() {
            faults.push(item(pointer.member("unitIds"), "NOT_ALLOWED"));
        }
        faults.extend(find_repeated_ids(&pointer.member("unitIds"), &line.units, &mut units));
    }
    refuse_invalid(faults)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn line(variant: u64) -> StatedLine {
        StatedLine::at_price(Id(0, variant), Quantity::from_units(1_000_000), None, None)
    }

    fn faults(lines: &[StatedLine], caller: Caller) -> Vec<String> {
        let problem = check_lines(lines, caller).err();
        let errors = problem.map(|problem| problem.errors).unwrap_or_default();
        errors.into_iter().map(|error| format!("{} {}", error.pointer, error.code)).collect()
    }

    #[test]
    fn a_line_of_an_order_has_the_members_of_one_of_a_quotation_and_units() {
        let read = |member: &str| {
            let mut line = json!({ "variantId": Id(0, 1), "quantity": "2", "unitPrice": "1.5" });
            line[member] = json!([Id(1, 1)]);
            serde_json::from_str::<SalesOrderItemInput>(&line.to_string()).ok()
        };
        let line = StatedLine::from(&read("unitIds").unwrap());
        assert_eq!(
            (line.variant, line.quantity.to_string(), line.units),
            (Id(0, 1), "2.000000".to_owned(), vec![Id(1, 1)])
        );
        assert_eq!(line.price.members().collect::<Vec<_>>(), ["unitPrice"]);
        assert!(read("colour").is_none());
    }

    #[test]
    fn e215_e218_what_a_schema_cannot_tell_of_lines() {
        let one = Quantity::from_units(1);
        let price = StatedPrice { unit_price: Some(one), discount_percent: None, discount_amount: Some(one) };
        let units = vec![Id(1, 1), Id(1, 1)];
        for (lines, caller, expected) in [
            (vec![line(1), line(2)], Caller::Client, vec![]),
            (vec![line(1), line(1)], Caller::Person, vec!["/items/1/variantId REPEATED"]),
            (vec![StatedLine { price, ..line(1) }], Caller::Person, vec!["/items/0/discountAmount NOT_ALLOWED"]),
            (
                vec![StatedLine { reason: Some("x".to_owned()), ..line(1) }],
                Caller::Person,
                vec!["/items/0/priceReason NOT_ALLOWED"],
            ),
            (vec![StatedLine { units: units.clone(), ..line(1) }], Caller::Person, vec!["/items/0/unitIds/1 REPEATED"]),
            (
                vec![StatedLine { units: vec![Id(1, 1)], ..line(1) }],
                Caller::Client,
                vec!["/items/0/unitIds NOT_ALLOWED"],
            ),
        ] {
            assert_eq!(faults(&lines, caller), expected);
        }
    }
}
