//! Short words for what tests do at a till: registers, sessions, sales over the counter.

use serde_json::{Value as Json, json};

use crate::books::{Books, day};
use crate::company::{fresh, with};
use crate::selling::{self, Counter};
use crate::{Answer, Company, Database};

/// A register of a shop.
#[derive(Clone)]
pub struct Till {
    pub counter: Counter,
    pub register: String,
}

/// A cash session of a register.
#[derive(Clone)]
pub struct Session {
    pub till: Till,
    pub id: String,
}

/// A register of a shop without books.
pub fn till(database: Database) -> Till {
    Till::new(selling::counter(database))
}

/// A register of a shop that keeps books in euro.
pub fn till_with_books(database: Database) -> Till {
    Till::new(selling::counter_with_books(database))
}

/// The whole sale in cash.
pub fn cash(tendered: &str) -> Json {
    json!({ "tenderedAmount": tendered })
}

/// Components, given as method and amount; all but cash with what they need.
pub fn parts(parts: &[(&str, &str)]) -> Json {
    let part = |(method, amount): &(&str, &str)| match *method {
        "CASH" => json!({ "method": method, "amount": amount }),
        "CARD" => json!({ "method": method, "amount": amount, "cardKind": "DEBIT", "reference": "AB-99812" }),
        _ => json!({ "method": method, "amount": amount, "reference": "AB-99812" }),
    };
    json!({ "payments": parts.iter().map(part).collect::<Vec<_>>() })
}

impl Till {
    #[track_caller]
    pub fn new(counter: Counter) -> Till {
        let body = register(&counter, json!({}));
        let register = counter.shop.post("pos/registers", body).is(201).id();
        Till { counter, register }
    }

    pub fn shop(&self) -> &Company {
        &self.counter.shop
    }

    pub fn books(&self) -> Books {
        Books { shop: self.shop().clone(), entity: self.counter.entity.clone() }
    }

    /// The same till as another of the company's people sees it.
    pub fn seen_by(&self, person: &Company) -> Till {
        Till { counter: Counter { shop: person.clone(), ..self.counter.clone() }, ..self.clone() }
    }

    #[track_caller]
    pub fn try_open(&self, amount: &str) -> Answer {
        self.shop().post("pos/sessions", json!({ "registerId": self.register, "openingAmount": amount }))
    }

    #[track_caller]
    pub fn open(&self, amount: &str) -> Session {
        Session { till: self.clone(), id: self.try_open(amount).is(201).id() }
    }

    /// A confirmed order of a service at this price: it needs no goods.
    #[track_caller]
    pub fn order_of(&self, price: &str) -> String {
        let service = self.counter.service(price);
        self.order(json!([{ "variantId": service, "quantity": "1" }]))
    }

    /// A confirmed order.
    #[track_caller]
    pub fn order(&self, items: Json) -> String {
        let order = self.counter.draft(items);
        self.counter.confirm(&order).is(200);
        order
    }

    /// A payment of the customer that is not applied: what a refund is given of.
    #[track_caller]
    pub fn prepay(&self, amount: &str) -> String {
        let body = json!({
            "number": fresh("PAY-"), "legalEntityId": self.counter.entity, "partyId": self.counter.customer,
            "currencyCode": "EUR", "amount": amount, "method": "TRANSFER", "paidOn": day(0),
        });
        self.shop().post("sales/payments", body).is(201).id()
    }

    /// Refunds in cash, or as `members` say, of a payment of this version.
    #[track_caller]
    pub fn try_refund(&self, payment: &str, version: i64, amount: &str, members: Json) -> Answer {
        let body = json!({
            "expectedVersion": version, "number": fresh("REF-"), "amount": amount, "method": "CASH", "refundedOn": day(0),
        });
        self.shop().post(&format!("sales/payments/{payment}/refunds"), with(&body, members))
    }

    /// An issued invoice of a whole order.
    #[track_caller]
    pub fn bill(&self, order: &str) -> String {
        let body = json!({ "orderId": order, "number": fresh("INV-") });
        let invoice = self.shop().post("sales/invoices/from-order", body).is(201).id();
        let issue = json!({ "expectedVersion": 1, "issuedOn": day(0) });
        self.shop().post(&format!("sales/invoices/{invoice}/issue"), issue).is(200);
        invoice
    }

    /// The company's events of this kind.
    pub fn events(&self, kind: &str) -> i64 {
        self.shop().count("stoa_event", &format!("kind = '{kind}'"))
    }
}

/// The body of a register at this counter.
pub fn register(counter: &Counter, members: Json) -> Json {
    let code = fresh("TILL-");
    let body = json!({ "code": code, "name": code, "warehouseId": counter.main, "priceListId": counter.list });
    with(&body, members)
}

impl Session {
    pub fn path(&self) -> String {
        format!("pos/sessions/{}", self.id)
    }

    /// The same session as another of the company's people sees it.
    pub fn seen_by(&self, person: &Company) -> Session {
        Session { till: self.till.seen_by(person), ..self.clone() }
    }

    #[track_caller]
    pub fn read(&self) -> Answer {
        self.till.shop().get(&self.path()).is(200)
    }

    #[track_caller]
    pub fn version(&self) -> i64 {
        self.read()["version"].as_i64().expect("a version")
    }

    #[track_caller]
    pub fn expected_cash(&self) -> String {
        self.read().text("expectedCash")
    }

    #[track_caller]
    pub fn report(&self) -> Answer {
        self.till.shop().get(&format!("{}/report", self.path())).is(200)
    }

    /// The body of a checkout of a confirmed order at this version of the session.
    pub fn checkout(&self, order: &str, version: i64, payment: Json) -> Json {
        let body = json!({ "orderId": order, "expectedOrderVersion": 2, "expectedSessionVersion": version });
        with(&body, payment)
    }

    #[track_caller]
    pub fn try_check_out_at(&self, order: &str, version: i64, payment: Json) -> Answer {
        let body = self.checkout(order, version, payment);
        self.till.shop().post(&format!("{}/checkout", self.path()), body)
    }

    #[track_caller]
    pub fn try_check_out(&self, order: &str, payment: Json) -> Answer {
        self.try_check_out_at(order, self.version(), payment)
    }

    /// A service is sold at this price: the receipt.
    #[track_caller]
    pub fn sell(&self, price: &str, payment: Json) -> Answer {
        self.try_check_out(&self.till.order_of(price), payment).is(201)
    }

    #[track_caller]
    pub fn try_move_at(&self, version: i64, direction: &str, amount: &str, members: Json) -> Answer {
        let body = json!({ "expectedVersion": version, "direction": direction, "amount": amount, "reason": "change" });
        self.till.shop().post(&format!("{}/cash-movements", self.path()), with(&body, members))
    }

    #[track_caller]
    pub fn try_move(&self, direction: &str, amount: &str) -> Answer {
        self.try_move_at(self.version(), direction, amount, json!({}))
    }

    #[track_caller]
    pub fn try_close_at(&self, version: i64, counted: &str) -> Answer {
        let body = json!({ "expectedVersion": version, "countedAmount": counted });
        self.till.shop().post(&format!("{}/close", self.path()), body)
    }

    #[track_caller]
    pub fn try_close(&self, counted: &str) -> Answer {
        self.try_close_at(self.version(), counted)
    }

    /// Refunds in cash of this session's drawer.
    #[track_caller]
    pub fn try_refund(&self, payment: &str, version: i64, amount: &str) -> Answer {
        self.till.try_refund(payment, version, amount, json!({ "sessionId": self.id }))
    }
}
