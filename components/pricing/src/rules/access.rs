//! Access to read and write: permissions, and what there is for an API client.

use stoa_sdk::{Id, Problem};
use stoa_trade::Status;

use crate::records::price::PriceRow;
use crate::records::price_list::{ListRow, Visibility};

/// Permissions of people and scopes of API clients alike.
pub const READ: &[&str] = &["pricing.read"];
pub const WRITE: &[&str] = &["pricing.write"];
/// To read prices with all that the catalog says of what they are for, one must be allowed both.
pub const READ_PRODUCTS: &[&str] = &["catalog.read", "pricing.read"];

/// The caller: for an API client there are no INTERNAL lists.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Asker {
    Person,
    Client,
}

/// The list, if there is one for whoever asks.
///
/// # Errors
/// NOT_FOUND.
pub fn require_list(asker: Asker, row: Option<ListRow>) -> Result<ListRow, Problem> {
    row.filter(|row| asker == Asker::Person || row.visibility == Visibility::Public).ok_or_else(Problem::not_found)
}

/// The list, if whoever asks may read it: people may read archived ones.
///
/// # Errors
/// NOT_FOUND.
pub fn require_readable(asker: Asker, row: Option<ListRow>) -> Result<ListRow, Problem> {
    require_list(asker, row.filter(|list| asker == Asker::Person || list.status == Status::Active))
}

/// The price, if it is one of the list.
///
/// # Errors
/// NOT_FOUND.
pub fn require_price(list: Id, row: Option<PriceRow>) -> Result<PriceRow, Problem> {
    row.filter(|row| row.list_id == list).ok_or_else(Problem::not_found)
}
