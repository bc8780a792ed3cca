//! Short words for what tests do with suppliers, purchase orders and goods receipts.

use serde_json::{Value as Json, json};

use crate::company::{fresh, with};
use crate::goods::{WHY, bookkeeping};
use crate::{Answer, Company, Database, company};

/// A company that buys from one supplier for its main warehouse.
#[derive(Clone)]
pub struct Buyer {
    pub shop: Company,
    pub main: String,
    pub supplier: String,
}

/// A purchase order as its buyer sees it.
#[derive(Clone)]
pub struct Order {
    pub buyer: Buyer,
    pub id: String,
}

impl Company {
    /// A supplier with a code of its own: its id.
    #[track_caller]
    pub fn new_supplier(&self) -> String {
        let code = fresh("SUP-");
        self.post("purchases/suppliers", json!({ "code": code, "name": code })).is(201).id()
    }

    /// The variant of a service.
    #[track_caller]
    pub fn service(&self) -> String {
        self.good(json!({ "productType": "SERVICE" }))
    }

    /// The variant of a good without stock.
    #[track_caller]
    pub fn good_without_stock(&self) -> String {
        self.good(json!({}))
    }

    /// Events of these kinds in the order of writing: kind, resource, version and data.
    pub fn events_like(&self, pattern: &str) -> Vec<(String, String, Json)> {
        let query = format!(
            "select kind, resource_id, data from stoa_event where {{tenant}} and kind like '{pattern}' order by id"
        );
        let data = |text: &str| serde_json::from_str(text).unwrap_or(Json::Null);
        self.rows(&query).into_iter().map(|row| (row[0].clone(), row[1].clone(), data(&row[2]))).collect()
    }
}

/// A line of an order.
pub fn line(variant: &str, quantity: &str, unit_cost: &str) -> Json {
    json!({ "variantId": variant, "quantity": quantity, "unitCost": unit_cost })
}

/// Units with these serial numbers, in the condition of their variant.
pub fn serials<T: AsRef<str>>(numbers: &[T]) -> Json {
    numbers.iter().map(|number| json!({ "serialNumber": number.as_ref() })).collect()
}

/// That many serial numbers that no other test uses.
pub fn fresh_serials(count: usize) -> Vec<String> {
    (0..count).map(|_| fresh("BUY-")).collect()
}

impl Buyer {
    /// In a company without books.
    pub fn new(database: Database) -> Buyer {
        Buyer::from_shop(company(database))
    }

    /// In a company that keeps books in euro.
    pub fn with_books(database: Database) -> Buyer {
        Buyer::from_shop(bookkeeping(database))
    }

    #[track_caller]
    pub fn from_shop(shop: Company) -> Buyer {
        let (main, supplier) = (shop.main(), shop.new_supplier());
        Buyer { shop, main, supplier }
    }

    /// The same buyer's documents in the eyes of another of its people.
    pub fn as_person(&self, shop: &Company) -> Buyer {
        Buyer { shop: shop.clone(), ..self.clone() }
    }

    /// The body of an order in euro.
    pub fn body(&self, items: Json) -> Json {
        json!({
            "legalEntityId": self.shop.entity(), "warehouseId": self.main, "supplierId": self.supplier,
            "currencyCode": "EUR", "items": items,
        })
    }

    #[track_caller]
    pub fn try_draft(&self, items: Json, members: Json) -> Answer {
        self.shop.post("purchases/orders", with(&self.body(items), members))
    }

    /// A draft of these lines.
    #[track_caller]
    pub fn draft(&self, items: Json) -> Order {
        self.order(&self.try_draft(items, json!({})).is(201).id())
    }

    /// An approved order of these lines.
    #[track_caller]
    pub fn place(&self, items: Json) -> Order {
        let order = self.draft(items);
        order.approve().is(200);
        order
    }

    /// An approved import order of these lines.
    #[track_caller]
    pub fn place_import(&self, items: Json) -> Order {
        let order = self.order(&self.shop.post("purchases/import-orders", self.body(items)).is(201).id());
        order.approve().is(200);
        order
    }

    pub fn order(&self, id: &str) -> Order {
        Order { buyer: self.clone(), id: id.to_string() }
    }

    /// Orders and receives these goods, one line of one article: the receipt's item.
    #[track_caller]
    pub fn stock(&self, variant: &str, quantity: &str, unit_cost: &str) -> String {
        let order = self.place(json!([line(variant, quantity, unit_cost)]));
        let receipt = order.receive(json!([order.goods(0, quantity)])).is(201).id();
        self.receipt(&receipt)["items"][0]["id"].as_str().expect("a receipt's item").to_string()
    }

    #[track_caller]
    pub fn receipt(&self, id: &str) -> Answer {
        self.shop.get(&format!("purchases/receipts/{id}")).is(200)
    }
}

impl Order {
    pub fn path(&self) -> String {
        format!("purchases/orders/{}", self.id)
    }

    pub fn import_path(&self) -> String {
        format!("purchases/import-orders/{}", self.id)
    }

    #[track_caller]
    pub fn read(&self) -> Answer {
        self.buyer.shop.get(&self.path()).is(200)
    }

