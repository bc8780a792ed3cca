//! Records of procurement: suppliers, purchase orders in their states, receipts, and imports with shipments and charges.

use serde_json::{Value as Json, json};
use stoa_tests::Answer;
use stoa_tests::company::{fresh, with};

use super::super::records::Records;
use super::{GoodId, Kind, Part, PutAway};

/// Why a document changes.
const WHY: &str = "tried";
/// A day that nothing depends on.
const DAY: &str = "2026-01-15";
/// Orders of imports name no shipment and no charge of theirs in the generated requests.
const OF_IMPORTS: &str = "only a receipt of an import order names it";

pub const PART: Part = Part {
    kinds: KINDS,
    special: &[
        ("approvePurchaseOrder", "id", "drafted purchase"),
        ("replacePurchaseOrder", "id", "drafted purchase"),
        ("apiReplacePurchaseOrder", "id", "drafted purchase"),
        ("cancelPurchaseOrder", "id", "drafted purchase"),
        ("apiCancelPurchaseOrder", "id", "drafted purchase"),
        ("createGoodsReceipt", "id", "placed purchase"),
        ("apiCreateGoodsReceipt", "id", "placed purchase"),
        ("createGoodsReceipt", "warehouseLocationId", "location"),
        ("apiCreateGoodsReceipt", "warehouseLocationId", "location"),
        ("createGoodsReceipt", "orderItemId", "line of a purchase"),
        ("apiCreateGoodsReceipt", "orderItemId", "line of a purchase"),
        ("replaceImportOrder", "id", "drafted import"),
        ("apiReplaceImportOrder", "id", "drafted import"),
        ("allocateCharge", "receiptItemId", "received line of an import"),
        ("purchases/import-orders/", "orderItemId", "line of an import"),
        ("listGoodsReceipts", "orderId", "received purchase"),
        ("apiListGoodsReceipts", "orderId", "received purchase"),
        ("listOrderReceipts", "id", "received purchase"),
        ("apiListOrderReceipts", "id", "received purchase"),
    ],
    exempt: &[
        ("createGoodsReceipt", "shipmentId", OF_IMPORTS),
        ("apiCreateGoodsReceipt", "shipmentId", OF_IMPORTS),
        ("createGoodsReceipt", "chargeId", OF_IMPORTS),
        ("createGoodsReceipt", "/charges/0/allocations/0/orderItemId", OF_IMPORTS),
        ("apiCreateGoodsReceipt", "/charges/0/allocations/0/orderItemId", OF_IMPORTS),
        ("apiCreateGoodsReceipt", "chargeId", OF_IMPORTS),
    ],
    needs: &[
        ("listSuppliers", "supplier"),
        ("apiListSuppliers", "supplier"),
        ("listPurchaseOrders", "drafted purchase"),
        ("apiListPurchaseOrders", "drafted purchase"),
        ("listIncoming", "placed purchase"),
        ("apiListIncoming", "placed purchase"),
        ("listGoodsReceipts", "goods receipt"),
        ("apiListGoodsReceipts", "goods receipt"),
        ("listOrderReceipts", "goods receipt"),
        ("apiListOrderReceipts", "goods receipt"),
        ("listImportOrders", "import order"),
        ("apiListImportOrders", "import order"),
    ],
    values: &[("occurredOn", DAY)],
    amends: &[
        ("advanceShipment", ship),
        ("apiAdvanceShipment", ship),
        ("createSupplier", bare),
        ("apiCreateSupplier", bare),
        ("createPurchaseOrder", of_goods),
        ("apiCreatePurchaseOrder", of_goods),
        ("replacePurchaseOrder", keep_lines),
        ("apiReplacePurchaseOrder", keep_lines),
        ("createGoodsReceipt", of_one_piece),
        ("apiCreateGoodsReceipt", of_one_piece),
        ("createImportOrder", of_goods),
        ("apiCreateImportOrder", of_goods),
        ("replaceImportOrder", keep_lines),
        ("apiReplaceImportOrder", keep_lines),
    ],
};

fn bare(body: &mut Json, _: GoodId) {
    body.as_object_mut().map(|members| members.remove("profile"));
}

fn of_goods(body: &mut Json, _: GoodId) {
    body["currencyCode"] = "EUR".into();
    body["items"][0]["quantity"] = "1".into();
    body["items"][0]["unitCost"] = "1".into();
}

/// Lines of a replacement have fewer members than the record's.
fn keep_lines(body: &mut Json, good_id: GoodId) {
    body["items"] = json!([{ "variantId": body["items"][0]["variantId"] }]);
    of_goods(body, good_id);
}

/// On from where a shipment begins.
fn ship(body: &mut Json, _: GoodId) {
    body["stage"] = "SHIPPED".into();
}

/// One piece of one line, and nothing of imports.
fn of_one_piece(body: &mut Json, _: GoodId) {
    body["items"][0]["quantity"] = "1".into();
    body["items"][0]["units"] = json!([]);
    for member in ["shipmentId", "charges"] {
        body.as_object_mut().map(|members| members.remove(member));
    }
}

