//! Every write that touches goods, once in its life: what it needs made by a person, the write itself by a person or a key.

use serde_json::{Value as Json, json};
use stoa_tests::company::{fresh, price, product, with};
use stoa_tests::goods::{WHY, inbound};
use stoa_tests::purchases::{Buyer, Order, line};
use stoa_tests::{Answer, Company, Machine};

const MEDIUM: &str = "https://media.example.test/a.jpg";

/// A company with a public price list and two warehouses.
pub struct Stage {
    pub shop: Company,
    machine: Machine,
    pub list: String,
    pub main: String,
    other: String,
    buyer: Buyer,
}

/// The caller of the write.
pub struct Side<'a> {
    pub stage: &'a Stage,
    pub key: bool,
}

/// The answer of a write, and the products of the goods that it touched.
pub struct Touch {
    pub answer: Answer,
    pub products: Vec<String>,
}

pub type Act = fn(&Side) -> Touch;

/// Operations as people's side names them; keys' twins are driven by the same line.
pub const ACTS: &[(&str, Act)] = &[
    ("createProduct", |by| {
        let answer = by.send("POST", "catalog/products", product(&fresh("P ")));
        Touch { products: vec![answer.id()], answer }
    }),
    ("replaceProduct", |by| {
        let id = by.stage.shop.product(&fresh("P "));
        let answer = by.send("PUT", &format!("catalog/products/{id}"), product(&fresh("Q ")));
        Touch { answer, products: vec![id] }
    }),
    ("archiveProduct", |by| {
        let (id, _) = by.stage.goods();
        Touch { answer: by.send("POST", &format!("catalog/products/{id}/archive"), json!({})), products: vec![id] }
    }),
    ("deleteProduct", |by| {
        let id = by.stage.shop.product(&fresh("P "));
        Touch { answer: by.stage.shop.delete(&format!("catalog/products/{id}")), products: vec![id] }
    }),
    ("createVariant", |by| {
        let id = by.stage.shop.product(&fresh("P "));
        let answer = by.send("POST", &format!("catalog/products/{id}/variants"), json!({ "sku": fresh("S") }));
        Touch { answer, products: vec![id] }
    }),
    ("replaceVariant", |by| {
        let sku = fresh("S");
        let (product, variant) = by.stage.shop.article(&sku);
        let body = json!({ "sku": sku, "color": "Red" });
        Touch { answer: by.send("PUT", &format!("catalog/variants/{variant}"), body), products: vec![product] }
    }),
    ("archiveVariant", |by| {
        let (product, variant) = by.stage.goods();
        let answer = by.send("POST", &format!("catalog/variants/{variant}/archive"), json!({}));
        Touch { answer, products: vec![product] }
    }),
    ("createMedia", |by| {
        let id = by.stage.shop.product(&fresh("P "));
        let answer = by.send("POST", &format!("catalog/products/{id}/media"), json!({ "url": MEDIUM }));
        Touch { answer, products: vec![id] }
    }),
    ("replaceMedia", |by| {
        let (product, medium) = by.stage.medium();
        let body = json!({ "url": MEDIUM, "altText": "Front" });
        Touch { answer: by.send("PUT", &format!("catalog/media/{medium}"), body), products: vec![product] }
    }),
    ("archiveMedia", |by| {
        let (product, medium) = by.stage.medium();
        let answer = by.send("POST", &format!("catalog/media/{medium}/archive"), json!({}));
        Touch { answer, products: vec![product] }
    }),
    ("importProducts", |by| {
        let body = json!({ "products": [product(&fresh("P ")), product(&fresh("P "))] });
        let answer = by.send("POST", "catalog/imports", body);
        Touch { products: answer.ids(), answer }
    }),
    ("createPrice", |by| {
        let (product, variant) = by.stage.goods();
        let answer = by.send("POST", &by.stage.prices(), price(&variant, "9.99", None, None));
        Touch { answer, products: vec![product] }
    }),
    ("replacePrice", |by| {
        let (product, variant, path) = by.stage.price();
        Touch { answer: by.send("PUT", &path, price(&variant, "8.99", None, None)), products: vec![product] }
    }),
    ("archivePrice", |by| {
        let (product, _, path) = by.stage.price();
        Touch { answer: by.send("POST", &format!("{path}/archive"), json!({})), products: vec![product] }
    }),
    ("schedulePrices", |by| {
        let ((one, first), (two, second)) = (by.stage.goods(), by.stage.goods());
        let prices = [first, second].map(|variant| price(&variant, "9.99", None, None));
        let answer = by.send("POST", &format!("{}/batch", by.stage.prices()), json!({ "prices": prices }));
        Touch { answer, products: vec![one, two] }
    }),
    ("createAdjustment", |by| {
        let (product, variant) = by.stage.goods();
        let answer = by.send("POST", "inventory/adjustments", inbound(&variant, &by.stage.main, "1", None));
        Touch { answer, products: vec![product] }
    }),
    ("createAdjustments", |by| {
        let ((one, first), (two, second)) = (by.stage.goods(), by.stage.goods());
        let adjustments = [first, second].map(|variant| inbound(&variant, &by.stage.main, "1", None));
        let answer = by.send("POST", "inventory/adjustments/batch", json!({ "adjustments": adjustments }));
        Touch { answer, products: vec![one, two] }
    }),
    ("createTransfer", |by| {
        let (product, variant) = by.stage.goods();
        let body = json!({
            "variantId": variant, "quantity": "1", "fromWarehouseId": by.stage.main, "toWarehouseId": by.stage.other,
            "reason": WHY,
        });
        Touch { answer: by.send("POST", "inventory/transfers", body), products: vec![product] }
    }),
    ("createReservation", |by| {
        let (product, variant) = by.stage.goods();
        let body = json!({ "variantId": variant, "warehouseId": by.stage.main, "quantity": "1", "reason": WHY });
        Touch { answer: by.send("POST", "inventory/reservations", body), products: vec![product] }
    }),
    ("releaseReservation", |by| {
        let (product, variant) = by.stage.goods();
        let held = by.stage.shop.reserve(&variant, &by.stage.main, "1").is(201).id();
        let answer = by.send("POST", &format!("inventory/reservations/{held}/release"), json!({ "reason": WHY }));
        Touch { answer, products: vec![product] }
    }),
    ("admitUnits", |by| {
        let variant = by.stage.shop.phone();
        let body = json!({
            "variantId": variant, "warehouseId": by.stage.main, "reason": WHY,
            "units": [{ "serialNumber": fresh("SN-") }],
        });
        let answer = by.send("POST", "inventory/units", body);
        Touch { answer, products: vec![by.stage.product_of(&variant)] }
    }),
    ("moveUnit", |by| {
        let (product, path) = by.stage.phone();
        let body = json!({ "movementType": "DAMAGE", "expectedVersion": 1, "reason": WHY });
        Touch { answer: by.send("POST", &format!("{path}/movements"), body), products: vec![product] }
    }),
    ("reserveUnit", |by| {
        let (product, path) = by.stage.phone();
        let body = json!({ "expectedVersion": 1, "reason": WHY });
        Touch { answer: by.send("POST", &format!("{path}/reservations"), body), products: vec![product] }
    }),
    ("releaseReservation", |by| {
        // Keys have no access to units: theirs is of a quantity once more.
        if by.key {
            let (product, variant) = by.stage.goods();
            let held = by.stage.shop.reserve(&variant, &by.stage.main, "1").is(201).id();
            let answer = by.send("POST", &format!("inventory/reservations/{held}/release"), json!({ "reason": WHY }));
            return Touch { answer, products: vec![product] };
        }
        let (product, path) = by.stage.phone();
        let body = json!({ "expectedVersion": 1, "reason": WHY });
        let held = by.stage.shop.post(&format!("{path}/reservations"), body).is(201).id();
        let answer = by.send("POST", &format!("inventory/reservations/{held}/release"), json!({ "reason": WHY }));
        Touch { answer, products: vec![product] }
    }),
    ("regradeUnit", |by| {
        let (product, path) = by.stage.phone();
        let body = json!({ "expectedVersion": 1, "condition": "NEW", "grade": "B", "reason": WHY });
        Touch { answer: by.send("POST", &format!("{path}/regrade"), body), products: vec![product] }
    }),
    ("readmitUnit", |by| {
        let (product, path) = by.stage.phone();
        let body = json!({ "movementType": "DAMAGE", "expectedVersion": 1, "reason": WHY });
        by.stage.shop.post(&format!("{path}/movements"), body).is(201);
        let body = json!({ "expectedVersion": 2, "reason": WHY });
        Touch { answer: by.send("POST", &format!("{path}/readmissions"), body), products: vec![product] }
    }),
    ("createTransferOrder", |by| {
        let ((one, first), (two, second)) = (by.stage.goods(), by.stage.goods());
        let body = by.stage.order(&[first, second]);
        Touch { answer: by.send("POST", "inventory/transfer-orders", body), products: vec![one, two] }
    }),
    // A line that goes is touched like one that comes.
    ("replaceTransferOrder", |by| {
        let ((one, first), (two, second)) = (by.stage.goods(), by.stage.goods());
        let (path, _) = by.stage.draft(&[first]);
        let body = with(&by.stage.order(&[second]), json!({ "expectedVersion": 1 }));
        Touch { answer: by.send("PUT", &path, body), products: vec![one, two] }
    }),
    ("approveTransferOrder", |by| {
        let ((one, first), (two, second)) = (by.stage.goods(), by.stage.goods());
        let (path, _) = by.stage.draft(&[first, second]);
        let answer = by.send("POST", &format!("{path}/approve"), json!({ "expectedVersion": 1 }));
        Touch { answer, products: vec![one, two] }
    }),
    ("shipTransferOrder", |by| {
        let ((one, first), (two, second)) = (by.stage.goods(), by.stage.goods());
        let (path, _) = by.stage.draft(&[first, second]);
        let answer = by.send("POST", &format!("{path}/ship"), json!({ "expectedVersion": 1 }));
        Touch { answer, products: vec![one, two] }
    }),
    ("receiveTransferOrder", |by| {
        let (product, variant) = by.stage.goods();
        let (path, line) = by.stage.draft(&[variant]);
        by.stage.shop.post(&format!("{path}/ship"), json!({ "expectedVersion": 1 })).is(200);
        let body = json!({ "expectedVersion": 2, "items": [{ "itemId": line, "quantity": "1" }] });
        Touch { answer: by.send("POST", &format!("{path}/receive"), body), products: vec![product] }
    }),
    ("cancelTransferOrder", |by| {
        let ((one, first), (two, second)) = (by.stage.goods(), by.stage.goods());
        let (path, _) = by.stage.draft(&[first, second]);
        let body = json!({ "expectedVersion": 1, "reason": WHY });
        Touch { answer: by.send("POST", &format!("{path}/cancel"), body), products: vec![one, two] }
    }),
    ("recordStockCount", |by| {
        let ((one, first), (two, second)) = (by.stage.goods(), by.stage.goods());
        let path = by.stage.count();
        let answer = by.send("POST", &format!("{path}/lines"), lines_of(&[first, second]));
        Touch { answer, products: vec![one, two] }
    }),
    ("postStockCount", |by| {
        let ((one, first), (two, second)) = (by.stage.goods(), by.stage.goods());
        let path = by.stage.count();
        by.stage.shop.post(&format!("{path}/lines"), lines_of(&[first, second])).is(200);
        let body = json!({ "expectedVersion": 2, "reason": WHY });
        Touch { answer: by.send("POST", &format!("{path}/post"), body), products: vec![one, two] }
    }),
    ("cancelStockCount", |by| {
        let ((one, first), (two, second)) = (by.stage.goods(), by.stage.goods());
        let path = by.stage.count();
        by.stage.shop.post(&format!("{path}/lines"), lines_of(&[first, second])).is(200);
        let answer = by.send("POST", &format!("{path}/cancel"), json!({ "expectedVersion": 2 }));
        Touch { answer, products: vec![one, two] }
    }),
    ("createPurchaseOrder", |by| {
        let ((one, first), (two, second)) = (by.stage.goods(), by.stage.goods());
        let answer = by.send("POST", "purchases/orders", by.stage.purchase(&[first, second]));
        Touch { answer, products: vec![one, two] }
    }),
    ("replacePurchaseOrder", |by| {
        let ((one, first), (two, second)) = (by.stage.goods(), by.stage.goods());
        let order = by.stage.buyer.draft(json!([line(&first, "1", "2")]));
        let body =
            with(&by.stage.purchase(&[second]), json!({ "number": order.read()["number"], "expectedVersion": 1 }));
        Touch { answer: by.send("PUT", &order.path(), body), products: vec![one, two] }
    }),
    ("approvePurchaseOrder", |by| {
        let ((one, first), (two, second)) = (by.stage.goods(), by.stage.goods());
        let order = by.stage.buyer.draft(json!([line(&first, "1", "2"), line(&second, "1", "2")]));
        let answer = by.send("POST", &format!("{}/approve", order.path()), json!({ "expectedVersion": 1 }));
        Touch { answer, products: vec![one, two] }
    }),
    // A key can give up only drafts.
    ("cancelPurchaseOrder", |by| {
        let ((one, first), (two, second)) = (by.stage.goods(), by.stage.goods());
        let order = by.stage.buyer.draft(json!([line(&first, "1", "2"), line(&second, "1", "2")]));
        let body = json!({ "expectedVersion": 1, "reason": WHY });
        Touch { answer: by.send("POST", &format!("{}/cancel", order.path()), body), products: vec![one, two] }
    }),
    ("createGoodsReceipt", |by| {
        let ((one, first), (two, second), (_, left)) = (by.stage.goods(), by.stage.goods(), by.stage.goods());
        let order =
            by.stage.buyer.place(json!([line(&first, "1", "2"), line(&second, "1", "2"), line(&left, "1", "2")]));
        let body = order.receipt_body(json!([order.goods(0, "1"), order.goods(1, "1")]));
        let answer = by.send("POST", &format!("{}/receipts", order.path()), body);
        Touch { answer, products: vec![one, two] }
    }),
    ("createImportOrder", |by| {
        let ((one, first), (two, second)) = (by.stage.goods(), by.stage.goods());
        let answer = by.send("POST", "purchases/import-orders", by.stage.purchase(&[first, second]));
        Touch { answer, products: vec![one, two] }
    }),
    ("replaceImportOrder", |by| {
        let ((one, first), (two, second)) = (by.stage.goods(), by.stage.goods());
        let drafted = by.stage.shop.post("purchases/import-orders", by.stage.purchase(&[first])).is(201).id();
        let order = by.stage.buyer.order(&drafted);
        let body =
            with(&by.stage.purchase(&[second]), json!({ "number": order.read()["number"], "expectedVersion": 1 }));
        Touch { answer: by.send("PUT", &order.import_path(), body), products: vec![one, two] }
    }),
    ("addShipment", |by| {
        let (products, order) = by.stage.import();
        let body =
            json!({ "expectedVersion": 2, "number": "S-1", "items": [order.goods(0, "1"), order.goods(1, "1")] });
        Touch { answer: by.send("POST", &format!("{}/shipments", order.import_path()), body), products }
    }),
    ("replaceShipment", |by| {
        let (products, order) = by.stage.import();
        let shipment = order.ship(&[(0, "1")]);
        let number = order.read_import()["shipments"][0]["number"].clone();
        let body = json!({ "expectedVersion": 3, "number": number, "items": [order.goods(1, "1")] });
        Touch { answer: by.send("PUT", &format!("{}/shipments/{shipment}", order.import_path()), body), products }
    }),
    ("advanceShipment", |by| {
        let (products, order) = by.stage.import();
        let shipment = order.ship(&[(0, "1"), (1, "1")]);
        let body = json!({ "expectedVersion": 3, "stage": "SHIPPED", "occurredOn": "2026-01-15" });
        Touch {
            answer: by.send("POST", &format!("{}/shipments/{shipment}/advance", order.import_path()), body),
            products,
        }
    }),
    ("allocateCharge", |by| {
        let (products, order) = by.stage.import();
        let shipment = order.clear(&[(0, "1"), (1, "1")]);
        let items = json!([order.goods(0, "1"), order.goods(1, "1")]);
        let receipt = order.receive_with(items, json!({ "shipmentId": shipment })).is(201).id();
        let items = by.stage.buyer.receipt(&receipt)["items"].clone();
        let allocations: Vec<Json> = items
            .as_array()
            .into_iter()
            .flatten()
            .map(|item| json!({ "receiptItemId": item["id"], "amount": "1" }))
            .collect();
        let charge = order.charge("5");
        let body = json!({ "expectedVersion": order.version(), "allocations": allocations });
        let path = format!("{}/charges/{charge}/allocations", order.import_path());
        Touch { answer: by.send("POST", &path, body), products }
    }),
];

