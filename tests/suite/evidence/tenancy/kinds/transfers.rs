//! Documents of inventory: transfer orders in their states, their lines and units, and stock counts.

use serde_json::{Value as Json, json};
use stoa_tests::Answer;

use super::super::records::Records;
use super::{GoodId, Kind, Part, PutAway, units};

/// Why a document comes to its end.
const WHY: &str = "tried";
/// The reason that keys are rejected for before anything is looked up.
const NO_UNITS: &str = "an API client names no units";

pub const PART: Part = Part {
    kinds: KINDS,
    special: &[
        ("listMovements", "documentId", "shipped order"),
        ("apiListMovements", "documentId", "shipped order"),
        ("listReservations", "documentId", "approved order"),
        ("apiListReservations", "documentId", "approved order"),
        ("receiveTransferOrder", "id", "shipped order"),
        ("apiReceiveTransferOrder", "id", "shipped order"),
        ("receiveTransferOrder", "unitId", "travelling unit"),
        ("receiveTransferOrder", "lostUnitId", "travelling unit"),
        ("receiveTransferOrder", "returnedUnitId", "travelling unit"),
        ("postStockCount", "id", "recorded count"),
    ],
    exempt: &[
        ("apiCreateTransferOrder", "unitId", NO_UNITS),
        ("apiReplaceTransferOrder", "unitId", NO_UNITS),
        ("apiReceiveTransferOrder", "unitId", NO_UNITS),
        ("apiReceiveTransferOrder", "lostUnitId", NO_UNITS),
        ("apiReceiveTransferOrder", "returnedUnitId", NO_UNITS),
    ],
    needs: &[
        ("listTransferOrders", "transfer order"),
        ("apiListTransferOrders", "transfer order"),
        ("listStockCounts", "stock count"),
    ],
    values: &[],
    amends: &[
        ("createTransferOrder", of_units),
        ("replaceTransferOrder", of_units),
        ("receiveTransferOrder", received),
        ("apiReceiveTransferOrder", received),
        ("recordStockCount", counted),
    ],
};

/// Returns whether a list of a line names a unit.
fn names(line: &Json, list: &str) -> bool {
    line[list].as_array().is_some_and(|units| !units.is_empty())
}

/// A line that names units is one of serialized goods.
fn of_units(body: &mut Json, good_id: GoodId) {
    if names(&body["items"][0], "unitIds") {
        body["items"][0]["variantId"] = good_id("serialized variant").into();
    }
    body["items"][0]["quantity"] = "1".into();
}

/// One piece arrives, or the unit that is named has its outcome.
fn received(body: &mut Json, good_id: GoodId) {
    body["reason"] = WHY.into();
    let outcomes = [("unitIds", "quantity"), ("lostUnitIds", "lostQuantity"), ("returnedUnitIds", "returnedQuantity")];
    let line = &mut body["items"][0];
    let named = outcomes.into_iter().find(|(list, _)| names(line, list));
    if named.is_some() {
        line["itemId"] = good_id("line of units").into();
    }
    line["quantity"] = "0".into();
    line[named.map_or("quantity", |(_, quantity)| quantity)] = "1".into();
}

/// A line that names units counts serialized goods.
fn counted(body: &mut Json, good_id: GoodId) {
    if names(&body["lines"][0], "unitIds") {
        body["lines"][0]["variantId"] = good_id("serialized variant").into();
    }
    body["lines"][0]["countedQuantity"] = "1".into();
}

