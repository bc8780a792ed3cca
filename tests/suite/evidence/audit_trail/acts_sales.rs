//! Writes of sales, once in their lives.

use serde_json::{Value as Json, json};
use stoa_tests::company::{fresh, with};
use stoa_tests::goods::WHY;

use super::acts::{Act, Side, Stage, Touch};

pub const ACTS: &[(&str, Act)] = &[
    ("createQuotation", |by| {
        let ((one, first), (two, second)) = (by.stage.price_goods(), by.stage.price_goods());
        let answer = by.send("POST", "sales/quotations", by.stage.sale(&[first, second]));
        Touch { answer, products: vec![one, two] }
    }),
    // A line that goes is touched like one that comes.
    ("replaceQuotation", |by| {
        let ((one, first), (two, second)) = (by.stage.price_goods(), by.stage.price_goods());
        let path = by.stage.document("sales/quotations", &[first]);
        let body = with(&by.stage.sale(&[second]), json!({ "expectedVersion": 1 }));
        Touch { answer: by.send("PUT", &path, body), products: vec![one, two] }
    }),
    ("sendQuotation", |by| step(by, "sales/quotations", &[], "send", json!({}))),
    ("acceptQuotation", |by| step(by, "sales/quotations", &["send"], "accept", json!({}))),
    ("rejectQuotation", |by| step(by, "sales/quotations", &["send"], "reject", json!({ "reason": WHY }))),
    ("expireQuotation", |by| step(by, "sales/quotations", &["send"], "expire", json!({}))),
    ("reviseQuotation", |by| step(by, "sales/quotations", &["send"], "revise", json!({}))),
    ("createSalesOrder", |by| {
        let ((one, first), (two, second)) = (by.stage.price_goods(), by.stage.price_goods());
        let answer = by.send("POST", "sales/orders", by.stage.sale(&[first, second]));
        Touch { answer, products: vec![one, two] }
    }),
    ("replaceSalesOrder", |by| {
        let ((one, first), (two, second)) = (by.stage.price_goods(), by.stage.price_goods());
        let path = by.stage.document("sales/orders", &[first]);
        let body = with(&by.stage.sale(&[second]), json!({ "expectedVersion": 1 }));
        Touch { answer: by.send("PUT", &path, body), products: vec![one, two] }
    }),
    ("refreshSalesOrderPrices", |by| step(by, "sales/orders", &[], "refresh-prices", json!({}))),
    ("confirmSalesOrder", |by| step(by, "sales/orders", &[], "confirm", json!({}))),
    ("completeSalesOrder", |by| step(by, "sales/orders", &["confirm"], "complete", json!({}))),
    ("cancelSalesOrder", |by| step(by, "sales/orders", &["confirm"], "cancel", json!({ "reason": WHY }))),
    ("exchangeSalesOrderUnit", |by| {
        let shop = &by.stage.shop;
        let variant = shop.phone();
        shop.price(&by.stage.list, &variant, None, None).is(201);
        let units = shop.admit(&variant, &by.stage.main, 2);
        let mut body = by.stage.sale(std::slice::from_ref(&variant));
        body["items"][0]["unitIds"] = json!([units[0]]);
        let path = format!("sales/orders/{}", shop.post("sales/orders", body).is(201).id());
        shop.post(&format!("{path}/confirm"), json!({ "expectedVersion": 1 })).is(200);
        let line = shop.get(&path).is(200)["items"][0]["id"].clone();
        let body = json!({
            "expectedVersion": 2, "itemId": line, "releaseUnitId": units[0], "chooseUnitId": units[1], "reason": WHY,
        });
        let answer = by.send("POST", &format!("{path}/exchange-unit"), body);
        Touch { answer, products: vec![by.stage.product_of(&variant)] }
    }),
    ("createSalesReturn", |by| {
        let (product, body) = sell_piece(by.stage);
        Touch { answer: by.send("POST", "sales/returns", body), products: vec![product] }
    }),
    ("replaceSalesReturn", |by| {
        let (product, path, body) = draft_return(by.stage);
        let body = with(&body, json!({ "expectedVersion": 1 }));
        Touch { answer: by.send("PUT", &path, body), products: vec![product] }
    }),
    ("receiveSalesReturn", |by| {
        let (product, path, _) = draft_return(by.stage);
        let answer = by.send("POST", &format!("{path}/receive"), json!({ "expectedVersion": 1 }));
        Touch { answer, products: vec![product] }
    }),
    ("cancelSalesReturn", |by| {
        let (product, path, _) = draft_return(by.stage);
        let answer = by.send("POST", &format!("{path}/cancel"), json!({ "expectedVersion": 1 }));
        Touch { answer, products: vec![product] }
    }),
];

/// A step of a document of two lines, after others of a person.
fn step(by: &Side, collection: &str, before: &[&str], verb: &str, members: Json) -> Touch {
    let ((one, first), (two, second)) = (by.stage.price_goods(), by.stage.price_goods());
    let path = by.stage.document(collection, &[first, second]);
    for (version, verb) in (1..).zip(before) {
        by.stage.shop.post(&format!("{path}/{verb}"), json!({ "expectedVersion": version })).is(200);
    }
    let body = with(&members, json!({ "expectedVersion": before.len() + 1 }));
    Touch { answer: by.send("POST", &format!("{path}/{verb}"), body), products: vec![one, two] }
}

/// A product of which a piece was sold, and the body of its return.
fn sell_piece(stage: &Stage) -> (String, Json) {
    let (product, variant) = stage.price_goods();
    let path = stage.document("sales/orders", &[variant]);
    for (version, verb) in [(1, "confirm"), (2, "complete")] {
        stage.shop.post(&format!("{path}/{verb}"), json!({ "expectedVersion": version })).is(200);
    }
    let order = stage.shop.get(&path).is(200);
    let item = json!({ "itemId": order["items"][0]["id"], "quantity": "1" });
    (product, json!({ "orderId": order["id"], "reason": WHY, "items": [item] }))
}

/// A product of which a piece is to come back, the path of the return and its body.
fn draft_return(stage: &Stage) -> (String, String, Json) {
    let (product, body) = sell_piece(stage);
    let id = stage.shop.post("sales/returns", body.clone()).is(201).id();
    (product, format!("sales/returns/{id}"), body)
}

impl Stage {
    /// A fresh product with a price, and its variant.
    pub fn price_goods(&self) -> (String, String) {
        let (product, variant) = self.goods();
        self.shop.price(&self.list, &variant, None, None).is(201);
        (product, variant)
    }

    /// The body of a quotation or an order of one piece of each variant.
    pub fn sale(&self, variants: &[String]) -> Json {
        let line = |variant: &String| json!({ "variantId": variant, "quantity": "1" });
        let customer = json!({ "code": fresh("C-"), "name": "Acme" });
        json!({
            "legalEntityId": self.shop.entity(), "warehouseId": self.main, "priceListId": self.list,
            "customerId": self.shop.post("sales/customers", customer).is(201).id(),
            "items": variants.iter().map(line).collect::<Vec<_>>(),
        })
    }

    /// The path of a draft.
    fn document(&self, collection: &str, variants: &[String]) -> String {
        format!("{collection}/{}", self.shop.post(collection, self.sale(variants)).is(201).id())
    }
}