/// Lines of a count that found nine pieces of each variant.
fn lines_of(variants: &[String]) -> Json {
    let line = |variant: &String| json!({ "variantId": variant, "countedQuantity": "9" });
    json!({ "expectedVersion": 1, "lines": variants.iter().map(line).collect::<Vec<_>>() })
}

impl Side<'_> {
    #[track_caller]
    pub fn send(&self, method: &str, path: &str, body: Json) -> Answer {
        let request = match self.key {
            true => self.stage.machine.request(method, path),
            false => self.stage.shop.request(method, path),
        };
        request.json(&body).send()
    }
}

impl Stage {
    pub fn new(shop: Company) -> Stage {
        shop.entitle();
        let scopes = [
            "catalog.read",
            "catalog.write",
            "pricing.read",
            "pricing.write",
            "inventory.read",
            "inventory.write",
            "purchases.read",
            "purchases.write",
            "sales.write",
        ];
        let machine = shop.machine_of(json!({ "scopes": scopes, "requestsPerMinute": 6000 }));
        let (list, main, other) = (shop.price_list(&fresh("L")), shop.main(), shop.warehouse("PHYSICAL"));
        Stage { buyer: Buyer::from_shop(shop.clone()), shop, machine, list, main, other }
    }

    #[track_caller]
    pub fn product_of(&self, variant: &str) -> String {
        self.shop.get(&format!("catalog/variants/{variant}")).is(200).text("productId")
    }

