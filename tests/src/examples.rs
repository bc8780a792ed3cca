//! Examples of the contract, and the records of a company whose ids replace those that the examples name.

use std::cell::RefCell;
use std::collections::BTreeMap;

use serde_json::{Map, Value as Json, json};
use uuid::Uuid;

use crate::company::{price, product, with};
use crate::contract::{Contract, Operation};
use crate::goods::{WHY, inbound};
use crate::{Answer, Company, Database, Stoa};

/// The ids of records that a request names begin so; two digits follow. Ids that are only in answers have any other digits.
const PREFIX: &str = "01994d2f-5a00-7c3e-9b1d-0000000000";

/// A request and its answer, as the contract shows them.
pub struct Example {
    pub path: Map<String, Json>,
    pub query: Map<String, Json>,
    pub body: Option<Json>,
    pub response: Json,
}

impl Example {
    /// The example of an operation, if it has one.
    pub fn find(contract: &Contract, operation: &Operation) -> Option<Example> {
        let responses = operation.document["responses"].as_object()?;
        let (_, success) = responses.iter().find(|(status, _)| status.starts_with('2'))?;
        let response = contract.resolve(success)["content"]["application/json"].get("example")?.clone();
        let body = contract.resolve(&operation.document["requestBody"])["content"]["application/json"].get("example");
        let stated = |location: &str| {
            let parameters = contract.parameters(operation).filter(|parameter| parameter["in"] == location);
            let value = |parameter: &Json| {
                Some((
                    parameter["name"].as_str()?.to_string(),
                    parameter.get("example").filter(|one| !one.is_null())?.clone(),
                ))
            };
            parameters.filter_map(value).collect()
        };
        Some(Example { path: stated("path"), query: stated("query"), body: body.cloned(), response })
    }
}

/// Pointers to the members of an example that the answer does not have. Values may differ.
pub fn find_missing(example: &Json, answer: &Json, pointer: &str) -> Vec<String> {
    let compare = |found: Option<&Json>, value: &Json, place: String| match found {
        Some(found) => find_missing(value, found, &place),
        None => vec![place],
    };
    match (example, answer) {
        (Json::Object(stated), Json::Object(found)) => stated
            .iter()
            .flat_map(|(name, value)| compare(found.get(name), value, format!("{pointer}/{name}")))
            .collect(),
        (Json::Array(stated), Json::Array(found)) => {
            let stated = stated.iter().enumerate();
            stated.flat_map(|(index, value)| compare(found.get(index), value, format!("{pointer}/{index}"))).collect()
        }
        (Json::Object(_) | Json::Array(_), _) => vec![pointer.to_string()],
        _ => Vec::new(),
    }
}

/// A company for the example of an operation: one with an open history, where the operation moves its clock.
pub fn company_for(host: &Stoa, operation: &str) -> Company {
    match operation {
        "advanceHistory" | "endHistory" => host.company_with(json!({ "historyFrom": "2000-01-01T00:00:00Z" })),
        _ => host.company(),
    }
}

/// The records of one company, each made when it is first asked for.
pub struct Records {
    pub shop: Company,
    made: RefCell<BTreeMap<&'static str, String>>,
}

/// The two digits of its id in examples, its name, and how it is made.
type Known = (&'static str, &'static str, fn(&Records) -> String);

