//! Records that begin with an entity: its mapping set, and its books.

use stoa_sdk::store::{get, insert, lock, run, update};
use stoa_sdk::{Bounds, Field, Id, Problem};
use stoa_trade::document::version::ExpectedVersion;
use stoa_trade::refusal::{invalid, out_of_range};
use stoa_trade::taken::find_taken;
use stoa_trade::{currency, require_unarchived};

use crate::records::entity::EntityRow;
use crate::records::mapping::MappingSetRow;
use crate::rules::books::{LARGEST_SCALE, SMALLEST_SCALE, books_lock};
use crate::rules::refusal::refuse_while;
use crate::work::setup::Setup;

/// Inserts an entity with its mapping set. `complete`: a chart that maps everything is installed next.
pub fn insert_entity(row: &EntityRow, complete: bool) -> Result<(), Problem> {
    let set = MappingSetRow { complete, ..MappingSetRow::empty(row.id) };
    let (went_in, _) = run((insert([row]).unless_taken(), insert([&set])))?;
    if went_in != [true] {
        return Err(find_taken::<EntityRow>("code", vec![row.code_key.put()], "/code", &[])?);
    }
    Ok(())
}

/// Begins to keep the books of an entity as of today, under their exclusive lock.
///
/// # Errors
/// NOT_FOUND, VERSION_CONFLICT, ARCHIVED, BOOKS_KEPT; VALIDATION_FAILED where the currency or the scale is invalid.
pub fn begin_books(id: Id, expected_version: i64, currency_code: &str, scale: i64) -> Result<(), Problem> {
    let (_, row) = run((lock(books_lock(id)), get::<EntityRow>(id).locked()))?;
    let row = row.ok_or_else(Problem::not_found)?;
    if !currency::is_active(currency_code) {
        return Err(invalid("/currencyCode", "FORMAT"));
    }
    if !(SMALLEST_SCALE..=LARGEST_SCALE).contains(&scale) {
        return Err(out_of_range("/amountScale", Bounds::between(SMALLEST_SCALE, LARGEST_SCALE)));
    }
    ExpectedVersion(expected_version).check(row.version)?;
    let row = require_unarchived(row)?;
    refuse_while(&[("BOOKS_KEPT", row.keeps_books)])?;
    let row = row.with_books(currency_code.to_owned(), None, Some(scale));
    run(update::<EntityRow>(id).set_from(&row, &["keeps_books", "currency_code", "books_start_on", "amount_scale"]))?;
    Setup::forget();
    Ok(())
}
