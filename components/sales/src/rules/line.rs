//! Lines as bodies state them, for quotations and orders alike, and the faults that a schema cannot tell (sales-pos.md 3.1).

use std::collections::BTreeSet;

use schemars::json_schema;
use serde::Deserialize;
use stoa_sdk::{Id, Item, Problem, item};
use stoa_trade::Caller;
use stoa_trade::document::lines::{Lines, find_repeated_ids};
use stoa_trade::quantity::{Money, Quantity, Tracking};
use stoa_trade::refusal::refuse_invalid;

use crate::records::price_figures::Percent;
use crate::rules::price::StatedPrice;

/// At most 100, with at most 4 decimals.
const PERCENT: &str = "^((0|[1-9][0-9]?)(\\.[0-9]{1,4})?|100(\\.0{1,4})?)$";

/// A percentage as a body states it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(transparent)]
pub struct StatedPercent(pub Percent);

stoa_sdk::inline_schema!([] StatedPercent, |_| json_schema!({ "type": "string", "pattern": PERCENT, "x-normalize": ["decimal"] }));

/// A line as a body states it.
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
}

/// The records that a document names.
pub struct Named<'a> {
    pub entity: Id,
    pub warehouse: Option<Id>,
    pub customer: Id,
    pub price_list: Id,
    pub lines: &'a [StatedLine],
}

/// The faults of lines that a schema cannot tell: a variant or unit twice, two ways to state a price, a reason without a price,
/// units named by an API client.
///
/// # Errors
/// VALIDATION_FAILED.
pub fn check_lines(lines: &[StatedLine], caller: Caller) -> Result<(), Problem> {
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
