//! Writes of finance that touch goods, once in their lives.

use serde_json::{Value as Json, json};
use stoa_tests::billing::{Desk, Office};
use stoa_tests::books::day;
use stoa_tests::company::{fresh, with};
use stoa_tests::goods::WHY;
use stoa_tests::purchases::line;

use super::acts::{Act, Side, Stage, Touch};

pub const ACTS: &[(&str, Act)] = &[
    ("createSalesInvoice", |by| create(by, |office| office.sales.clone())),
    ("createPurchaseInvoice", |by| create(by, |office| office.purchases.clone())),
    ("replaceSalesInvoice", |by| replace(by, |office| office.sales.clone())),
    ("replacePurchaseInvoice", |by| replace(by, |office| office.purchases.clone())),
    ("draftSalesInvoiceFromOrder", |by| {
        let office = by.stage.office();
        let (product, variant) = by.stage.goods();
        let order = sell_order(&office, by.stage, &variant);
        let body = json!({ "orderId": order, "number": fresh("FROM-") });
        Touch { answer: by.send("POST", "sales/invoices/from-order", body), products: vec![product] }
    }),
    ("draftPurchaseInvoiceFromOrder", |by| {
        let office = by.stage.office();
        let (product, variant) = by.stage.goods();
        let order = office.buyer.place(json!([line(&variant, "1", "2")])).id;
        let body = json!({ "orderId": order, "number": fresh("FROM-"), "basis": "ORDERED" });
        Touch { answer: by.send("POST", "purchases/invoices/from-order", body), products: vec![product] }
    }),
    ("issueSalesInvoice", |by| step(by, |office| office.sales.clone(), "issue", |_, _| json!({}))),
    ("recognizeSalesInvoice", |by| {
        step(by, |office| office.sales.clone(), "recognize", |_, _| json!({ "recognizedOn": day(0) }))
    }),
    ("voidSalesInvoice", |by| step(by, |office| office.sales.clone(), "void", |_, _| json!({ "reason": WHY }))),
    ("confirmSalesInvoice", |by| {
        step(
            by,
            |office| office.sales.clone(),
            "confirm",
            |stage, office| json!({ "warehouseId": stage.main, "priceListId": office.counter.list }),
        )
    }),
    ("recognizePurchaseInvoice", |by| {
        step(by, |office| office.purchases.clone(), "recognize", |_, office| office.purchases.grounds())
    }),
    ("voidPurchaseInvoice", |by| step(by, |office| office.purchases.clone(), "void", |_, _| json!({ "reason": WHY }))),
    ("confirmPurchaseInvoice", |by| {
        step(
            by,
            |office| office.purchases.clone(),
            "confirm",
            |stage, office| with(&office.purchases.grounds(), json!({ "reason": WHY, "warehouseId": stage.main })),
        )
    }),
    ("createSalesCredit", |by| request(by, |office| office.sales.clone())),
    ("createPurchaseCredit", |by| request(by, |office| office.purchases.clone())),
    ("replaceSalesCredit", |by| replace_credit(by, |office| office.sales.clone())),
    ("replacePurchaseCredit", |by| replace_credit(by, |office| office.purchases.clone())),
    // Only a correction touches goods.
    ("recognizePurchaseCredit", |by| {
        let office = by.stage.office();
        let (product, variant) = by.stage.goods();
        let item = office.buyer.stock(&variant, "1", "5");
        let lines = json!([{ "receiptItemId": item, "amount": "1" }]);
        let path = office.purchases.request("1", json!({ "reasonType": "COST_CORRECTION", "costLines": lines }));
        let body = with(&office.purchases.grounds(), json!({ "expectedVersion": 1 }));
        Touch { answer: by.send("POST", &format!("purchases/{path}/recognize"), body), products: vec![product] }
    }),
    ("createSupplierReturn", |by| {
        let (product, body) = by.stage.goods_back();
        Touch { answer: by.send("POST", "purchases/returns", body), products: vec![product] }
    }),
    ("replaceSupplierReturn", |by| {
        let (product, path, body) = by.stage.draft_back();
        let body = with(&body, json!({ "expectedVersion": 1 }));
        Touch { answer: by.send("PUT", &path, body), products: vec![product] }
    }),
    ("shipSupplierReturn", |by| {
        let (product, path, _) = by.stage.draft_back();
        let answer = by.send("POST", &format!("{path}/ship"), json!({ "expectedVersion": 1 }));
        Touch { answer, products: vec![product] }
    }),
    ("cancelSupplierReturn", |by| {
        let (product, path, _) = by.stage.draft_back();
        let answer = by.send("POST", &format!("{path}/cancel"), json!({ "expectedVersion": 1 }));
        Touch { answer, products: vec![product] }
    }),
    // The books of an entity of its own: goods of the others need no cost.
    ("startBooks", |by| {
        let shop = &by.stage.shop;
        let entity = shop.other_entity();
        let path = format!("ledger/legal-entities/{entity}");
        shop.post(&format!("{path}/chart"), json!({ "template": "STANDARD" })).is(201);
        let (product, variant) = by.stage.goods();
        shop.bring(&variant, &shop.warehouse_of("PHYSICAL", &entity), "1", None).is(201);
        let costs = json!([{ "variantId": variant, "unitCost": "2" }]);
        let version = shop.get(&path).is(200)["version"].clone();
        let body = json!({ "expectedVersion": version, "currencyCode": "EUR", "costs": costs });
        Touch { answer: by.send("POST", &format!("{path}/start-books"), body), products: vec![product] }
    }),
];

