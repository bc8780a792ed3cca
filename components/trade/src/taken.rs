//! DUPLICATE with the record that is in the way.

use stoa_sdk::store::{Row, find, run};
use stoa_sdk::{Entity, Id, Problem, holds};

/// Returns whether the caller reads the records that `readers`, permissions or scopes, let it read.
fn may_read(readers: &[&str]) -> bool {
    readers.iter().all(|permission| holds(permission))
}

/// The record that is in the way of a write, for callers who hold every permission of `readers`.
pub fn show_readable(record: Id, readers: &[&str]) -> Option<Id> {
    may_read(readers).then_some(record)
}

/// DUPLICATE at the pointer, for a row that stayed out because its unique key `key` is taken. It names the record that
/// has these values of the key to callers who hold every permission of `readers`, those to read such records.
///
/// # Errors
/// Those of the store: an insert that failed instead has closed it.
pub fn find_taken<R: Entity>(
    key: &'static str,
    values: Row,
    pointer: &str,
    readers: &[&str],
) -> Result<Problem, Problem> {
    let found: Vec<R> = run(may_read(readers).then(|| find::<R>(key, [values])))?.unwrap_or_default();
    Ok(Problem::conflict("DUPLICATE", pointer, found.first().map(Entity::id)))
}
