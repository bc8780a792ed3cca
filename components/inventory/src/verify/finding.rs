//! What a stage of the verification answers.

use stoa_sdk::store::{Row, Value};
use stoa_sdk::{Field, Finding, Id};

/// A batch of a stage: what is wrong, and the last id where more follow.
pub type Batch = (Vec<Finding>, Option<Id>);

/// What is wrong with a row; never with a word of what it holds.
pub fn finding(invariant: &str, resource: Id, message: &str) -> Finding {
    Finding { invariant: invariant.to_owned(), resource: Some(resource.into()), message: message.to_owned() }
}

/// Rows of a batch; its look-ups stay below what one call takes.
pub const BATCH: u32 = 200;

/// A group of the aggregate: an id, how many.
pub fn count(row: &Row) -> Option<(Id, i64)> {
    match row.as_slice() {
        [unit, Value::Integer(count)] => Some((Id::take(unit.clone())?, *count)),
        _ => None,
    }
}
