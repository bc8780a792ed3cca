//! The service `commerce:procurement/orders`: what was ordered and came, for the invoices of others to read, to bill and to
//! receive.

mod bill;
mod buy;
mod items;
mod receipt_items;
mod wire;

use stoa_sdk::Problem;

use crate::bindings::exports::commerce::procurement::orders as service;
use crate::bindings::exports::commerce::procurement::orders::Guest;
use crate::services::Services;

impl Guest for Services {
    fn items(which: service::Selection, for_update: bool) -> Vec<service::Order> {
        items::read_orders(which, for_update)
    }

    fn receipt_items(which: service::ReceiptSelection) -> Vec<service::ReceiptItem> {
        receipt_items::read_receipt_items(which)
    }

    fn bill(lines: Vec<service::BillLine>) -> Result<(), Problem> {
        bill::bill(&lines)
    }

    fn receive(
        order: (u64, u64),
        expected_version: i64,
        reason: String,
        location_id: Option<(u64, u64)>,
        lines: Vec<service::ReceiveLine>,
    ) -> Result<service::Received, Problem> {
        buy::receive(order.into(), expected_version, reason, location_id, lines)
    }

    fn buy(what: service::Purchase, lines: Vec<service::BuyLine>) -> Result<service::Received, Problem> {
        buy::buy(what, lines)
    }

    fn position(entity: (u64, u64), currency_code: String) -> service::OrderPosition {
        items::read_position(entity.into(), &currency_code)
    }
}
