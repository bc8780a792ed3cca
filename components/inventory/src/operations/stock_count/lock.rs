//! A stock count as every change of it begins: locked, with its lines, open and at the version that the caller knows.

use stoa_sdk::store::{get, run, select};
use stoa_sdk::{Id, Problem};
use stoa_trade::document::version::ExpectedVersion;

use crate::records::stock_count::{CountStatus, StockCountLineRow, StockCountRow};

/// The count of this id, held until the request ends, and its lines.
pub fn lock_count(id: Id) -> Result<(StockCountRow, Vec<StockCountLineRow>), Problem> {
    let lines = select::<StockCountLineRow>(StockCountLineRow::count_id.eq(id)).whole();
    let (count, lines) = run((get::<StockCountRow>(id).locked(), lines))?;
    Ok((count.ok_or_else(Problem::not_found)?, lines))
}

/// # Errors
/// VERSION_CONFLICT; ILLEGAL_STATE once it is posted or cancelled.
pub fn check_open(count: &StockCountRow, expected: ExpectedVersion) -> Result<(), Problem> {
    expected.check(count.version)?;
    if count.status == CountStatus::Open { Ok(()) } else { Err(Problem::new("ILLEGAL_STATE")) }
}
