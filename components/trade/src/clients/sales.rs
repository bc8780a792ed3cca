//! Sales' orders: what was ordered and delivered, to be billed, delivered and sold, and what was sold in all. Refusals of a sale
//! point to where its lines say that the request states them.

use stoa_sdk::{Id, Problem};

use super::{Key, keys};

pub use crate::bindings::commerce::sales::orders::{
    Allocation, BillLine, Figure, Group, Item, Order, Origin, Outcome, Question, Report, Sale, SellLine, Status,
    Tracking, Unit,
};

stoa_sdk::service! {
    /// The service as it crosses the border.
    pub mod service = (crate::bindings::commerce::sales::orders) {
        fn items(order_ids: &[Key], item_ids: &[Key], for_update: bool) -> Result<Vec<Order>, Problem>;
        fn bill(lines: &[BillLine]) -> Result<(), Problem>;
        fn deliver(order: Key, expected_version: i64, receipt: Option<Key>) -> Result<Order, Problem>;
        fn sell(sale: &Sale) -> Result<Order, Problem>;
        fn position(entity: Key, currency_code: &str) -> Result<String, Problem>;
        fn figures(what: &Question) -> Result<Report, Problem>;
    }
}

/// The orders of these ids and those of these items, in the order of their ids. Sales is not asked for an empty list.
///
/// # Errors
/// LIMIT_EXCEEDED above 100 orders.
pub fn read_orders(orders: &[Id], items: &[Id]) -> Result<Vec<Order>, Problem> {
    ask(orders, items, false)
}

/// As [`read_orders`], held until the transaction ends.
///
/// # Errors
/// LIMIT_EXCEEDED above 100 orders.
pub fn lock_orders(orders: &[Id], items: &[Id]) -> Result<Vec<Order>, Problem> {
    ask(orders, items, true)
}

fn ask(orders: &[Id], items: &[Id], for_update: bool) -> Result<Vec<Order>, Problem> {
    if orders.is_empty() && items.is_empty() {
        return Ok(Vec::new());
    }
    service::items(&keys(orders.iter().copied()), &keys(items.iter().copied()), for_update)
}
