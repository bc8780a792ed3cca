//! Procurement's orders and receipts: what was ordered and came, to be billed, received and bought. Refusals point into the lines
//! that were given: `Problem::moved_each` brings them to where the request states them.

use stoa_sdk::Problem;

use super::Key;

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
            location: Option<Key>,
            lines: &[ReceiveLine],
        ) -> Result<Received, Problem>;
        fn buy(what: &Purchase, lines: &[BuyLine]) -> Result<Received, Problem>;
        fn position(entity: Key, currency_code: &str) -> OrderPosition;
    }
}
