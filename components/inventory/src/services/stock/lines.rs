//! Checks of the lines of other modules' documents.

use std::collections::BTreeMap;

use stoa_sdk::{Id, Problem};
use stoa_trade::arguments::parse_positive;
use stoa_trade::clients::articles::{self, Article};
use stoa_trade::limits::LINES;
use stoa_trade::quantity::{Quantity, Tracking};

use crate::rules::unit_count::check_unit_count;

/// A fault of the caller where it is not.
pub fn check_count(lines: usize) -> Result<(), Problem> {
    if lines > LINES { Err(Problem::limit_exceeded("/lines", LINES, "LINES")) } else { Ok(()) }
}

/// The article and the quantity of a line that names this many units.
///
/// # Errors
/// NOT_FOUND at `variantId`, VALIDATION_FAILED at `quantity`, UNIT_COUNT_MISMATCH at `unitIds`.
pub fn read_goods<'a>(
    articles: &'a BTreeMap<Id, Article>,
    nth: usize,
    variant: Id,
    quantity: &str,
    units: usize,
) -> Result<(&'a Article, Quantity), Problem> {
    let article = articles::require(articles, variant, &format!("/lines/{nth}/variantId"))?;
    let quantity = parse_positive(quantity);
    articles::check_scale(article, quantity, &format!("/lines/{nth}/quantity"))?;
    let is_serialized = articles::tracking(article) == Tracking::Serialized;
    check_unit_count(is_serialized, quantity, units, &format!("/lines/{nth}/unitIds"))?;
    Ok((article, quantity))
}
