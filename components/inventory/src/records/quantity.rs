//! Quantities, what one costs and what they are worth: exact decimals, and the pattern of those that callers state above zero.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;
use stoa_sdk::Decimal;

/// A quantity: 12 integer digits, 6 after the point.
pub type Quantity = Decimal<6>;

/// What one unit of goods costs. Stated ones have at most 6 digits after the point, corrected ones up to 12.
pub type UnitCost = Decimal<12>;

/// A product of quantity and cost, or a sum of such.
pub type Amount = Decimal<12>;

/// Decimals above zero, of at most 12 integer and 6 fractional digits.
const POSITIVE: &str = "^([1-9][0-9]{0,11}(\\.[0-9]{1,6})?|0\\.([1-9][0-9]{0,5}|0[1-9][0-9]{0,4}|00[1-9][0-9]{0,3}|000[1-9][0-9]{0,2}|0000[1-9][0-9]?|00000[1-9]))$";

/// A quantity above zero, as callers state it.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(transparent)]
pub struct Positive(pub Quantity);

impl JsonSchema for Positive {
    fn schema_name() -> Cow<'static, str> {
        "Positive".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "pattern": POSITIVE, "x-normalize": ["decimal"] })
    }
}