const KINDS: &[Kind] = &[
    Kind {
        name: "transit warehouse",
        collection: "",
        names: &["transitWarehouseId"],
        make: |records| super::inventory::warehouse_of(records, "IN_TRANSIT"),
        put_away: PutAway::Other(super::inventory::put_warehouse_away),
    },
    Kind {
        name: "transfer order",
        collection: "inventory/transfer-orders",
        names: &[],
        make: |records| draft(records, &[]),
        put_away: PutAway::Other(cancel),
    },
    Kind {
        name: "approved order",
        collection: "",
        names: &[],
        make: |records| next(records, &draft(records, &[]), "approve"),
        put_away: PutAway::Never,
    },
    Kind {
        name: "shipped order",
        collection: "",
        names: &[],
        make: |records| {
            let travelling = units::admit(records, 3, &json!({}));
            let ids: Vec<Json> = travelling["all"].as_array().cloned().unwrap_or_default();
            next(records, &draft(records, &ids), "ship")
        },
        put_away: PutAway::Never,
    },
    Kind {
        name: "line of pieces",
        collection: "",
        names: &["itemId"],
        make: |records| of_shipped(records, |order| order["items"][0].clone()),
        put_away: PutAway::Never,
    },
    Kind {
        name: "line of units",
        collection: "",
        names: &[],
        make: |records| of_shipped(records, |order| order["items"][1].clone()),
        put_away: PutAway::Never,
    },
    Kind {
        name: "travelling unit",
        collection: "",
        names: &[],
        make: |records| of_shipped(records, |order| json!({ "id": order["items"][1]["units"][0]["unitId"] })),
        put_away: PutAway::Never,
    },
    Kind {
        name: "stock count",
        collection: "inventory/counts",
        names: &[],
        make: |records| records.company.post("inventory/counts", json!({ "warehouseId": records.id_of("warehouse") })),
        put_away: PutAway::Other(|records, id| {
            records.company.post(&format!("inventory/counts/{id}/cancel"), json!({ "expectedVersion": 1 }))
        }),
    },
    Kind {
        name: "recorded count",
        collection: "",
        names: &[],
        make: |records| {
            records.id_of("movement");
            let body = json!({ "warehouseId": records.id_of("warehouse") });
            let count = records.company.post("inventory/counts", body).is(201);
            let line = json!({ "variantId": records.id_of("variant"), "countedQuantity": "9" });
            let body = json!({ "expectedVersion": 1, "lines": [line] });
            records.company.post(&format!("inventory/counts/{}/lines", count.id()), body)
        },
        put_away: PutAway::Other(|records, id| {
            records.company.post(&format!("inventory/counts/{id}/cancel"), json!({ "expectedVersion": 2 }))
        }),
    },
];

/// A draft of one piece, and of these units.
fn draft(records: &Records, units: &[Json]) -> Answer {
    records.id_of("movement");
    let mut items = vec![json!({ "variantId": records.id_of("variant"), "quantity": "2" })];
    if !units.is_empty() {
        let variant = records.id_of("serialized variant");
        items.push(json!({ "variantId": variant, "quantity": units.len().to_string(), "unitIds": units }));
    }
    let body = json!({
        "fromWarehouseId": records.id_of("warehouse"),
        "toWarehouseId": records.id_of("other warehouse"),
        "transitWarehouseId": records.id_of("transit warehouse"),
        "items": items,
    });
    records.company.post("inventory/transfer-orders", body).is(201)
}

/// The order after a step out of its draft.
fn next(records: &Records, order: &Answer, step: &str) -> Answer {
    let path = format!("inventory/transfer-orders/{}/{step}", order.id());
    records.company.post(&path, json!({ "expectedVersion": order["version"] }))
}

/// Something of the order that travels.
fn of_shipped(records: &Records, part: impl Fn(&Json) -> Json) -> Answer {
    let path = format!("inventory/transfer-orders/{}", records.id_of("shipped order"));
    let order = records.company.get(&path).is(200);
    let body = part(&order.body);
    Answer { body, ..order }
}

/// Ends an order as it is.
pub fn cancel(records: &Records, order: &str) -> Answer {
    let path = format!("inventory/transfer-orders/{order}");
    let version = records.company.get(&path).is(200)["version"].clone();
    records.company.post(&format!("{path}/cancel"), json!({ "expectedVersion": version, "reason": WHY }))
}