    /// A fresh product and its one variant, of which ten pieces are in the main warehouse.
    #[track_caller]
    pub fn goods(&self) -> (String, String) {
        let variant = self.shop.good(json!({ "trackInventory": true }));
        self.shop.stock_up(&self.main, &variant, "10");
        (self.product_of(&variant), variant)
    }

    /// A fresh product, and its medium.
    fn medium(&self) -> (String, String) {
        let product = self.shop.product(&fresh("P "));
        let medium = self.shop.post(&format!("catalog/products/{product}/media"), json!({ "url": MEDIUM })).is(201);
        (product, medium.id())
    }

    fn prices(&self) -> String {
        format!("pricing/price-lists/{}/prices", self.list)
    }

    /// A fresh product with its variant, and the path of its price.
    fn price(&self) -> (String, String, String) {
        let (product, variant) = self.goods();
        let price = self.shop.price(&self.list, &variant, None, None).is(201).id();
        (product, variant, format!("{}/{price}", self.prices()))
    }

    /// A fresh serialized product, and the path of its unit.
    fn phone(&self) -> (String, String) {
        let variant = self.shop.phone();
        let unit = self.shop.admit(&variant, &self.main, 1).remove(0);
        (self.product_of(&variant), format!("inventory/units/{unit}"))
    }

