//! Sales' services: one case per function, with its arguments in their order.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use stoa_sdk::Problem;

use crate::Key;
use crate::bindings::commerce::sales::{customers, orders};

pub use customers::Customer;
pub use orders::{
    BillLine, Figure, Group, Item, Order, Origin, Outcome, Question, Report, Sale, SellLine, Status, Tracking,
};

/// A call, and what it answers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Call {
    /// `Vec<Customer>`.
    Customers(Vec<Key>),
    /// `Vec<Order>`: of orders, of items, held or not.
    Items(Vec<Key>, Vec<Key>, bool),
    /// Nothing.
    Bill(Vec<BillLine>),
    /// `Order`.
    Deliver(Key, i64, Option<Key>),
    /// `Order`.
    Sell(Sale),
    /// The amount that was delivered.
    Position(Key, String),
    /// `Report`.
    Figures(Question),
}

impl Call {
    /// Makes the call: a guest's part.
    pub fn make(&self) -> Result<Value, Problem> {
        Ok(match self {
            Call::Customers(ids) => json!(customers::get(ids)),
            Call::Items(order_ids, item_ids, for_update) => json!(orders::items(order_ids, item_ids, *for_update)?),
            Call::Bill(lines) => json!(orders::bill(lines)?),
            Call::Deliver(order, version, receipt) => json!(orders::deliver(*order, *version, *receipt)?),
            Call::Sell(sale) => json!(orders::sell(sale)?),
            Call::Position(entity, currency_code) => json!(orders::position(*entity, currency_code)?),
            Call::Figures(what) => json!(orders::figures(what)?),
        })
    }
}
