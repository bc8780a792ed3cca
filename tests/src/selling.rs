//! Short words for what tests do with customers, quotations and orders.

use serde_json::{Value as Json, json};

use crate::company::{fresh, price, with};
use crate::services::sales::Call;
use crate::services::{self, read_answer};
use crate::{Answer, Company, Database, host};

/// A shop that sells: a customer, a list, a warehouse and the entity that they are of.
#[derive(Clone)]
pub struct Counter {
    pub shop: Company,
    pub entity: String,
    pub main: String,
    pub list: String,
    pub customer: String,
}

/// A shop without books on the shared host.
pub fn counter(database: Database) -> Counter {
    Counter::new(host::shared(database).company())
}

/// A shop that keeps books in euro.
pub fn counter_with_books(database: Database) -> Counter {
    Counter::new(host::shared(database).company_with(json!({ "keepsBooks": true })))
}

/// A shop on the host whose services tests may call, with or without books.
pub fn counter_with_services(database: Database, keeps_books: bool) -> Counter {
    let host = services::host(database);
    Counter::new(if keeps_books { host.company_with(json!({ "keepsBooks": true })) } else { host.company() })
}

impl Counter {
    #[track_caller]
    pub fn new(shop: Company) -> Counter {
        let code = fresh("C-");
        let customer = shop.post("sales/customers", json!({ "code": code, "name": "Acme" })).is(201).id();
        let list = shop.price_list(&fresh("LIST-"));
        Counter { entity: shop.entity(), main: shop.main(), list, customer, shop }
    }

    /// A price in effect from the first instant on: its path.
    #[track_caller]
    pub fn price(&self, variant: &str, amount: &str) -> String {
        let prices = format!("pricing/price-lists/{}/prices", self.list);
        let id = self.shop.post(&prices, price(variant, amount, None, None)).is(201).id();
        format!("{prices}/{id}")
    }

    /// Another amount of a price.
    #[track_caller]
    pub fn reprice(&self, path: &str, variant: &str, amount: &str) {
        self.shop.put(path, price(variant, amount, None, None)).is(200);
    }

    /// A good that costs 1 and has this price, of which there are so many.
    #[track_caller]
    pub fn good(&self, amount: &str, quantity: &str) -> String {
        self.good_of(0, amount, quantity)
    }

    /// The same, counted with this many decimals.
    #[track_caller]
    pub fn good_of(&self, decimal_places: u8, amount: &str, quantity: &str) -> String {
        let variant = self.shop.counted(decimal_places);
        self.price(&variant, amount);
        if quantity != "0" {
            self.shop.stock_up(&self.main, &variant, quantity);
        }
        variant
    }

    /// A phone at this price, and so many units of it at a cost of 100.
    #[track_caller]
    pub fn phone(&self, amount: &str, units: usize) -> (String, Vec<String>) {
        let variant = self.shop.phone();
        self.price(&variant, amount);
        let units = if units == 0 { Vec::new() } else { self.shop.admit(&variant, &self.main, units) };
        (variant, units)
    }

    /// A service at this price.
    #[track_caller]
    pub fn service(&self, amount: &str) -> String {
        let variant = self.shop.good(json!({ "productType": "SERVICE" }));
        self.price(&variant, amount);
        variant
    }

    /// The body of an order with these lines.
    pub fn order(&self, items: Json) -> Json {
        json!({
            "legalEntityId": self.entity, "warehouseId": self.main, "customerId": self.customer,
            "priceListId": self.list, "items": items,
        })
    }

    /// The body of a quotation with these lines.
    pub fn quotation(&self, items: Json) -> Json {
        self.order(items)
    }

    #[track_caller]
    pub fn try_draft(&self, items: Json) -> Answer {
        self.shop.post("sales/orders", self.order(items))
    }

    /// A draft: its id.
    #[track_caller]
    pub fn draft(&self, items: Json) -> String {
        self.try_draft(items).is(201).id()
    }

    /// A draft of one line.
    #[track_caller]
    pub fn draft_of(&self, variant: &str, quantity: &str) -> String {
        self.draft(json!([{ "variantId": variant, "quantity": quantity }]))
    }

    #[track_caller]
    pub fn step(&self, order: &str, verb: &str, version: i64, members: Json) -> Answer {
        let body = with(&json!({ "expectedVersion": version }), members);
        self.shop.post(&format!("sales/orders/{order}/{verb}"), body)
    }

    #[track_caller]
    pub fn confirm(&self, order: &str) -> Answer {
        self.step(order, "confirm", 1, json!({}))
    }

    #[track_caller]
    pub fn complete(&self, order: &str) -> Answer {
        self.step(order, "complete", 2, json!({}))
    }

    #[track_caller]
    pub fn cancel(&self, order: &str, version: i64) -> Answer {
        self.step(order, "cancel", version, json!({ "reason": "changed my mind" }))
    }

    #[track_caller]
    pub fn read(&self, order: &str) -> Answer {
        self.shop.get(&format!("sales/orders/{order}")).is(200)
    }

    /// An order of these lines, delivered: its id.
    #[track_caller]
    pub fn deliver(&self, items: Json) -> String {
        let order = self.draft(items);
        self.confirm(&order).is(200);
        self.complete(&order).is(200);
        order
    }

    /// Calls sales' services in one transaction.
    #[track_caller]
    pub fn try_services(&self, calls: &[Call]) -> Answer {
        self.shop.post("seller/calls", json!({ "calls": calls }))
    }

    /// Calls one of sales' services, as it must succeed.
    #[track_caller]
    pub fn call<T: serde::de::DeserializeOwned>(&self, call: Call) -> T {
        read_answer(&self.try_services(&[call]).is(201), 0)
    }

    /// The kinds of the company's events about orders, in their order.
    #[track_caller]
    pub fn sale_kinds(&self) -> Vec<String> {
        let events = self.shop.rows("select kind from stoa_event where {tenant} order by id");
        events.into_iter().flatten().filter(|kind| kind.starts_with("sale.")).collect()
    }
}
