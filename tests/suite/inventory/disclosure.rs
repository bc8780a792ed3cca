//! Disclosure of units: serial numbers, IMEIs, states and costs, operation by operation and field by field.

use serde_json::{Value as Json, json};
use stoa_tests::company::fresh;
use stoa_tests::serials::imei;
use stoa_tests::{Company, Database, company, eventually, on_both_databases};

on_both_databases![
    e41_receipts_tell_nothing,
    e42_readers_without_the_right,
    e27_api_clients_know_no_units,
    documents_name_units_to_readers_only,
    reads_of_identities_are_audited,
];

const SERIALS: &str = "inventory.serials.read";

/// A company with one unit that has every identity.
struct Known {
    shop: Company,
    phone: String,
    main: String,
    unit: String,
    secrets: Vec<String>,
}

fn known(database: Database) -> Known {
    let shop = company(database);
    let (phone, main) = (shop.phone(), shop.warehouse("PHYSICAL"));
    let secrets = vec![fresh("SECRET-"), imei(910_001), imei(910_002)];
    let unit = json!([{ "serialNumber": secrets[0], "imei1": secrets[1], "imei2": secrets[2] }]);
    let unit = shop.try_admit(&phone, &main, Some("77.123456"), unit).is(201).ids().remove(0);
    Known { shop, phone, main, unit, secrets }
}

impl Known {
    /// Asserts that a response contains none of the identities.
    #[track_caller]
    fn keeps_secrets(&self, answer: &stoa_tests::Answer) {
        let text = answer.body.to_string();
        for secret in &self.secrets {
            assert!(!text.contains(secret), "{secret} is reported: {answer}");
        }
        assert!(!text.contains("77.123456"), "a cost is reported: {answer}");
    }
}

fn e41_receipts_tell_nothing(database: Database) {
    let known = known(database);
    let shop = &known.shop;
    let allowed = ["id", "variantId", "status", "version", "createdAt", "updatedAt"];
    let check = |answer: stoa_tests::Answer, allowed: &[&str]| {
        known.keeps_secrets(&answer);
        let members: Vec<String> =
            answer.body.as_object().into_iter().flatten().map(|(name, _)| name.clone()).collect();
        let mut wanted: Vec<String> = allowed.iter().map(|name| (*name).to_string()).collect();
        let mut sorted = members.clone();
        sorted.sort();
        wanted.sort();
        assert_eq!(sorted, wanted, "{answer}");
        assert_eq!(answer.header("cache-control"), Some("no-store"));
    };
    let admitted = shop.try_admit(&known.phone, &known.main, None, json!([{ "serialNumber": fresh("SN-") }])).is(201);
    let members: Vec<&String> = admitted.items()[0].as_object().into_iter().flatten().map(|(name, _)| name).collect();
    assert_eq!(members.len(), allowed.len(), "{members:?}");
    let other = shop.warehouse("PHYSICAL");
    check(shop.move_unit(&known.unit, "TRANSFER", json!({ "toWarehouseId": other })).is(201), &allowed);
    let body = json!({ "expectedVersion": 2, "grade": "C", "reason": "Scratch" });
    check(shop.post(&format!("inventory/units/{}/regrade", known.unit), body).is(200), &allowed);
    let body = json!({ "expectedVersion": 3, "reason": "Held" });
    let held = shop.post(&format!("inventory/units/{}/reservations", known.unit), body).is(201);
    let id = held.id();
    check(held, &["id", "inventoryUnitId", "variantId", "quantity", "status", "unitVersion"]);
    shop.post(&format!("inventory/reservations/{id}/release"), json!({ "reason": "No" })).is(200);
    check(shop.move_unit(&known.unit, "DAMAGE", json!({})).is(201), &allowed);
    let body = json!({ "expectedVersion": 6, "reason": "Repaired" });
    check(shop.post(&format!("inventory/units/{}/readmissions", known.unit), body).is(201), &allowed);
    // A rejection reveals nothing either.
    let taken = json!([{ "serialNumber": known.secrets[0] }]);
    let refused = shop.try_admit(&known.phone, &known.main, None, taken).refused(409, "DUPLICATE");
    known.keeps_secrets(&refused);
    assert!(!refused.body.to_string().contains(&known.unit), "an identifier of a unit is reported: {refused}");
}

fn e42_readers_without_the_right(database: Database) {
    let known = known(database);
    let shop = &known.shop;
    let unit = format!("inventory/units/{}", known.unit);
    let read = shop.get(&unit).is(200);
    assert_eq!(
        (&read["serialNumber"], &read["imei1"], &read["imei2"]),
        (&json!(known.secrets[0]), &json!(known.secrets[1]), &json!(known.secrets[2]))
    );
    assert_eq!(read.header("cache-control"), Some("no-store"));
    assert!(!read.body.to_string().contains("77.123456"), "only operations of costs report costs");
    let shop = &shop.colleague_without(SERIALS);
    for path in ["inventory/units".to_string(), unit.clone(), format!("{unit}/movements"), format!("{unit}/history")] {
        known.keeps_secrets(&shop.get(&path).refused(403, "PERMISSION_DENIED"));
    }
    // Absent and foreign units are reported no differently.
    shop.get(&format!("inventory/units/{}", uuid::Uuid::now_v7())).refused(403, "PERMISSION_DENIED");
    // Readable records give no identity and no state.
    for path in ["inventory/movements", "inventory/stock", "inventory/reservations"] {
        let answer = shop.get(path).is(200);
        known.keeps_secrets(&answer);
        for item in answer.items() {
            for hidden in ["fromStatus", "toStatus"] {
                assert!(item.get(hidden).is_none_or(Json::is_null), "{hidden}: {answer}");
            }
        }
    }
    shop.list("inventory/movements", &[("inventoryUnitId", &known.unit)]).refused(403, "PERMISSION_DENIED");
    shop.list("inventory/reservations", &[("inventoryUnitId", &known.unit)]).refused(403, "PERMISSION_DENIED");
    // A caller who may not read units can still move one whose id he was given.
    let body = json!({ "movementType": "LOSS", "expectedVersion": 1, "reason": "Gone" });
    known.keeps_secrets(&shop.post(&format!("{unit}/movements"), body).is(201));
}

