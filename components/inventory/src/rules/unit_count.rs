//! How many units a line names, against the quantity that it states.

use stoa_sdk::Problem;
use stoa_trade::quantity::{self, Quantity};

/// Returns whether a line names as many units as its quantity: none if the variant is not serialized.
pub fn check_unit_count(is_serialized: bool, quantity: Quantity, units: usize, pointer: &str) -> Result<(), Problem> {
    let required = match is_serialized {
        true if quantity.units() % 1_000_000 != 0 => usize::MAX,
        true => usize::try_from(quantity.units() / 1_000_000).unwrap_or(usize::MAX),
        false => 0,
    };
    if required == units { Ok(()) } else { Err(mismatch(pointer, required, units)) }
}

/// 409: a line needs this many units and names that many.
pub fn mismatch(pointer: &str, required: usize, identified: usize) -> Problem {
    quantity::unit_count_mismatch(pointer, "UNIT_COUNT_MISMATCH", required, identified)
}
