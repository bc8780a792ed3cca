//! Finance's services: one case per function, with its arguments in their order; and what the register asks of sales: to hold the
//! order before `prepare`, and to deliver it between `prepare` and `collect`.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use stoa_sdk::Problem;

use crate::Key;
use crate::bindings::commerce::finance::tills;
use crate::bindings::commerce::sales::orders;

pub use tills::{Closed, Collected, Collection, Component, Direction, Opened, Payment, Session, State, Tally};

/// A call, and what it answers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Call {
    /// `Opened`.
    Open(Session),
    /// Sales' order, held until the transaction ends: `Vec<Order>`.
    LockOrder(Key),
    /// `Vec<Option<Key>>`.
    Prepare(Key, Key, Vec<Component>),
    /// Sales' delivery of an order at its version, for a receipt: the order.
    Deliver(Key, i64, Key),
    /// `Collected`.
    Collect(Collection),
    /// The drawer's expected amount.
    Move(Key, Key, Direction, String, Option<Key>, String),
    /// `Closed`.
    Close(Key, String),
    /// `Vec<State>`.
    Read(Vec<Key>),
}

impl Call {
    /// Makes the call: a guest's part.
    pub fn make(&self) -> Result<Value, Problem> {
        Ok(match self {
            Call::Open(session) => json!(tills::open(session)?),
            Call::LockOrder(order) => json!(orders::items(&[*order], &[], true)?),
            Call::Prepare(session, order, components) => json!(tills::prepare(*session, *order, components)?),
            Call::Deliver(order, version, receipt) => json!(orders::deliver(*order, *version, Some(*receipt))?),
            Call::Collect(collection) => json!(tills::collect(collection)?),
            Call::Move(session, movement, to, amount, counter, reason) => {
                json!(tills::move_(*session, *movement, *to, amount, *counter, reason)?)
            }
            Call::Close(session, counted) => json!(tills::close(*session, counted)?),
            Call::Read(sessions) => json!(tills::read(sessions)),
        })
    }
}