const KINDS: &[Kind] = &[
    Kind {
        name: "supplier",
        collection: "purchases/suppliers",
        names: &["supplierId"],
        make: |records| {
            let word = records.word();
            records.company.post("purchases/suppliers", json!({ "code": word, "name": word }))
        },
        put_away: PutAway::Archive,
    },
    Kind {
        name: "drafted purchase",
        collection: "",
        names: &[],
        make: |records| read(records, &records.company.post("purchases/orders", body(records)).is(201).id()),
        put_away: PutAway::Other(cancel),
    },
    Kind {
        name: "placed purchase",
        collection: "purchases/orders",
        names: &[],
        make: |records| place(records, "orders"),
        put_away: PutAway::Other(cancel),
    },
    Kind {
        name: "received purchase",
        collection: "",
        names: &[],
        make: |records| of_receipt(records, |receipt| json!({ "id": receipt["orderId"] })),
        put_away: PutAway::Never,
    },
    Kind {
        name: "line of a purchase",
        collection: "",
        names: &[],
        make: |records| line_of(records, "placed purchase"),
        put_away: PutAway::Never,
    },
    Kind {
        name: "goods receipt",
        collection: "purchases/receipts",
        names: &["receiptId"],
        make: |records| {
            let order = place(records, "orders");
            receive(records, &order.id(), json!({}))
        },
        put_away: PutAway::Never,
    },
    Kind {
        name: "drafted import",
        collection: "",
        names: &[],
        make: |records| read(records, &records.company.post("purchases/import-orders", body(records)).is(201).id()),
        put_away: PutAway::Other(cancel),
    },
    Kind {
        name: "import order",
        collection: "purchases/import-orders",
        names: &["orderId"],
        make: |records| place(records, "import-orders"),
        put_away: PutAway::Other(cancel),
    },
    Kind {
        name: "line of an import",
        collection: "",
        names: &["orderItemId"],
        make: |records| line_of(records, "import order"),
        put_away: PutAway::Never,
    },
    Kind {
        name: "shipment",
        collection: "purchases/import-orders/{id}/shipments",
        names: &["shipmentId"],
        make: |records| {
            let line = json!({ "orderItemId": records.id_of("line of an import"), "quantity": "1" });
            let members = json!({ "number": records.word(), "items": [line] });
            let made = write_import(records, "shipments", members.clone());
            let body = with(&json!({ "id": made["shipmentId"] }), members);
            Answer { body, ..made }
        },
        put_away: PutAway::Never,
    },
    Kind {
        name: "charge",
        collection: "purchases/import-orders/{id}/charges",
        names: &["chargeId"],
        make: |records| {
            let made = write_import(records, "charges", json!({ "type": "FREIGHT", "amount": "5" }));
            let body = json!({ "id": made["chargeId"] });
            Answer { body, ..made }
        },
        put_away: PutAway::Never,
    },
    Kind {
        name: "received line of an import",
        collection: "",
        names: &["receiptItemId", "purchaseReceiptItemId"],
        make: |records| {
            let line = json!({ "orderItemId": records.id_of("line of an import"), "quantity": "1" });
            let members = json!({ "number": records.word(), "items": [line] });
            let shipment = write_import(records, "shipments", members).text("shipmentId");
            let cleared = json!({ "stage": "CLEARED", "occurredOn": DAY });
            write_import(records, &format!("shipments/{shipment}/advance"), cleared).is(200);
            let order = records.id_of("import order");
            let receipt = receive(records, &order, json!({ "shipmentId": shipment })).id();
            let read = records.company.get(&format!("purchases/receipts/{receipt}")).is(200);
            let body = read["items"][0].clone();
            Answer { body, ..read }
        },
        put_away: PutAway::Never,
    },
];

/// The body of an order of three pieces.
fn body(records: &Records) -> Json {
    let line = json!({ "variantId": records.id_of("variant"), "quantity": "3", "unitCost": "2" });
    json!({
        "legalEntityId": records.id_of("legal entity"),
        "warehouseId": records.id_of("warehouse"),
        "supplierId": records.id_of("supplier"),
        "currencyCode": "EUR",
        "items": [line],
    })
}

/// An approved order.
fn place(records: &Records, kind: &str) -> Answer {
    let order = records.company.post(&format!("purchases/{kind}"), body(records)).is(201);
    let path = format!("purchases/orders/{}/approve", order.id());
    records.company.post(&path, json!({ "expectedVersion": 1 }))
}

fn read(records: &Records, order: &str) -> Answer {
    records.company.get(&format!("purchases/orders/{order}")).is(200)
}

fn line_of(records: &Records, kind: &'static str) -> Answer {
    let order = read(records, &records.id_of(kind));
    let body = order["items"][0].clone();
    Answer { body, ..order }
}

fn receive(records: &Records, order: &str, members: Json) -> Answer {
    let known = read(records, order);
    let line = json!({ "orderItemId": known["items"][0]["id"], "quantity": "1" });
    let body = json!({ "expectedVersion": known["version"], "reason": fresh(WHY), "items": [line] });
    records.company.post(&format!("purchases/orders/{order}/receipts"), with(&body, members)).is(201)
}

fn of_receipt(records: &Records, part: impl Fn(&Json) -> Json) -> Answer {
    let receipt = records.company.get(&format!("purchases/receipts/{}", records.id_of("goods receipt"))).is(200);
    let body = part(&receipt.body);
    Answer { body, ..receipt }
}

/// A write of the import order at its present version.
fn write_import(records: &Records, path: &str, members: Json) -> Answer {
    let order = records.id_of("import order");
    let body = with(&json!({ "expectedVersion": read(records, &order)["version"] }), members);
    records.company.post(&format!("purchases/import-orders/{order}/{path}"), body)
}

/// Cancels what is expected at a warehouse.
pub fn cancel_incoming(records: &Records, warehouse: &str) {
    for status in ["APPROVED", "PARTIALLY_RECEIVED"] {
        let open = [("warehouseId", warehouse), ("status", status)];
        for order in records.company.list("purchases/orders", &open).is(200).ids() {
            cancel(records, &order).is(200);
        }
    }
}

fn cancel(records: &Records, order: &str) -> Answer {
    let version = read(records, order)["version"].clone();
    let path = format!("purchases/orders/{order}/cancel");
    records.company.post(&path, json!({ "expectedVersion": version, "reason": WHY }))
}
