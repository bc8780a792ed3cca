//! Purchase orders and what was received of them, for the documents that bill and receive them. Refusals point into the
//! lines that were given.

use stoa_sdk::{Id, Problem};

use super::{Key, keys};

pub use crate::bindings::commerce::procurement::orders::{
    BillLine, BuyLine, Item, NewUnit, Order, OrderPosition, Purchase, ReceiptItem, ReceiptSelection, ReceiveLine,
    Received, ReceivedItem, Selection, Tracking,
};

stoa_sdk::service! {
    /// The service as it crosses the border.
    pub mod service = (crate::bindings::commerce::procurement::orders) {
        fn items(which: &Selection, for_update: bool) -> Vec<Order>;
        fn receipt_items(which: &ReceiptSelection) -> Vec<ReceiptItem>;
        fn bill(lines: &[BillLine]) -> Result<(), Problem>;
        fn receive(
            order: Key,
            expected_version: i64,
            reason: &str,
            location_id: Option<Key>,
            lines: &[ReceiveLine],
        ) -> Result<Received, Problem>;
        fn buy(what: &Purchase, lines: &[BuyLine]) -> Result<Received, Problem>;
        fn position(entity: Key, currency_code: &str) -> OrderPosition;
    }
}

/// The orders of these lines, each with these lines; unknown ones are absent. Procurement is not asked for an empty
/// list. At most 1,000.
pub fn read_orders_of(items: &[Id]) -> Vec<Order> {
    ask(items, false)
}

/// As [`read_orders_of`], held until the transaction ends.
pub fn lock_orders_of(items: &[Id]) -> Vec<Order> {
    ask(items, true)
}

fn ask(items: &[Id], for_update: bool) -> Vec<Order> {
    if items.is_empty() {
        return Vec::new();
    }
    service::items(&Selection::OfItems(keys(items.iter().copied())), for_update)
}

/// The lines of receipts of these ids, the oldest first; unknown ones are absent. Procurement is not asked for an empty list. At
/// most 1,000.
pub fn read_receipt_items(ids: &[Id]) -> Vec<ReceiptItem> {
    if ids.is_empty() {
        return Vec::new();
    }
    service::receipt_items(&ReceiptSelection::OfReceiptItems(keys(ids.iter().copied())))
}

/// All that was received of these orders, the oldest first. Procurement is not asked for an empty list.
pub fn read_received(orders: &[Id]) -> Vec<ReceiptItem> {
    if orders.is_empty() {
        return Vec::new();
    }
    service::receipt_items(&ReceiptSelection::OfReceivedOrders(keys(orders.iter().copied())))
}