/// Records that operations need and their examples do not name.
const NEEDS: &[(&str, &str)] = &[
    ("apiCreateQuotation", "price"),
    ("apiCreateSalesOrder", "price"),
    ("apiGetPricedProduct", "price"),
    ("apiListBranches", "second branch"),
    ("apiListCustomers", "customer"),
    ("apiListGoodsReceipts", "received line"),
    ("apiListImportOrders", "import order"),
    ("apiListIncoming", "placed order"),
    ("apiListLegalEntities", "second legal entity"),
    ("apiListLocations", "location"),
    ("apiListLookups", "brand"),
    ("apiListMovements", "variant"),
    ("apiListOrderReceipts", "received line"),
    ("apiListPosSessions", "session"),
    ("apiListPriceLists", "price list"),
    ("apiListPrices", "price"),
    ("apiListProductMedia", "media"),
    ("apiListProducts", "product"),
    ("apiListPurchaseCredits", "purchase credit"),
    ("apiListPurchaseInvoices", "purchase invoice"),
    ("apiListPurchaseOrders", "purchase order"),
    ("apiListPurchasePayments", "purchase payment"),
    ("apiListQuotations", "quotation"),
    ("apiListReservations", "reservation"),
    ("apiListSalesCredits", "sales credit"),
    ("apiListSalesInvoices", "sales invoice"),
    ("apiListSalesOrders", "sales order"),
    ("apiListSalesPayments", "sales payment"),
    ("apiListSalesRefunds", "sales refund"),
    ("apiListSalesReturns", "customer return"),
    ("apiListStock", "variant"),
    ("apiListSupplierReturns", "supplier return"),
    ("apiListSuppliers", "supplier"),
    ("apiListTransferOrders", "transfer order"),
    ("apiListVariants", "variant"),
    ("apiListWarehouses", "second warehouse"),
    ("apiListWebhooks", "webhook"),
    ("apiResolvePrice", "price"),
    ("apiResolvePrices", "price"),
    ("apiSchedulePrices", "price"),
    ("createQuotation", "price"),
    ("createSalesOrder", "price"),
    ("getPricedProduct", "price"),
    ("listAccounts", "account"),
    ("listApiClients", "API client"),
    ("listApiKeys", "API key"),
    ("listBranches", "second branch"),
    ("listCostLayers", "variant"),
    ("listCustomers", "customer"),
    ("listGoodsReceipts", "received line"),
    ("listImportOrders", "import order"),
    ("listIncoming", "placed order"),
    ("listJournalEntries", "journal entry"),
    ("listLegalEntities", "second legal entity"),
    ("listLocations", "location"),
    ("listLookups", "brand"),
    ("listMoneyAccounts", "money account"),
    ("listMovements", "variant"),
    ("listOrderReceipts", "received line"),
    ("listPosRegisters", "register"),
    ("listPosSessions", "session"),
    ("listPriceLists", "price list"),
    ("listPrices", "price"),
    ("listProductMedia", "media"),
    ("listProducts", "product"),
    ("listPurchaseCredits", "purchase credit"),
    ("listPurchaseInvoices", "purchase invoice"),
    ("listPurchaseOrders", "purchase order"),
    ("listPurchasePayments", "purchase payment"),
    ("listPurchaseRefunds", "purchase refund"),
    ("listQuotations", "quotation"),
    ("listReservations", "reservation"),
    ("listSalesCredits", "sales credit"),
    ("listSalesInvoices", "sales invoice"),
    ("listSalesOrders", "sales order"),
    ("listSalesPayments", "sales payment"),
    ("listSalesRefunds", "sales refund"),
    ("listSalesReturns", "customer return"),
    ("listStock", "variant"),
    ("listStockCounts", "count"),
    ("listSupplierReturns", "supplier return"),
    ("listSuppliers", "supplier"),
    ("listTransferOrders", "transfer order"),
    ("listUnits", "unit"),
    ("listValuation", "variant"),
    ("listVariants", "variant"),
    ("listWarehouses", "second warehouse"),
    ("listWebhooks", "webhook"),
    ("reopenPeriod", "closed month"),
    ("resolvePrice", "price"),
    ("resolvePrices", "price"),
    ("schedulePrices", "price"),
];

