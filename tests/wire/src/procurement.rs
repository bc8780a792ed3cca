//! Procurement's services: one case per function, with its arguments in their order.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use stoa_sdk::Problem;

use crate::Key;
use crate::bindings::commerce::procurement::{charges, orders, suppliers};

pub use charges::Charge;
pub use orders::{
    BillLine, BuyLine, NewUnit, Order, OrderPosition, Purchase, ReceiptItem, ReceiptSelection, ReceiveLine, Received,
    Selection, Tracking,
};
pub use suppliers::Supplier;

/// A call, and what it answers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Call {
    /// `Vec<Supplier>`.
    Suppliers(Vec<Key>),
    /// `Vec<Order>`.
    Items(Selection, bool),
    /// `Vec<ReceiptItem>`.
    ReceiptItems(ReceiptSelection),
    /// Nothing.
    Bill(Vec<BillLine>),
    /// `Received`.
    Receive { order: Key, expected_version: i64, reason: String, location_id: Option<Key>, lines: Vec<ReceiveLine> },
    /// `Received`.
    Buy(Purchase, Vec<BuyLine>),
    /// `OrderPosition`.
    Position(Key, String),
    /// `Vec<Charge>`.
    Charges(Vec<Key>),
}

impl Call {
    /// Makes the call: a guest's part.
    pub fn make(&self) -> Result<Value, Problem> {
        Ok(match self {
            Call::Suppliers(ids) => json!(suppliers::get(ids)),
            Call::Items(which, for_update) => json!(orders::items(which, *for_update)),
            Call::ReceiptItems(which) => json!(orders::receipt_items(which)),
            Call::Bill(lines) => json!(orders::bill(lines)?),
            Call::Receive { order, expected_version, reason, location_id, lines } => {
                json!(orders::receive(*order, *expected_version, reason, *location_id, lines)?)
            }
            Call::Buy(what, lines) => json!(orders::buy(what, lines)?),
            Call::Position(entity, currency) => json!(orders::position(*entity, currency)),
            Call::Charges(ids) => json!(charges::get(ids)),
        })
    }
}