    /// The body of an order of one piece of each variant.
    fn order(&self, variants: &[String]) -> Json {
        let line = |variant: &String| json!({ "variantId": variant, "quantity": "1" });
        let items: Vec<Json> = variants.iter().map(line).collect();
        json!({ "fromWarehouseId": self.main, "toWarehouseId": self.other, "items": items })
    }

    /// The body of a purchase of one piece of each variant.
    fn purchase(&self, variants: &[String]) -> Json {
        self.buyer.body(variants.iter().map(|variant| line(variant, "1", "2")).collect())
    }

    /// An approved import of one piece of two products.
    fn import(&self) -> (Vec<String>, Order) {
        let ((one, first), (two, second)) = (self.goods(), self.goods());
        (vec![one, two], self.buyer.place_import(json!([line(&first, "1", "2"), line(&second, "1", "2")])))
    }

    /// The path of a drafted order, and its first line.
    fn draft(&self, variants: &[String]) -> (String, String) {
        let order = self.shop.post("inventory/transfer-orders", self.order(variants)).is(201).id();
        let path = format!("inventory/transfer-orders/{order}");
        let line = self.shop.get(&path).is(200)["items"][0]["id"].as_str().map(String::from);
        (path, line.expect("a line"))
    }

    /// The path of an open count of the main warehouse.
    fn count(&self) -> String {
        let count = self.shop.post("inventory/counts", json!({ "warehouseId": self.main })).is(201).id();
        format!("inventory/counts/{count}")
    }
}