type OfDesk = fn(&Office) -> Desk;

/// The body of an invoice of one piece of each variant.
fn body(desk: &Desk, variants: &[&String]) -> Json {
    desk.body(variants.iter().map(|variant| desk.goods(variant, "1", "5")).collect())
}

fn create(by: &Side, desk: OfDesk) -> Touch {
    let ((one, first), (two, second)) = (by.stage.goods(), by.stage.goods());
    let desk = desk(&by.stage.office());
    let answer = by.send("POST", &desk.at("invoices"), body(&desk, &[&first, &second]));
    Touch { answer, products: vec![one, two] }
}

/// A line that goes is touched like one that comes.
fn replace(by: &Side, desk: OfDesk) -> Touch {
    let ((one, first), (two, second)) = (by.stage.goods(), by.stage.goods());
    let desk = desk(&by.stage.office());
    let made = body(&desk, &[&first]);
    let id = desk.shop.post(&desk.at("invoices"), made.clone()).is(201).id();
    let lines = body(&desk, &[&second])["lines"].clone();
    let answer = by.send(
        "PUT",
        &desk.at(&format!("invoices/{id}")),
        with(&made, json!({ "expectedVersion": 1, "lines": lines })),
    );
    Touch { answer, products: vec![one, two] }
}

/// A step of a draft of two pieces.
fn step(by: &Side, desk: OfDesk, verb: &str, members: fn(&Stage, &Office) -> Json) -> Touch {
    let ((one, first), (two, second)) = (by.stage.goods(), by.stage.goods());
    let office = by.stage.office();
    let desk = desk(&office);
    [&first, &second].iter().for_each(|variant| drop(office.counter.price(variant, "5")));
    let id = desk.shop.post(&desk.at("invoices"), body(&desk, &[&first, &second])).is(201).id();
    let body = with(&members(by.stage, &office), json!({ "expectedVersion": 1 }));
    let answer = by.send("POST", &desk.at(&format!("invoices/{id}/{verb}")), body);
    Touch { answer, products: vec![one, two] }
}

fn request(by: &Side, desk: OfDesk) -> Touch {
    let (product, variant) = by.stage.goods();
    let desk = desk(&by.stage.office());
    let body = with(&desk.credit("1"), json!({ "variantId": variant }));
    Touch { answer: by.send("POST", &desk.at("credit-notes"), body), products: vec![product] }
}

fn replace_credit(by: &Side, desk: OfDesk) -> Touch {
    let (product, variant) = by.stage.goods();
    let desk = desk(&by.stage.office());
    let made = desk.credit("1");
    let id = desk.shop.post(&desk.at("credit-notes"), made.clone()).is(201).id();
    let body = with(&made, json!({ "expectedVersion": 1, "variantId": variant }));
    Touch { answer: by.send("PUT", &desk.at(&format!("credit-notes/{id}")), body), products: vec![product] }
}

/// A confirmed order of one piece.
fn sell_order(office: &Office, stage: &Stage, variant: &str) -> String {
    office.counter.price(variant, "5");
    let items = json!([{ "variantId": variant, "quantity": "1" }]);
    let body = with(&office.counter.order(items), json!({ "warehouseId": stage.main }));
    let order = stage.shop.post("sales/orders", body).is(201).id();
    office.counter.confirm(&order).is(200);
    order
}

impl Stage {
    /// Desks of the company, with a customer and a supplier of their own.
    fn office(&self) -> Office {
        Office::from_shop(self.shop.clone(), self.shop.entity())
    }

    /// A product of which a piece came, and the body of its return.
    fn goods_back(&self) -> (String, Json) {
        let office = self.office();
        let (product, variant) = self.goods();
        let item = office.buyer.stock(&variant, "1", "5");
        let body = json!({
            "number": fresh("RET-"), "legalEntityId": office.entity, "partyId": office.purchases.party,
            "warehouseId": office.buyer.main, "reason": WHY, "lines": [{ "receiptItemId": item, "quantity": "1" }],
        });
        (product, body)
    }

    /// A product of which a piece is to go back, the path of the return and its body.
    fn draft_back(&self) -> (String, String, Json) {
        let (product, body) = self.goods_back();
        let id = self.shop.post("purchases/returns", body.clone()).is(201).id();
        (product, format!("purchases/returns/{id}"), body)
    }
}