fn e27_api_clients_know_no_units(database: Database) {
    let known = known(database);
    let shop = &known.shop;
    let machine = shop.machine(&["inventory.read", "inventory.write"]);
    let body = json!({ "expectedVersion": 1, "reason": "Held" });
    let held = shop.post(&format!("inventory/units/{}/reservations", known.unit), body).is(201).id();
    for path in ["inventory/movements", "inventory/stock", "inventory/reservations", "inventory/warehouses"] {
        let answer = machine.get(path).is(200);
        known.keeps_secrets(&answer);
        for hidden in ["inventoryUnitId", "tenantId", "unitVersion", "fromStatus", "toStatus", "unitCost", &known.unit]
        {
            assert!(!answer.body.to_string().contains(hidden), "{hidden}: {answer}");
        }
    }
    let read = machine.get(&format!("inventory/reservations/{held}")).is(200);
    assert!(read.body.get("inventoryUnitId").is_none(), "{read}");
    machine
        .post(&format!("inventory/reservations/{held}/release"), json!({ "reason": "Mine" }))
        .refused(404, "NOT_FOUND");
    for path in ["inventory/units".to_string(), format!("inventory/units/{}", known.unit)] {
        // There is no such route.
        machine.get(&path).refused(404, "NOT_FOUND");
    }
    let on_human_path =
        shop.host.request("GET", &format!("/v1/tenants/{}/inventory/units", shop.tenant)).token(&machine.key).send();
    on_human_path.refused(403, "WRONG_IDENTITY_FAMILY");
}

fn documents_name_units_to_readers_only(database: Database) {
    let known = known(database);
    let shop = &known.shop;
    let to = shop.warehouse("PHYSICAL");
    let items = json!([{ "variantId": known.phone, "quantity": "1", "unitIds": [known.unit] }]);
    let body = json!({ "fromWarehouseId": known.main, "toWarehouseId": to, "items": items });
    let order = shop.post("inventory/transfer-orders", body).is(201).id();
    let order = format!("inventory/transfer-orders/{order}");
    let count = shop.post("inventory/counts", json!({ "warehouseId": known.main })).is(201).id();
    let count = format!("inventory/counts/{count}");
    let line = json!({ "variantId": known.phone, "countedQuantity": "1", "unitIds": [known.unit] });
    shop.post(&format!("{count}/lines"), json!({ "expectedVersion": 1, "lines": [line] })).is(200);
    let reported = shop.get(&order).is(200);
    let unit = &reported["items"][0]["units"][0];
    assert_eq!((&unit["unitId"], &unit["outcome"]), (&json!(known.unit), &Json::Null));
    assert_eq!(
        (&unit["serialNumber"], &unit["imei1"], &unit["imei2"], &unit["status"]),
        (&json!(known.secrets[0]), &json!(known.secrets[1]), &json!(known.secrets[2]), &json!("AVAILABLE"))
    );
    assert_eq!(shop.get(&count).is(200)["lines"][0]["unitIds"], json!([known.unit]));
    let shop = &shop.colleague_without(SERIALS);
    let hidden = shop.get(&order).is(200);
    known.keeps_secrets(&hidden);
    assert_eq!((hidden["items"][0].get("units"), &hidden["items"][0]["unitCount"]), (None, &json!(1)));
    let hidden = shop.get(&count).is(200);
    assert_eq!((hidden["lines"][0].get("unitIds"), &hidden["lines"][0]["unitCount"]), (None, &json!(1)));
    assert_eq!(hidden.header("cache-control"), Some("no-store"));
}

fn reads_of_identities_are_audited(database: Database) {
    let known = known(database);
    let shop = &known.shop;
    let audited = |operation: &str| shop.count("stoa_audit", &format!("operation = '{operation}'"));
    assert_eq!((audited("getUnit"), audited("listUnits")), (0, 0));
    shop.get(&format!("inventory/units/{}", known.unit)).is(200);
    shop.get("inventory/units").is(200);
    shop.get("inventory/stock").is(200);
    eventually(|| (audited("getUnit") == 1 && audited("listUnits") == 1).then_some(()));
    assert_eq!(audited("listStock"), 0);
    let rows = shop.rows("select metadata from stoa_audit where {tenant}").concat().concat();
    for secret in &known.secrets {
        assert!(!rows.contains(secret), "an identity is in the audit");
    }
    let written =
        shop.rows("select data from stoa_event where {tenant} and kind = 'inventory.updated'").concat().concat();
    for secret in known.secrets.iter().chain([&known.unit]) {
        assert!(!written.contains(secret), "a unit is in an event");
    }
}
