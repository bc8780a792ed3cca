//! Records of inventory: warehouses, goods in them, and what is done with goods. Units and documents have files of their own.

use serde_json::{Value as Json, json};
use stoa_tests::Answer;
use stoa_tests::company::with;

use super::super::records::Records;
use super::{GoodId, Kind, Part, PutAway, procurement, transfers, units};

/// Why a movement happens.
const WHY: &str = "tried";

pub const PART: Part = Part {
    kinds: KINDS,
    special: &[
        ("createAdjustment", "counterAccountId", "account"),
        ("apiCreateAdjustment", "counterAccountId", "account"),
        ("createAdjustments", "counterAccountId", "account"),
        ("apiCreateAdjustments", "counterAccountId", "account"),
    ],
    exempt: &[("*", "referenceId", "the caller's own, never looked up")],
    needs: &[
        ("listWarehouses", "warehouse"),
        ("apiListWarehouses", "warehouse"),
        ("listStock", "movement"),
        ("apiListStock", "movement"),
        ("listMovements", "movement"),
        ("apiListMovements", "movement"),
        ("listReservations", "reservation"),
        ("apiListReservations", "reservation"),
        ("listCostLayers", "movement"),
        ("listValuation", "movement"),
        ("createAdjustment", "movement"),
        ("createAdjustment", "other warehouse"),
        ("apiCreateAdjustment", "movement"),
        ("apiCreateAdjustment", "other warehouse"),
        ("createAdjustments", "movement"),
        ("apiCreateAdjustments", "movement"),
        ("createTransfer", "movement"),
        ("apiCreateTransfer", "movement"),
        ("createReservation", "movement"),
        ("apiCreateReservation", "movement"),
    ],
    values: &[],
    amends: &[
        ("createAdjustment", state_cost),
        ("apiCreateAdjustment", state_cost),
        ("createAdjustments", |body, good_id| state_cost(&mut body["adjustments"][0], good_id)),
        ("apiCreateAdjustments", |body, good_id| state_cost(&mut body["adjustments"][0], good_id)),
    ],
};

/// The cost of goods that come in: the legal entity keeps books.
fn state_cost(body: &mut Json, _: GoodId) {
    if body["movementType"] == "ADJUSTMENT_IN" {
        body["unitCost"] = "1".into();
    }
}

const KINDS: &[Kind] = &[
    Kind {
        name: "warehouse",
        collection: "inventory/warehouses",
        names: &["warehouseId", "fromWarehouseId"],
        make: warehouse,
        put_away: PutAway::Other(put_warehouse_away),
    },
    Kind {
        name: "other warehouse",
        collection: "",
        names: &["toWarehouseId"],
        make: warehouse,
        put_away: PutAway::Other(put_warehouse_away),
    },
    Kind {
        name: "location",
        collection: "",
        names: &["locationId"],
        make: |records| {
            let word = records.word();
            let path = format!("inventory/warehouses/{}/locations", records.id_of("warehouse"));
            records.company.post(&path, json!({ "code": word, "name": word }))
        },
        put_away: PutAway::Other(|records, id| put_location_away(records, "warehouse", id)),
    },
    Kind {
        name: "other location",
        collection: "",
        names: &["toLocationId"],
        make: |records| {
            let word = records.word();
            let path = format!("inventory/warehouses/{}/locations", records.id_of("other warehouse"));
            records.company.post(&path, json!({ "code": word, "name": word }))
        },
        put_away: PutAway::Other(|records, id| put_location_away(records, "other warehouse", id)),
    },
    Kind {
        name: "movement",
        collection: "inventory/movements",
        names: &[],
        make: |records| {
            let body = json!({
                "movementType": "ADJUSTMENT_IN",
                "variantId": records.id_of("variant"),
                "toWarehouseId": records.id_of("warehouse"),
                "quantity": "10",
                "unitCost": "1",
                "reason": WHY,
            });
            records.company.post("inventory/adjustments", body)
        },
        put_away: PutAway::Never,
    },
    Kind {
        name: "reservation",
        collection: "inventory/reservations",
        names: &[],
        make: |records| {
            records.id_of("movement");
            let body = json!({
                "variantId": records.id_of("variant"),
                "warehouseId": records.id_of("warehouse"),
                "quantity": "1",
                "reason": WHY,
            });
            records.company.post("inventory/reservations", body)
        },
        put_away: PutAway::Other(release),
    },
];

fn warehouse(records: &Records) -> Answer {
    warehouse_of(records, "PHYSICAL")
}

pub fn warehouse_of(records: &Records, kind: &str) -> Answer {
    let word = records.word();
    let members = json!({ "legalEntityId": records.id_of("legal entity"), "branchId": records.id_of("branch") });
    let body = with(&json!({ "code": word, "name": word, "type": kind }), members);
    records.company.post("inventory/warehouses", body)
}

/// A location is archived once no unit is there.
fn put_location_away(records: &Records, warehouse: &'static str, location: &str) -> Answer {
    for unit in records.company.list("inventory/units", &[("locationId", location)]).is(200).ids() {
        units::lose(records, &unit).is(201);
    }
    let warehouse = records.id_of(warehouse);
    records.company.archive(&format!("inventory/warehouses/{warehouse}/locations/{location}"))
}

fn release(records: &Records, reservation: &str) -> Answer {
    records.company.post(&format!("inventory/reservations/{reservation}/release"), json!({ "reason": WHY }))
}

/// A warehouse is archived once it is empty and nothing is on its way.
pub fn put_warehouse_away(records: &Records, warehouse: &str) -> Answer {
    let company = &records.company;
    for order in company.list("inventory/transfer-orders", &[("limit", "100")]).is(200).items() {
        let read =
            company.get(&format!("inventory/transfer-orders/{}", order["id"].as_str().unwrap_or_default())).is(200);
        let ends = ["fromWarehouseId", "toWarehouseId", "transitWarehouseId"].map(|end| read[end] == warehouse);
        if ends.contains(&true) && !["RECEIVED", "CANCELLED"].contains(&read["status"].as_str().unwrap_or_default()) {
            transfers::cancel(records, &read.id()).is(200);
        }
    }
    procurement::cancel_incoming(records, warehouse);
    let reserved = [("warehouseId", warehouse), ("status", "ACTIVE")];
    for reservation in company.list("inventory/reservations", &reserved).is(200).ids() {
        release(records, &reservation).is(200);
    }
    for unit in company.list("inventory/units", &[("warehouseId", warehouse)]).is(200).ids() {
        units::lose(records, &unit).is(201);
    }
    let here = [("warehouseId", warehouse), ("nonZero", "true")];
    for level in company.list("inventory/stock", &here).is(200).items() {
        let body = json!({
            "movementType": "ADJUSTMENT_OUT",
            "variantId": level["variantId"],
            "fromWarehouseId": warehouse,
            "quantity": level["onHand"],
            "reason": WHY,
        });
        company.post("inventory/adjustments", body).is(201);
    }
    company.archive(&format!("inventory/warehouses/{warehouse}"))
}

/// Archives the active warehouses that a list with these filters shows.
pub fn put_warehouses_away(records: &Records, filters: &[(&str, &str)]) {
    for warehouse in records.company.list("inventory/warehouses", filters).is(200).ids() {
        put_warehouse_away(records, &warehouse).is(200);
    }
}
