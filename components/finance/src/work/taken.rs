//! Numbers and references of documents that another document has: DUPLICATE names it, if the caller may read documents
//! of the side.

use stoa_sdk::store::{Row, find, run};
use stoa_sdk::{Entity, Problem};
use stoa_trade::taken::show_readable;

use crate::records::permission::{PURCHASES, SALES};
use crate::records::side::Side;

/// Goes on where the insert of a document with these values of the unique key `number` put it in. An insert leaves out a document
/// whose number is taken.
///
/// # Errors
/// DUPLICATE at `/number`.
pub fn require_inserted<R: Entity>(side: Side, went_in: &[bool], values: Row) -> Result<(), Problem> {
    if went_in.iter().all(|went_in| *went_in) {
        return Ok(());
    }
    require_free::<R>(side, "number", values, "/number")?;
    Err(Problem::duplicate("/number"))
}

/// Goes on where no document has these values of a unique key. The key still guards against one that comes meanwhile.
///
/// # Errors
/// DUPLICATE at the pointer.
pub fn require_free<R: Entity>(side: Side, key: &'static str, values: Row, pointer: &str) -> Result<(), Problem> {
    refuse_taken(side, &run(find::<R>(key, [values]))?, pointer)
}

/// Refuses with the document of the side that was found to have what the pointer states, if there is one.
///
/// # Errors
/// DUPLICATE at the pointer.
pub fn refuse_taken<R: Entity>(side: Side, found: &[R], pointer: &str) -> Result<(), Problem> {
    match found.first() {
        Some(other) => Err(Problem::conflict("DUPLICATE", pointer, show_readable(other.id(), readers(side)))),
        None => Ok(()),
    }
}

/// Permissions to read the documents of a side.
fn readers(side: Side) -> &'static [&'static str] {
    match side {
        Side::Sales => SALES.read,
        Side::Purchases => PURCHASES.read,
    }
}
