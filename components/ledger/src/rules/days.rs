//! Days as callers state them.

use stoa_sdk::host::fault;
use stoa_sdk::{Date, Problem};
use stoa_trade::refusal::invalid;

/// A day that a caller of a service states.
pub fn read_day(text: &str) -> Date {
    text.parse().unwrap_or_else(|_| fault("a caller states no date where one is expected"))
}

/// Refuses a range whose last day lies before its first.
///
/// # Errors
/// VALIDATION_FAILED at `/query/to`.
pub fn check_range(from: Option<Date>, to: Option<Date>) -> Result<(), Problem> {
    match (from, to) {
        (Some(from), Some(to)) if from > to => Err(invalid("/query/to", "RANGE")),
        _ => Ok(()),
    }
}