    #[track_caller]
    pub fn read_import(&self) -> Answer {
        self.buyer.shop.get(&self.import_path()).is(200)
    }

    #[track_caller]
    pub fn version(&self) -> Json {
        self.read()["version"].clone()
    }

    #[track_caller]
    pub fn status(&self) -> String {
        self.read().text("status")
    }

    /// The line at this place.
    #[track_caller]
    pub fn item(&self, index: usize) -> Json {
        self.read()["items"][index].clone()
    }

    #[track_caller]
    pub fn item_id(&self, index: usize) -> String {
        self.item(index)["id"].as_str().expect("a line of the order").to_string()
    }

    /// Replaces the draft at its present version by these lines and members.
    #[track_caller]
    pub fn replace(&self, items: Json, members: Json) -> Answer {
        let read = self.read();
        let fixed = json!({ "number": read["number"], "expectedVersion": read["version"] });
        self.buyer.shop.put(&self.path(), with(&with(&self.buyer.body(items), fixed), members))
    }

    #[track_caller]
    pub fn approve(&self) -> Answer {
        self.approve_at(self.version())
    }

    #[track_caller]
    pub fn approve_at(&self, version: Json) -> Answer {
        self.buyer.shop.post(&format!("{}/approve", self.path()), json!({ "expectedVersion": version }))
    }

    #[track_caller]
    pub fn cancel(&self) -> Answer {
        let body = json!({ "expectedVersion": self.version(), "reason": WHY });
        self.buyer.shop.post(&format!("{}/cancel", self.path()), body)
    }

    /// A receipt's line of a quantity.
    #[track_caller]
    pub fn goods(&self, index: usize, quantity: &str) -> Json {
        json!({ "orderItemId": self.item_id(index), "quantity": quantity })
    }

    /// A receipt's line of units.
    #[track_caller]
    pub fn units(&self, index: usize, units: Json) -> Json {
        let count = units.as_array().map_or(0, Vec::len);
        json!({ "orderItemId": self.item_id(index), "quantity": count.to_string(), "units": units })
    }

    /// The body of a receipt of these lines at the present version.
    #[track_caller]
    pub fn receipt_body(&self, items: Json) -> Json {
        json!({ "expectedVersion": self.version(), "reason": WHY, "items": items })
    }

    #[track_caller]
    pub fn receive(&self, items: Json) -> Answer {
        self.receive_with(items, json!({}))
    }

    #[track_caller]
    pub fn receive_with(&self, items: Json, members: Json) -> Answer {
        self.post_receipt(with(&self.receipt_body(items), members))
    }

    #[track_caller]
    pub fn post_receipt(&self, body: Json) -> Answer {
        self.buyer.shop.post(&format!("{}/receipts", self.path()), body)
    }

    /// A write of an import order at its present version.
    #[track_caller]
    pub fn import_post(&self, path: &str, members: Json) -> Answer {
        let body = with(&json!({ "expectedVersion": self.version() }), members);
        self.buyer.shop.post(&format!("{}/{path}", self.import_path()), body)
    }

    #[track_caller]
    pub fn import_put(&self, path: &str, members: Json) -> Answer {
        let body = with(&json!({ "expectedVersion": self.version() }), members);
        self.buyer.shop.put(&format!("{}/{path}", self.import_path()), body)
    }

    /// Adds a shipment of quantities by line: its id.
    #[track_caller]
    pub fn ship(&self, quantities: &[(usize, &str)]) -> String {
        self.try_ship(quantities).is(201).text("shipmentId")
    }

    #[track_caller]
    pub fn try_ship(&self, quantities: &[(usize, &str)]) -> Answer {
        let items: Vec<Json> = quantities.iter().map(|(index, quantity)| self.goods(*index, quantity)).collect();
        self.import_post("shipments", json!({ "number": fresh("SHIP-"), "items": items }))
    }

    #[track_caller]
    pub fn advance(&self, shipment: &str, stage: &str) -> Answer {
        self.import_post(
            &format!("shipments/{shipment}/advance"),
            json!({ "stage": stage, "occurredOn": "2026-01-15" }),
        )
    }

    /// Adds a shipment that has cleared customs: its id.
    #[track_caller]
    pub fn clear(&self, quantities: &[(usize, &str)]) -> String {
        let shipment = self.ship(quantities);
        self.advance(&shipment, "CLEARED").is(200);
        shipment
    }

    /// Adds a charge: its id.
    #[track_caller]
    pub fn charge(&self, amount: &str) -> String {
        self.try_charge(json!({ "type": "FREIGHT", "amount": amount })).is(201).text("chargeId")
    }

    #[track_caller]
    pub fn try_charge(&self, members: Json) -> Answer {
        self.import_post("charges", members)
    }

    /// States amounts of a charge on items of receipts.
    #[track_caller]
    pub fn allocate(&self, charge: &str, parts: &[(&str, &str)]) -> Answer {
        let allocations: Vec<Json> =
            parts.iter().map(|(item, amount)| json!({ "receiptItemId": item, "amount": amount })).collect();
        self.import_post(&format!("charges/{charge}/allocations"), json!({ "allocations": allocations }))
    }
}
