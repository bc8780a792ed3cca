//! What begins with an entity: its mapping set, and its books.

use stoa_sdk::store::{Failure, get, insert, lock, run, update};
use stoa_sdk::{Id, Problem, currency, item};

use crate::records::entity::EntityRow;
use crate::records::mapping::MappingSetRow;
use crate::rules::books::{LARGEST_SCALE, SMALLEST_SCALE, books_lock};
use crate::rules::days::today;
use crate::rules::refusal::{expect_version, illegal_state, invalid};

/// Inserts an entity with its mapping set. `complete`: a chart that maps everything is installed next.
pub fn insert_entity(row: &EntityRow, complete: bool) -> Result<(), Problem> {
    let set = MappingSetRow { complete, ..MappingSetRow::empty(row.id) };
    run((insert([row]), insert([&set]))).map_err(|failure| match failure {
        Failure::Duplicate(_) => Problem::duplicate("/code"),
        other => other.into(),
    })?;
    Ok(())
}

/// Begins to keep the books of an entity as of today, alone with them.
///
/// # Errors
/// NOT_FOUND, VERSION_CONFLICT, ARCHIVED, BOOKS_KEPT; VALIDATION_FAILED where the currency or the scale is none.
pub fn begin_books(id: Id, expected_version: i64, currency_code: &str, scale: i64) -> Result<(), Problem> {
    let (_, row) = run((lock(books_lock(id)), get::<EntityRow>(id).locked()))?;
    let row = row.ok_or_else(Problem::not_found)?;
    if !currency::is_active(currency_code) {
        return Err(invalid("/currencyCode", "FORMAT"));
    }
    if !(SMALLEST_SCALE..=LARGEST_SCALE).contains(&scale) {
        return Err(invalid("/amountScale", "RANGE"));
    }
    expect_version(expected_version, row.version)?;
    let row = row.refuse_archived()?;
    if row.keeps_books {
        return Err(illegal_state(vec![item("/path/id", "BOOKS_KEPT")]));
    }
    run(update::<EntityRow>(id)
        .set(EntityRow::keeps_books, &true)
        .set(EntityRow::currency_code, &Some(currency_code.to_owned()))
        .set(EntityRow::books_start_on, &Some(today()))
        .set(EntityRow::amount_scale, &Some(scale)))?;
    Ok(())
}
