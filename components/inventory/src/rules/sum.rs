//! Sums as aggregates answer them.

use stoa_sdk::host::fault;
use stoa_sdk::store::Value;
use stoa_sdk::{Decimal, Field};

/// A sum of a decimal column as an aggregate answers it; of no rows it is zero.
pub fn sum<const SCALE: u32>(value: Option<Value>) -> Decimal<SCALE> {
    match value {
        Some(Value::Null) | None => Decimal::ZERO,
        Some(value) => Decimal::take(value).unwrap_or_else(|| fault("a sum is no decimal of its column's scale")),
    }
}
