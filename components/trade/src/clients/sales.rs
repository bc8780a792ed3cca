//! Sales' orders: what was ordered and delivered, to be billed, delivered and sold, and what was sold in all. Refusals of a sale
//! point to where its lines say that the request states them.

use stoa_sdk::Problem;

use super::Key;

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
