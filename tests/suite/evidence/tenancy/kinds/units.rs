//! Records of inventory that are known one by one: serialized goods, their units, and holds on them.

use serde_json::{Value as Json, json};
use stoa_tests::Answer;
use stoa_tests::company::{product, with};

use super::super::records::Records;
use super::{GoodId, Kind, Part, PutAway};

/// Why a unit changes.
const WHY: &str = "tried";
/// Only sales and purchases take a unit out of the company, so that it can come back to a place.
const STAYS: &str = "only a unit that a module to come sold or sent back comes to a place";

pub const PART: Part = Part {
    kinds: KINDS,
    special: &[
        ("listUnits", "variantId", "serialized variant"),
        ("listUnits", "productId", "serialized product"),
        ("admitUnits", "variantId", "serialized variant"),
        ("readmitUnit", "id", "damaged unit"),
        ("listReservations", "inventoryUnitId", "held unit"),
    ],
    exempt: &[
        ("readmitUnit", "toWarehouseId", STAYS),
        ("readmitUnit", "toLocationId", STAYS),
        ("readmitUnit", "variantId", STAYS),
    ],
    needs: &[("listUnits", "serial unit"), ("listMovements", "serial unit"), ("listCostLayers", "serial unit")],
    values: &[],
    amends: &[("admitUnits", admitted), ("moveUnit", moved), ("readmitUnit", repaired)],
};

fn admitted(body: &mut Json, _: GoodId) {
    body["units"] = json!([{ "serialNumber": stoa_tests::company::fresh("TRIED-") }]);
    body["unitCost"] = "1".into();
}

fn moved(body: &mut Json, good_id: GoodId) {
    body["movementType"] = "TRANSFER".into();
    if !body["toWarehouseId"].is_string() {
        body["toWarehouseId"] = good_id("other warehouse").into();
    }
}

fn repaired(body: &mut Json, _: GoodId) {
    body["unitCost"] = "1".into();
}

const KINDS: &[Kind] = &[
    Kind {
        name: "serialized product",
        collection: "",
        names: &[],
        make: |records| {
            let members = json!({
                "publicationStatus": "PUBLISHED",
                "trackInventory": true,
                "trackSerials": true,
                "variants": [{ "sku": records.word(), "condition": "NEW" }],
            });
            records.company.post("catalog/products", with(&product(&records.word()), members))
        },
        put_away: PutAway::Other(|records, id| records.company.archive(&format!("catalog/products/{id}"))),
    },
    Kind {
        name: "serialized variant",
        collection: "",
        names: &[],
        make: |records| {
            let product = records.id_of("serialized product");
            let read = records.company.get(&format!("catalog/products/{product}/variants")).is(200);
            let body = read.items()[0].clone();
            Answer { body, ..read }
        },
        put_away: PutAway::Other(|records, id| records.company.archive(&format!("catalog/variants/{id}"))),
    },
    Kind {
        name: "serial unit",
        collection: "inventory/units",
        names: &["inventoryUnitId", "unitId"],
        make: |records| admit(records, 1, &json!({ "locationId": records.id_of("location") })),
        put_away: PutAway::Other(lose),
    },
    Kind {
        name: "damaged unit",
        collection: "",
        names: &[],
        make: |records| {
            let unit = admit(records, 1, &json!({}));
            let body = json!({ "movementType": "DAMAGE", "expectedVersion": 1, "reason": WHY });
            records.company.post(&format!("inventory/units/{}/movements", unit.id()), body)
        },
        put_away: PutAway::Other(lose),
    },
    Kind {
        name: "held unit",
        collection: "",
        names: &[],
        make: |records| {
            let unit = admit(records, 1, &json!({}));
            let body = json!({ "expectedVersion": 1, "reason": WHY });
            records.company.post(&format!("inventory/units/{}/reservations", unit.id()), body).is(201);
            unit
        },
        put_away: PutAway::Never,
    },
];

/// Admits units into the warehouse: the receipt of the first, with the ids of all in `all`.
pub fn admit(records: &Records, count: usize, members: &Json) -> Answer {
    let units: Vec<Json> = (0..count).map(|_| json!({ "serialNumber": records.word() })).collect();
    let body = json!({
        "variantId": records.id_of("serialized variant"),
        "warehouseId": records.id_of("warehouse"),
        "unitCost": "1",
        "reason": WHY,
        "units": units,
    });
    let answer = records.company.post("inventory/units", with(&body, members.clone())).is(201);
    let body = with(&answer.items()[0], json!({ "all": answer.ids() }));
    Answer { body, ..answer }
}

/// A unit leaves by a loss.
pub fn lose(records: &Records, unit: &str) -> Answer {
    let version = records.company.get(&format!("inventory/units/{unit}")).is(200)["version"].clone();
    let body = json!({ "movementType": "LOSS", "expectedVersion": version, "reason": WHY });
    records.company.post(&format!("inventory/units/{unit}/movements"), body)
}