/// A side of the trade: its path, its party, and its name of an amount.
type Trade = (&'static str, &'static str, &'static str);
const SALES: Trade = ("sales", "customer", "unitPrice");
const PURCHASES: Trade = ("purchases", "supplier", "unitCost");
/// A day in the past.
const DAY: &str = "2026-01-15";

/// Members that never change (codes, SKUs, numbers) are those of the examples that replace the record.
const KNOWN: &[Known] = &[
    ("02", "legal entity", |records| records.shop.entity()),
    ("04", "warehouse", |records| records.shop.main()),
    ("05", "second warehouse", |records| {
        let entity = records.shop.entity();
        let body = json!({ "code": "WEST", "name": "West", "type": "PHYSICAL", "legalEntityId": entity });
        records.post("inventory/warehouses", body)
    }),
    ("06", "brand", |records| records.lookup("brands", "ACME")),
    ("07", "category", |records| records.lookup("categories", "PHONES")),
    ("08", "product", |records| {
        let variant = json!({
            "sku": "PHONE-128-BLACK", "attributes": { "weightGrams": 172 }, "searchAliases": ["phone 128"],
        });
        let members = json!({
            "publicationStatus": "PUBLISHED", "trackInventory": true, "attributes": { "warrantyMonths": 24 },
            "variants": [variant],
        });
        records.post("catalog/products", with(&product("Phone"), members))
    }),
    ("09", "variant", |records| {
        let path = format!("catalog/products/{}/variants", records.id("product"));
        let variant = records.shop.get(&path).is(200).ids().remove(0);
        records.shop.post("inventory/adjustments", inbound(&variant, &records.shop.main(), "20", Some("450"))).is(201);
        variant
    }),
    ("10", "phone", |records| records.shop.phone()),
    ("11", "price list", |records| {
        let body = json!({ "code": "RETAIL", "name": "Retail", "currencyCode": "EUR", "visibility": "PUBLIC" });
        records.post("pricing/price-lists", body)
    }),
    ("12", "price", |records| records.price(&records.id("variant"), "599")),
    ("13", "supplier", |records| records.post("purchases/suppliers", json!({ "code": "ORIENT", "name": "Orient" }))),
    ("14", "customer", |records| records.post("sales/customers", json!({ "code": "C-1001", "name": "Ada" }))),
    ("15", "sales order", |records| records.sale(records.pieces())),
    ("16", "quotation", Records::quotation),
    ("17", "purchase order", |records| records.purchase("orders", json!({ "number": "PO-1" }))),
    ("18", "account", |records| {
        let entity = records.shop.entity();
        let body = json!({ "legalEntityId": entity, "code": "X-6150", "name": "Postage", "type": "EXPENSE" });
        records.post("ledger/accounts", body)
    }),
    ("20", "register", |records| {
        let (main, list) = (records.shop.main(), records.id("price list"));
        let body = json!({ "code": "TILL-1", "name": "Till", "warehouseId": main, "priceListId": list });
        records.post("pos/registers", body)
    }),
    ("21", "session", |records| {
        let register = records.id("register");
        records.post("pos/sessions", json!({ "registerId": register, "openingAmount": "100" }))
    }),
    ("22", "API client", |records| records.post("api-clients", json!({ "name": "Feed", "scopes": ["catalog.read"] }))),
    ("23", "webhook", |records| {
        let url = "https://hooks.example.com/stock";
        records.post("webhooks", json!({ "name": "Stock", "url": url, "subscriptions": ["webhook.test"] }))
    }),
    ("24", "manufacturer", |records| records.lookup("manufacturers", "ACME")),
    ("25", "media", |records| {
        let path = format!("catalog/products/{}/media", records.id("product"));
        records.post(&path, json!({ "url": "https://media.example.com/phone.jpg" }))
    }),
    ("26", "location", |records| {
        let path = format!("inventory/warehouses/{}/locations", records.shop.main());
        records.post(&path, json!({ "code": "A-01", "name": "Shelf A" }))
    }),
    ("28", "API key", |records| records.post(&format!("api-clients/{}/keys", records.id("API client")), json!({}))),
    ("32", "sale of a unit", |records| {
        let (phone, main) = (records.id("phone"), records.shop.main());
        records.price(&phone, "649");
        let units = records.shop.admit(&phone, &main, 1);
        let order = records.sale(json!([{ "variantId": phone, "quantity": "1", "unitIds": units }]));
        records.step(&format!("sales/orders/{order}"), "confirm", 1)
    }),
    ("33", "confirmed order", |records| {
        records.step(&format!("sales/orders/{}", records.sale(records.pieces())), "confirm", 1)
    }),
    ("34", "delivered order", |records| {
        records.step(&format!("sales/orders/{}", records.id("confirmed order")), "complete", 2)
    }),
    ("35", "line that was sold", |records| records.read("sales/orders", "delivered order", "/items/0/id")),
    ("36", "customer return", |records| {
        let line = json!({ "itemId": records.id("line that was sold"), "quantity": "1" });
        let order = records.id("delivered order");
        records.post("sales/returns", json!({ "orderId": order, "reason": WHY, "items": [line] }))
    }),
    ("37", "sent quotation", |records| records.step(&format!("sales/quotations/{}", records.quotation()), "send", 1)),
    ("38", "placed order", |records| records.place("orders")),
    ("39", "line of an order", |records| records.read("purchases/orders", "placed order", "/items/0/id")),
    ("40", "import order", |records| records.purchase("import-orders", json!({ "number": "IM-1" }))),
    ("41", "placed import order", |records| records.place("import-orders")),
    ("42", "line of an import", |records| records.read("purchases/orders", "placed import order", "/items/0/id")),
    ("43", "shipment", |records| records.ship("SH-1").text("shipmentId")),
    ("44", "charge", |records| {
        records.change_import("charges", json!({ "type": "FREIGHT", "amount": "120" })).text("chargeId")
    }),
    ("45", "received line of an import", |records| {
        let shipment = records.ship("SH-2").text("shipmentId");
        let cleared = json!({ "stage": "CLEARED", "occurredOn": "2026-01-15" });
        records.change_import(&format!("shipments/{shipment}/advance"), cleared);
        let order = records.id("placed import order");
        let line = json!({ "orderItemId": records.id("line of an import"), "quantity": "4" });
        let body = json!({
            "expectedVersion": records.version(&order), "reason": WHY, "shipmentId": shipment, "items": [line],
        });
        records.receive(&order, body)
    }),
    ("46", "unit", Records::unit),
    ("47", "damaged unit", |records| {
        let unit = records.unit();
        records.shop.move_unit(&unit, "DAMAGE", json!({})).is(201);
        unit
    }),
    ("48", "reservation", |records| {
        records.shop.reserve(&records.id("variant"), &records.shop.main(), "1").is(201).id()
    }),
    ("49", "transfer order", Records::transfer),
    ("50", "shipped transfer order", |records| {
        records.step(&format!("inventory/transfer-orders/{}", records.transfer()), "ship", 1)
    }),
    ("51", "line on its way", |records| {
        records.read("inventory/transfer-orders", "shipped transfer order", "/items/0/id")
    }),
    ("52", "count", |records| {
        let main = records.shop.main();
        records.post("inventory/counts", json!({ "warehouseId": main }))
    }),
    ("53", "recorded count", |records| {
        let line = json!({ "variantId": records.id("variant"), "countedQuantity": "19" });
        let path = format!("inventory/counts/{}/lines", records.id("count"));
        records.shop.post(&path, json!({ "expectedVersion": 1, "lines": [line] })).is(200).id()
    }),
    ("54", "line of a unit", |records| records.read("sales/orders", "sale of a unit", "/items/0/id")),
    ("55", "unit of a sale", |records| records.read("sales/orders", "sale of a unit", "/items/0/units/0/unitId")),
    ("56", "unit to spare", Records::unit),
    ("57", "second legal entity", |records| {
        records.post("ledger/legal-entities", json!({ "code": "WEST", "name": "Example West" }))
    }),
    ("58", "second branch", |records| {
        let entity = records.shop.entity();
        records.post("ledger/branches", json!({ "legalEntityId": entity, "code": "WEST", "name": "West" }))
    }),
    ("59", "books", |records| {
        let body = json!({
            "code": "BOOKS", "name": "Books", "keepsBooks": true, "currencyCode": "EUR", "booksStartOn": "2020-01-01",
            "chart": "STANDARD",
        });
        records.post("ledger/legal-entities", body)
    }),
    ("60", "account of a bank", |records| records.account("X-1060", "ASSET")),
    ("61", "money account", |records| {
        let account = records.account("X-1061", "ASSET");
        let body = json!({
            "legalEntityId": records.id("books"), "code": "X-BANK", "name": "Bank", "kind": "BANK", "accountId": account,
        });
        records.post("ledger/money-accounts", body)
    }),
    ("62", "counter account", |records| records.account("X-4062", "INCOME")),
    ("63", "journal entry", |records| {
        let line = |account: &str, side: &str| json!({ "accountId": records.id(account), side: "5" });
        let lines = [line("account of a bank", "debit"), line("counter account", "credit")];
        let body = json!({
            "legalEntityId": records.id("books"), "entryDate": "2020-02-15", "description": "Interest", "lines": lines,
        });
        records.post("ledger/journal-entries", body)
    }),
    ("64", "income account", |records| records.account("X-4064", "INCOME")),
    ("65", "sales invoice", |records| records.invoice(SALES)),
    ("66", "purchase invoice", |records| records.invoice(PURCHASES)),
    ("67", "sale of goods", |records| {
        records.id("price");
        let line = json!({ "variantId": records.id("variant"), "quantity": "1", "unitPrice": "599" });
        records.bill(SALES, "INV-2", line)
    }),
    ("68", "purchase of goods", |records| {
        let line = json!({ "variantId": records.id("variant"), "quantity": "1", "unitCost": "450" });
        records.bill(PURCHASES, "INV-2", line)
    }),
    ("69", "owed sale", |records| records.step(&format!("sales/invoices/{}", records.invoice(SALES)), "issue", 1)),
    ("70", "owed purchase", |records| {
        let path = format!("purchases/invoices/{}/recognize", records.invoice(PURCHASES));
        records.shop.post(&path, recognition()).is(200).id()
    }),
    ("71", "sales payment", |records| records.payment(SALES, json!({}))),
    ("72", "purchase payment", |records| records.payment(PURCHASES, json!({}))),
    ("73", "expected sales payment", |records| records.payment(SALES, json!({ "status": "PENDING" }))),
    ("74", "expected purchase payment", |records| records.payment(PURCHASES, json!({ "status": "PENDING" }))),
    ("75", "applied sales payment", |records| records.apply(SALES, "sales payment", "owed sale")),
    ("76", "applied purchase payment", |records| records.apply(PURCHASES, "purchase payment", "owed purchase")),
    ("77", "sales credit", |records| records.credit(SALES)),
    ("78", "purchase credit", |records| records.credit(PURCHASES)),
    ("79", "granted sales credit", |records| records.grant(SALES)),
    ("80", "granted purchase credit", |records| records.grant(PURCHASES)),
    ("81", "sales refund", |records| records.refund(SALES, "sales payment")),
    ("82", "purchase refund", |records| records.refund(PURCHASES, "purchase payment")),
    ("83", "received line", |records| {
        let order = records.id("placed order");
        let line = json!({ "orderItemId": records.id("line of an order"), "quantity": "4" });
        let body = json!({ "expectedVersion": 2, "reason": WHY, "items": [line] });
        records.receive(&order, body)
    }),
    ("84", "received order", |records| {
        records.id("received line");
        records.id("placed order")
    }),
    ("85", "supplier return", |records| {
        let line = json!({ "receiptItemId": records.id("received line"), "quantity": "1" });
        let body = json!({
            "number": "RET-1", "legalEntityId": records.shop.entity(), "partyId": records.id("supplier"),
            "warehouseId": records.shop.main(), "reason": WHY, "lines": [line],
        });
        records.post("purchases/returns", body)
    }),
    ("86", "delivery", Records::insert_delivery),
    ("87", "product without variants", |records| records.post("catalog/products", product("Draft"))),
    // No example names it: it has no id.
    ("99", "closed month", |records| {
        let path = format!("ledger/legal-entities/{}/periods/2020-01/close", records.id("books"));
        records.shop.post(&path, json!({ "expectedVersion": 1 })).is(200).text("month")
    }),
];

impl Records {
    pub fn new(shop: Company) -> Records {
        Records { shop, made: RefCell::default() }
    }

    /// Makes what an operation needs in addition to the records that its example names.
    pub fn prepare(&self, operation: &str) {
        for (_, name) in NEEDS.iter().filter(|(needing, _)| *needing == operation) {
            self.id(name);
        }
    }

    /// The same value with the ids of real records in the place of those that examples name.
    pub fn insert_ids(&self, value: &Json) -> Json {
        match value {
            Json::String(text) => match text.strip_prefix(PREFIX) {
                Some(digits) => self.id_of(|(known, _, _)| *known == digits).into(),
                None => value.clone(),
            },
            Json::Array(items) => items.iter().map(|item| self.insert_ids(item)).collect(),
            Json::Object(members) => {
                members.iter().map(|(name, value)| (name.clone(), self.insert_ids(value))).collect::<Map<_, _>>().into()
            }
            other => other.clone(),
        }
    }

    fn id(&self, name: &str) -> String {
        self.id_of(|(_, known, _)| *known == name)
    }

    fn id_of(&self, is_meant: impl Fn(&Known) -> bool) -> String {
        let (_, name, make) = KNOWN.iter().find(|known| is_meant(known)).expect("a record that KNOWN lists");
        if let Some(id) = self.made.borrow().get(*name) {
            return id.clone();
        }
        let id = make(self);
        self.made.borrow_mut().insert(*name, id.clone());
        id
    }

    fn post(&self, path: &str, body: Json) -> String {
        self.shop.post(path, body).is(201).id()
    }

    /// A text of a record, by its pointer.
    fn read(&self, path: &str, name: &str, pointer: &str) -> String {
        let record = self.shop.get(&format!("{path}/{}", self.id(name))).is(200);
        record
            .body
            .pointer(pointer)
            .and_then(Json::as_str)
            .unwrap_or_else(|| panic!("no {pointer}: {record}"))
            .to_string()
    }

    /// The next state of a document: its id.
    fn step(&self, document: &str, verb: &str, version: i64) -> String {
        self.shop.post(&format!("{document}/{verb}"), json!({ "expectedVersion": version })).is(200).id()
    }

    fn lookup(&self, kind: &str, code: &str) -> String {
        self.post(&format!("catalog/lookups/{kind}"), json!({ "code": code, "name": code }))
    }

    fn price(&self, variant: &str, amount: &str) -> String {
        let path = format!("pricing/price-lists/{}/prices", self.id("price list"));
        self.post(&path, price(variant, amount, None, None))
    }

    /// Two pieces of the variant, which has a price.
    fn pieces(&self) -> Json {
        self.id("price");
        json!([{ "variantId": self.id("variant"), "quantity": "2" }])
    }

    fn offer(&self, items: Json) -> Json {
        json!({
            "legalEntityId": self.shop.entity(), "warehouseId": self.shop.main(), "customerId": self.id("customer"),
            "priceListId": self.id("price list"), "items": items,
        })
    }

    fn sale(&self, items: Json) -> String {
        self.post("sales/orders", self.offer(items))
    }

    fn quotation(&self) -> String {
        self.post("sales/quotations", self.offer(self.pieces()))
    }

    /// A draft of ten pieces.
    fn purchase(&self, kind: &str, members: Json) -> String {
        let line = json!({ "variantId": self.id("variant"), "quantity": "10", "unitCost": "450" });
        let body = json!({
            "legalEntityId": self.shop.entity(), "warehouseId": self.shop.main(), "supplierId": self.id("supplier"),
            "currencyCode": "EUR", "items": [line],
        });
        self.post(&format!("purchases/{kind}"), with(&body, members))
    }

    fn place(&self, kind: &str) -> String {
        self.step(&format!("purchases/orders/{}", self.purchase(kind, json!({}))), "approve", 1)
    }

    fn version(&self, order: &str) -> Json {
        self.shop.get(&format!("purchases/orders/{order}")).is(200)["version"].clone()
    }

    /// A write of the import order at its present version.
    fn change_import(&self, path: &str, members: Json) -> Answer {
        let order = self.id("placed import order");
        let body = with(&members, json!({ "expectedVersion": self.version(&order) }));
        let answer = self.shop.post(&format!("purchases/import-orders/{order}/{path}"), body);
        assert!((200..300).contains(&answer.status), "{answer}");
        answer
    }

    /// A shipment of four pieces.
    fn ship(&self, number: &str) -> Answer {
        let line = json!({ "orderItemId": self.id("line of an import"), "quantity": "4" });
        self.change_import("shipments", json!({ "number": number, "items": [line] }))
    }

    fn unit(&self) -> String {
        self.shop.admit(&self.id("phone"), &self.shop.main(), 1).remove(0)
    }

    /// A draft of five pieces.
    fn transfer(&self) -> String {
        let line = json!({ "variantId": self.id("variant"), "quantity": "5" });
        let (from, to) = (self.shop.main(), self.id("second warehouse"));
        let body = json!({ "fromWarehouseId": from, "toWarehouseId": to, "items": [line] });
        self.post("inventory/transfer-orders", body)
    }

    /// Receives goods of an order: the line of the receipt.
    fn receive(&self, order: &str, body: Json) -> String {
        let receipt = self.post(&format!("purchases/orders/{order}/receipts"), body);
        let receipt = self.shop.get(&format!("purchases/receipts/{receipt}")).is(200);
        receipt["items"][0]["id"].as_str().unwrap_or_else(|| panic!("no line: {receipt}")).to_string()
    }

    /// A delivery of the webhook that has failed: written by hand, because a real one takes its time.
    fn insert_delivery(&self) -> String {
        let (webhook, id) = (self.id("webhook"), Uuid::now_v7().to_string());
        self.lookup("brands", "DELIVERED");
        let event = self.shop.rows("select id from stoa_event where {tenant} order by id desc limit 1")[0][0].clone();
        let (literal, now): (fn(&str) -> String, &str) = match self.shop.host.database() {
            Database::Sqlite => (|id| format!("x'{}'", id.replace('-', "")), "unixepoch() * 1000"),
            Database::Postgres => (|id| format!("'{id}'"), "now()"),
        };
        let [tenant, row, endpoint, event] = [&self.shop.tenant, &id, &webhook, &event].map(|id| literal(id));
        self.shop.change(&format!(
            "insert into stoa_webhook_delivery (tenant_id, id, endpoint_id, event_id, kind, status, created_at)
             values ({tenant}, {row}, {endpoint}, {event}, 'catalog.lookup.created', 'FAILED', {now})"
        ));
        id
    }

    /// An account of the entity that keeps books.
    fn account(&self, code: &str, kind: &str) -> String {
        let books = self.id("books");
        self.post("ledger/accounts", json!({ "legalEntityId": books, "code": code, "name": code, "type": kind }))
    }

    /// A document of finance.
    fn document(&self, (side, party, _): Trade, documents: &str, members: Json) -> String {
        let head = json!({
            "legalEntityId": self.shop.entity(), "partyId": self.id(party), "currencyCode": "EUR",
        });
        self.post(&format!("{side}/{documents}"), with(&head, members))
    }

    fn bill(&self, trade: Trade, number: &str, line: Json) -> String {
        self.document(trade, "invoices", json!({ "number": number, "issuedOn": DAY, "lines": [line] }))
    }

    fn invoice(&self, trade: Trade) -> String {
        self.bill(trade, "INV-1", json!({ "description": "Repair", "quantity": "1", (trade.2): "100" }))
    }

    fn payment(&self, trade: Trade, members: Json) -> String {
        let body = json!({ "number": "PAY-1", "amount": "50", "method": "TRANSFER", "paidOn": DAY });
        self.document(trade, "payments", with(&body, members))
    }

    fn apply(&self, (side, _, _): Trade, payment: &str, invoice: &str) -> String {
        let payment = self.id(payment);
        let part = json!({ "invoiceId": self.id(invoice), "amount": "20" });
        let body = json!({ "expectedVersion": 1, "applications": [part] });
        self.shop.post(&format!("{side}/payments/{payment}/applications"), body).is(201);
        payment
    }

    fn credit(&self, trade: Trade) -> String {
        self.document(trade, "credit-notes", json!({ "number": "CN-1", "amount": "50", "reasonType": "OTHER" }))
    }

    fn grant(&self, trade: Trade) -> String {
        let path = format!("{}/credit-notes/{}/recognize", trade.0, self.credit(trade));
        self.shop.post(&path, recognition()).is(200).id()
    }

    fn refund(&self, (side, _, _): Trade, payment: &str) -> String {
        let path = format!("{side}/payments/{}/refunds", self.id(payment));
        let members = json!({ "number": "REF-1", "amount": "5", "method": "TRANSFER", "refundedOn": DAY });
        self.post(&path, with(&members, json!({ "expectedVersion": 1 })))
    }
}

/// The recognition of a document of a supplier, or of a credit.
fn recognition() -> Json {
    json!({ "expectedVersion": 1, "documentReference": "DOC-1", "recognizedOn": DAY })
}
