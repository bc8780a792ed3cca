//! The lists and prices that there are for a caller.

use stoa_sdk::{Id, Problem};
use stoa_trade::{Caller, Status};

use crate::records::price::PriceRow;
use crate::records::price_list::{ListRow, Visibility};

/// The list, if there is one for the caller: for an API client there are no INTERNAL lists.
///
/// # Errors
/// NOT_FOUND.
pub fn require_list(caller: Caller, row: Option<ListRow>) -> Result<ListRow, Problem> {
    row.filter(|row| !caller.is_client() || row.visibility == Visibility::Public).ok_or_else(Problem::not_found)
}

/// The list, if the caller may read it: people may read archived ones.
///
/// # Errors
/// NOT_FOUND.
pub fn require_readable(caller: Caller, row: Option<ListRow>) -> Result<ListRow, Problem> {
    require_list(caller, row.filter(|list| !caller.is_client() || list.status == Status::Active))
}

/// The price, if it is one of the list.
///
/// # Errors
/// NOT_FOUND.
pub fn require_price(list: Id, row: Option<PriceRow>) -> Result<PriceRow, Problem> {
    row.filter(|row| row.list_id == list).ok_or_else(Problem::not_found)
}
