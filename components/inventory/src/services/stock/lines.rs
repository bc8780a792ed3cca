//! What the lines of every document of others must be.

use stoa_sdk::Problem;

use crate::records::quantity::Quantity;
use crate::rules::unit_count;
use crate::work::clients::articles::{Article, Tracking};

/// Lines of an order at most.
pub const MOST_LINES: usize = 100;

/// A fault of the caller where it is not.
pub fn check_count(lines: usize) -> Result<(), Problem> {
    if lines > MOST_LINES { Err(Problem::limit_exceeded()) } else { Ok(()) }
}

/// Refuses a line that does not name as many units as it needs.
///
/// # Errors
/// UNIT_COUNT_MISMATCH.
pub fn check_units(article: &Article, quantity: Quantity, units: usize, line: usize) -> Result<(), Problem> {
    unit_count::check_unit_count(
        article.tracking == Tracking::Serialized,
        quantity,
        units,
        &format!("/lines/{line}/unitIds"),
    )
}
