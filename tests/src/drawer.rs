//! Short words for what tests do with the drawers of cash sessions, as the register does it: by finance's service of tills.

use serde::de::DeserializeOwned;
use serde_json::json;

use crate::billing::Office;
use crate::services::finance::{Call, Closed, Collected, Collection, Component, Direction, Session, State};
use crate::services::{Key, id, key, new_key, read_answer};
use crate::tables::figure;
use crate::{Answer, Database};

/// The drawer of an open session.
pub struct Drawer {
    pub office: Office,
    pub session: Key,
}

/// A component of a receipt.
pub fn component(line_no: u8, method: &str, amount: &str) -> Component {
    Component {
        line_no,
        method: method.to_string(),
        card_kind: (method == "CARD").then(|| "DEBIT".to_string()),
        amount: amount.to_string(),
        account_id: None,
        reference: None,
    }
}

impl Office {
    /// The register's record of a new session with so much in the drawer.
    pub fn session(&self, opening: &str) -> Session {
        Session {
            id: new_key(),
            register_id: new_key(),
            legal_entity_id: key(&self.entity),
            branch_id: None,
            currency_code: "EUR".to_string(),
            money_account_id: None,
            opening: opening.to_string(),
            smallest_coin: None,
        }
    }

    #[track_caller]
    pub fn drawer(&self, opening: &str) -> Drawer {
        let session = self.session(opening);
        let drawer = Drawer { office: self.clone(), session: session.id };
        drawer.try_calls(&[Call::Open(session)]).is(201);
        drawer
    }

    /// A confirmed order of one piece at this price: its id.
    #[track_caller]
    pub fn order(&self, price: &str) -> String {
        let order = self.counter.draft_of(&self.counter.good(price, "9"), "1");
        self.counter.confirm(&order).is(200);
        order
    }
}

impl Drawer {
    /// In a company on the host whose services tests may call, that keeps books.
    #[track_caller]
    pub fn with_books(database: Database, opening: &str) -> Drawer {
        Office::with_services(database, true).drawer(opening)
    }

    /// The session's id as the interface spells it.
    pub fn id(&self) -> String {
        id(self.session)
    }

    /// Calls services in one transaction.
    #[track_caller]
    pub fn try_calls(&self, calls: &[Call]) -> Answer {
        self.office.shop.post("teller/calls", json!({ "calls": calls }))
    }

    /// Calls one service, as it must succeed.
    #[track_caller]
    pub fn call<T: DeserializeOwned>(&self, call: Call) -> T {
        read_answer(&self.try_calls(&[call]).is(201), 0)
    }

    /// Asks for what the register asks for before it delivers.
    #[track_caller]
    pub fn try_prepare(&self, order: &str, components: &[Component]) -> Answer {
        self.try_calls(&[Call::Prepare(self.session, key(order), components.to_vec())])
    }

    /// Holds, prepares, delivers and collects a confirmed order, as the register does.
    #[track_caller]
    pub fn try_checkout(&self, order: &str, components: &[Component]) -> Answer {
        let read = self.office.counter.read(order);
        let receipt_id = new_key();
        let collection = Collection {
            session_id: self.session,
            receipt_id,
            order_id: key(order),
            customer_id: key(&read.text("customerId")),
            legal_entity_id: key(&self.office.entity),
            branch_id: None,
            currency_code: "EUR".to_string(),
            total: figure(&read["total"]),
            components: components.to_vec(),
        };
        let version = read["version"].as_i64().unwrap_or_default();
        self.try_calls(&[
            Call::LockOrder(key(order)),
            Call::Prepare(self.session, key(order), components.to_vec()),
            Call::Deliver(key(order), version, receipt_id),
            Call::Collect(collection),
        ])
    }

    #[track_caller]
    pub fn checkout(&self, order: &str, components: &[Component]) -> Collected {
        read_answer(&self.try_checkout(order, components).is(201), 3)
    }

    #[track_caller]
    pub fn try_move(&self, to: Direction, amount: &str) -> Answer {
        self.try_calls(&[Call::Move(self.session, new_key(), to, amount.to_string(), None, "a test".to_string())])
    }

    #[track_caller]
    pub fn try_close(&self, counted: &str) -> Answer {
        self.try_calls(&[Call::Close(self.session, counted.to_string())])
    }

    #[track_caller]
    pub fn close(&self, counted: &str) -> Closed {
        read_answer(&self.try_close(counted).is(201), 0)
    }

    #[track_caller]
    pub fn state(&self) -> State {
        self.call::<Vec<State>>(Call::Read(vec![self.session])).remove(0)
    }

    /// The expected cash, without the zeros at its end.
    #[track_caller]
    pub fn cash(&self) -> String {
        figure(&json!(self.state().expected))
    }
}
