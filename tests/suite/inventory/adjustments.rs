//! Adjustments and immediate transfers: what a body may say, what the stock allows, and what the books take. [E9]..[E22], [E70]

use serde_json::{Value as Json, json};
use stoa_tests::company::{with, without};
use stoa_tests::goods::{WHY, bookkeeping, inbound, outbound};
use stoa_tests::{Company, Database, at_once, company, on_both_databases};

on_both_databases![
    e15_books_want_a_cost,
    e18_a_key_acts_once,
    e20_a_transfer_stays_within_an_entity,
    every_adjustment_of_worth_has_one_entry,
    a_movement_says_who_and_why,
];

on_both_databases![
    rules:
    e9_quantities_are_decimal_strings_above_zero,
    e10_quantities_are_no_finer_than_the_unit,
    e11_each_type_uses_one_side,
    members_that_a_type_does_not_use_may_be_null,
    e12_only_tracked_goods_without_serials_are_adjusted,
    e13_nothing_goes_out_beyond_what_is_free,
    e14_an_archived_variant_may_only_leave,
    e16_an_unmapped_role_changes_nothing,
    e19_a_cost_fits_the_books,
    e21_clients_adjust_with_a_scope_and_learn_little,
    the_largest_stock_is_refused_above_its_range,
];

const ADJUST: &str = "inventory/adjustments";

fn e9_quantities_are_decimal_strings_above_zero(database: Database) {
    let shop = company(database);
    let (main, variant) = (shop.main(), shop.counted(6));
    for wrong in [
        json!("0"),
        json!("0.000000"),
        json!("-1"),
        json!("+1"),
        json!("1e2"),
        json!("1.0000001"),
        json!("1000000000000"),
        json!("01"),
        json!(".5"),
        json!(""),
        json!(1),
        Json::Null,
    ] {
        let body = with(&inbound(&variant, &main, "1", None), json!({ "quantity": wrong }));
        shop.post(ADJUST, body).refused(400, "VALIDATION_FAILED").at("/quantity");
    }
    for right in ["0.000001", "1", "0.5", "10.25"] {
        shop.bring(&variant, &main, right, None).is(201);
    }
    assert_eq!(shop.figure(&variant, &main, "onHand"), "11.750001");
    for wrong in ["-1", "1.0000001", "1000000000000"] {
        shop.bring(&variant, &main, "1", Some(wrong)).refused(400, "VALIDATION_FAILED").at("/unitCost");
    }
    for (member, value) in [("reason", json!("  ")), ("reason", json!("x".repeat(1001))), ("referenceId", json!("no"))]
    {
        let body = with(&inbound(&variant, &main, "1", None), json!({ (member): value }));
        shop.post(ADJUST, body).refused(400, "VALIDATION_FAILED").at(&format!("/{member}"));
    }
}

fn e10_quantities_are_no_finer_than_the_unit(database: Database) {
    let shop = company(database);
    let main = shop.main();
    let (whole, tenths) = (shop.counted(0), shop.counted(1));
    shop.bring(&whole, &main, "1.5", None).refused(400, "VALIDATION_FAILED").fault("/quantity", "QUANTITY_SCALE");
    assert_eq!(shop.bring(&whole, &main, "1.000000", None).is(201)["quantity"], "1.000000");
    shop.bring(&tenths, &main, "1.5", None).is(201);
    shop.take("LOSS", &tenths, &main, "0.05").refused(400, "VALIDATION_FAILED").fault("/quantity", "QUANTITY_SCALE");
    shop.reserve(&tenths, &main, "0.05").refused(400, "VALIDATION_FAILED").fault("/quantity", "QUANTITY_SCALE");
}

fn e11_each_type_uses_one_side(database: Database) {
    let shop = company(database);
    let (main, variant) = (shop.main(), shop.counted(0));
    let both = with(&inbound(&variant, &main, "1", None), json!({ "fromWarehouseId": main }));
    shop.post(ADJUST, both).refused(400, "VALIDATION_FAILED").fault("/fromWarehouseId", "TYPE");
    for kind in ["ADJUSTMENT_OUT", "DAMAGE", "LOSS"] {
        let body = outbound(kind, &variant, &main, "1");
        let wrong = with(&without(&body, "fromWarehouseId"), json!({ "toWarehouseId": main }));
        let refused = shop.post(ADJUST, wrong).refused(400, "VALIDATION_FAILED");
        refused.fault("/fromWarehouseId", "REQUIRED").fault("/toWarehouseId", "TYPE");
        let costed = with(&body, json!({ "unitCost": "1" }));
        shop.post(ADJUST, costed).refused(400, "VALIDATION_FAILED").fault("/unitCost", "TYPE");
    }
    for kind in ["TRANSFER", "SALE", "PURCHASE_RECEIPT", "adjustment_in"] {
        let body = with(&inbound(&variant, &main, "1", None), json!({ "movementType": kind }));
        shop.post(ADJUST, body).refused(400, "VALIDATION_FAILED").at("/movementType");
    }
    let transfer = shop.transfer(&variant, "1", &main, &main);
    transfer.refused(400, "VALIDATION_FAILED").at("/toWarehouseId");
}

fn members_that_a_type_does_not_use_may_be_null(database: Database) {
    let shop = company(database);
    let (main, variant) = (shop.main(), shop.counted(0));
    let nulls = json!({ "fromWarehouseId": null, "referenceId": null, "counterAccountId": null });
    let key = uuid::Uuid::new_v4().to_string();
    let body = without(&inbound(&variant, &main, "5", None), "unitCost");
    // The contract does not show members that may only be null.
    let send =
        |body: &Json, key: &str| shop.request("POST", ADJUST).key(key).json(body).unchecked().send().is(201).id();
    assert_eq!(send(&body, &key), send(&with(&body, nulls), &key), "null is the same request as an omitted member");
    for kind in ["ADJUSTMENT_OUT", "DAMAGE", "LOSS"] {
        let nulls = json!({ "toWarehouseId": null, "unitCost": null });
        send(&with(&outbound(kind, &variant, &main, "1"), nulls), &uuid::Uuid::new_v4().to_string());
    }
    assert_eq!(shop.figure(&variant, &main, "onHand"), "2.000000");
}

fn e12_only_tracked_goods_without_serials_are_adjusted(database: Database) {
    let shop = company(database);
    let (main, other) = (shop.main(), shop.warehouse("PHYSICAL"));
    let untracked = shop.good(json!({}));
    let service = shop.good(json!({ "productType": "SERVICE" }));
    let serialized = shop.good(json!({ "trackInventory": true, "trackSerials": true }));
    for variant in [untracked, service, serialized] {
        shop.bring(&variant, &main, "1", None).refused(409, "ILLEGAL_STATE").at("/variantId");
        shop.take("DAMAGE", &variant, &main, "1").refused(409, "ILLEGAL_STATE").at("/variantId");
        shop.transfer(&variant, "1", &main, &other).refused(409, "ILLEGAL_STATE").at("/variantId");
        shop.reserve(&variant, &main, "1").refused(409, "ILLEGAL_STATE").at("/variantId");
    }
}

fn e13_nothing_goes_out_beyond_what_is_free(database: Database) {
    let shop = company(database);
    let (main, variant) = (shop.main(), shop.counted(6));
    shop.take("LOSS", &variant, &main, "1").refused(409, "INSUFFICIENT_STOCK").at("/quantity");
    shop.bring(&variant, &main, "10", None).is(201);
    shop.reserve(&variant, &main, "4").is(201);
    shop.take("LOSS", &variant, &main, "6.000001").refused(409, "INSUFFICIENT_STOCK").at("/quantity");
    shop.transfer(&variant, "6.000001", &main, &shop.warehouse("PHYSICAL")).refused(409, "INSUFFICIENT_STOCK");
    shop.take("ADJUSTMENT_OUT", &variant, &main, "6").is(201);
    let level = shop.level(&variant, &main);
    assert_eq!(
        (&level["onHand"], &level["reserved"], &level["available"]),
        (&json!("4.000000"), &json!("4.000000"), &json!("0.000000"))
    );
    assert_eq!(level["version"], 3);
    shop.verified();
}

fn e14_an_archived_variant_may_only_leave(database: Database) {
    let shop = company(database);
    let (main, other) = (shop.main(), shop.warehouse("PHYSICAL"));
    let product = shop.post(
        "catalog/products",
        json!({ "name": "P", "productType": "GOOD", "unitOfMeasure": "UNIT", "trackInventory": true,
                "variants": [{ "sku": "ONE" }, { "sku": "TWO" }] }),
    );
    let product = product.is(201);
    let variant = product["variants"][0]["id"].as_str().expect("a variant").to_string();
    shop.bring(&variant, &main, "3", None).is(201);
    shop.archive(&format!("catalog/variants/{variant}")).is(200);
    shop.bring(&variant, &main, "1", None).refused(409, "REFERENCE_INVALID").fault("/variantId", "ARCHIVED");
    shop.take("ADJUSTMENT_OUT", &variant, &main, "1").is(201);
    shop.transfer(&variant, "1", &main, &other).is(201);
    assert_eq!(shop.figure(&variant, &other, "onHand"), "1.000000");
}

/// Amounts of the first entity's accounts that a trial balance shows, by the account's code.
pub fn balances(shop: &Company) -> Vec<(String, String)> {
    let entity = shop.entity();
    let trial = shop.list("ledger/trial-balance", &[("legalEntityId", &entity)]).is(200);
    let rows = trial["rows"].as_array().cloned().unwrap_or_default();
    let row = |row: &Json| {
        let text = |member: &str| row[member].as_str().unwrap_or_default().to_string();
        (text("code"), text("closing"))
    };
    rows.iter().map(row).filter(|(_, closing)| closing != "0.000000000000").collect()
}

fn e15_books_want_a_cost(database: Database) {
    let shop = bookkeeping(database);
    let (main, variant) = (shop.main(), shop.counted(0));
    shop.bring(&variant, &main, "1", None).refused(409, "VALUATION_COST_REQUIRED").at("/unitCost");
    assert_eq!(shop.level(&variant, &main), Json::Null);
    shop.bring(&variant, &main, "1", Some("0")).is(201);
    assert_eq!(balances(&shop), []);
    shop.bring(&variant, &main, "2", Some("1.5")).is(201);
    let expected = [("1200", "3.000000000000"), ("5200", "-3.000000000000")];
    assert_eq!(balances(&shop), expected.map(|(code, closing)| (code.to_string(), closing.to_string())));
    shop.verified();
}

fn e16_an_unmapped_role_changes_nothing(database: Database) {
    let shop = bookkeeping(database);
    let (main, variant) = (shop.main(), shop.counted(0));
    shop.bring(&variant, &main, "5", Some("2")).is(201);
    let path = format!("ledger/legal-entities/{}/mappings", shop.entity());
    let set = shop.get(&path).is(200);
    let mapped = |list: &str, but: &str| -> Vec<Json> {
        let rows = set[list].as_array().cloned().unwrap_or_default();
        rows.into_iter().filter(|row| row["role"] != but).collect()
    };
    let body = json!({
        "expectedVersion": set["version"], "roles": mapped("roles", "INVENTORY_ADJUSTMENT"), "methods": set["methods"]
    });
    shop.put(&path, body).is(200);
    let refused = shop.take("ADJUSTMENT_OUT", &variant, &main, "1").refused(409, "ACCOUNTING_SETUP_REQUIRED");
    refused.fault("/mappings/roles/INVENTORY_ADJUSTMENT", "ROLE_UNMAPPED");
    assert_eq!(shop.figure(&variant, &main, "onHand"), "5.000000");
    assert_eq!(shop.worth(&variant), "10.000000000000");
    // Goods that are worth nothing need no account.
    shop.bring(&variant, &main, "1", Some("0")).is(201);
    shop.verified();
}

fn e18_a_key_acts_once(database: Database) {
    let shop = company(database);
    let (main, variant) = (shop.main(), shop.counted(0));
    let key = uuid::Uuid::new_v4().to_string();
    let body = inbound(&variant, &main, "1", None);
    let ids = at_once(2, |_| shop.request("POST", ADJUST).key(&key).json(&body).send().is(201).id());
    assert_eq!(ids[0], ids[1]);
    assert_eq!(shop.figure(&variant, &main, "onHand"), "1.000000");
    assert_eq!(shop.all("inventory/movements", &[("variantId", &variant)]).len(), 1);
    let other = inbound(&variant, &main, "2", None);
    shop.request("POST", ADJUST).key(&key).json(&other).send().refused(409, "IDEMPOTENCY_KEY_REUSED");
}

fn e19_a_cost_fits_the_books(database: Database) {
    let shop = bookkeeping(database);
    let (main, variant) = (shop.main(), shop.counted(3));
    shop.bring(&variant, &main, "1", Some("0.1234")).refused(409, "ACCOUNTING_AMOUNT_PRECISION").at("/unitCost");
    shop.bring(&variant, &main, "1", Some("0.123000")).is(201);
    shop.take("LOSS", &variant, &main, "0.001").is(201);
    assert_eq!(shop.worth(&variant), "0.122877000000");
    shop.verified();
}

fn e20_a_transfer_stays_within_an_entity(database: Database) {
    let shop = bookkeeping(database);
    let (main, variant) = (shop.main(), shop.counted(0));
    let (other, foreign) = (shop.warehouse("QUARANTINE"), shop.warehouse_of("PHYSICAL", &shop.other_entity()));
    shop.bring(&variant, &main, "10", Some("3")).is(201);
    shop.transfer(&variant, "1", &main, &foreign).refused(409, "CUSTODY_CONFLICT").at("/toWarehouseId");
    let before = balances(&shop);
    let moved = shop.transfer(&variant, "4", &main, &other).is(201);
    assert_eq!(moved["movementType"], "TRANSFER");
    assert_eq!(balances(&shop), before);
    assert_eq!(shop.worth(&variant), "30.000000000000");
    assert_eq!(shop.figure(&variant, &main, "onHand"), "6.000000");
    // Goods in quarantine are on hand, and no order can take them.
    let there = shop.level(&variant, &other);
    assert_eq!((&there["onHand"], &there["available"]), (&json!("4.000000"), &json!("0.000000")));
    let totals = shop.get(&format!("inventory/variants/{variant}/stock")).is(200);
    let expected =
        json!({ "onHand": "10.000000", "reserved": "0.000000", "available": "6.000000", "incoming": "0.000000" });
    assert_eq!(totals["totals"], expected);
    assert_eq!(totals["trackingMode"], "QUANTITY");
    assert_eq!(totals.items().len(), 2);
}

fn e21_clients_adjust_with_a_scope_and_learn_little(database: Database) {
    let shop = bookkeeping(database);
    let (main, other, variant) = (shop.main(), shop.warehouse("PHYSICAL"), shop.counted(0));
    let reader = shop.machine(&["inventory.read"]);
    let body = inbound(&variant, &main, "5", Some("2"));
    reader.post(ADJUST, body.clone()).refused(403, "SCOPE_DENIED");
    let writer = shop.machine(&["inventory.read", "inventory.write"]);
    writer.post(ADJUST, body).is(201);
    let transfer = json!({
        "variantId": variant, "quantity": "1", "fromWarehouseId": main, "toWarehouseId": other, "reason": WHY
    });
    writer.post("inventory/transfers", transfer).is(201);
    let held = json!({ "variantId": variant, "warehouseId": main, "quantity": "1", "reason": WHY });
    let held = writer.post("inventory/reservations", held).is(201).id();
    for path in [
        "inventory/stock".to_string(),
        format!("inventory/variants/{variant}/stock"),
        "inventory/movements".into(),
        "inventory/reservations".into(),
        format!("inventory/reservations/{held}"),
        "inventory/warehouses".into(),
    ] {
        let text = writer.get(&path).is(200).body.to_string();
        for word in
            ["ost", "tenantId", "nit\"", "nitId", "serial", "imei", "actor", "damaged", "quarantined", "archivedAt"]
        {
            assert!(!text.contains(word), "{path} shows {word}: {text}");
        }
    }
    let movement = writer.get("inventory/movements").is(200).ids()[0].clone();
    assert_eq!(writer.get(&format!("inventory/movements/{movement}")).is(200)["movementType"], "ADJUSTMENT_IN");
    writer.get("inventory/cost-layers").refused(404, "NOT_FOUND");
    writer.post(&format!("inventory/reservations/{held}/release"), json!({ "reason": WHY })).is(200);
    let second = shop.counted(0);
    shop.bring(&second, &main, "1", Some("2")).is(201);
    let stock = |variants: &str| writer.get(&format!("inventory/stock?variantIds={variants}")).is(200).ids();
    assert_eq!((stock(&second).len(), stock(&format!("{second},{variant}")).len()), (1, 3));
    // A key on a person's path, and a person on a key's.
    shop.host
        .get_with(&format!("/v1/tenants/{}/inventory/stock", shop.tenant), &writer.key)
        .refused(403, "WRONG_IDENTITY_FAMILY");
    shop.host.get_with("/v1/api-client/inventory/stock", &shop.token).refused(403, "WRONG_IDENTITY_FAMILY");
}

/// P3 to P6, in euro: 10 at 2 come in, 1 goes out, 2 are damaged, 3 are lost.
fn every_adjustment_of_worth_has_one_entry(database: Database) {
    let shop = bookkeeping(database);
    let (main, variant, entity) = (shop.main(), shop.counted(0), shop.entity());
    let movements = [
        shop.bring(&variant, &main, "10", Some("2")).is(201).id(),
        shop.take("ADJUSTMENT_OUT", &variant, &main, "1").is(201).id(),
        shop.take("DAMAGE", &variant, &main, "2").is(201).id(),
        shop.take("LOSS", &variant, &main, "3").is(201).id(),
    ];
    let entries = shop.all("ledger/journal-entries", &[("legalEntityId", &entity)]);
    let reported: Vec<(String, String)> = entries
        .iter()
        .map(|entry| {
            assert_eq!((&entry["sourceKind"], &entry["purpose"]), (&json!("INVENTORY_MOVEMENT"), &json!("ADJUSTMENT")));
            let text = |member: &str| entry[member].as_str().unwrap_or_default().to_string();
            (text("sourceId"), text("total"))
        })
        .collect();
    let totals = ["20.000000000000", "2.000000000000", "4.000000000000", "6.000000000000"];
    let expected: Vec<(String, String)> = movements.into_iter().zip(totals.map(String::from)).collect();
    assert_eq!(reported, expected);
    let mut closings: Vec<String> = balances(&shop).into_iter().map(|(_, closing)| closing).collect();
    closings.sort();
    assert_eq!(closings, ["-18.000000000000", "4.000000000000", "6.000000000000", "8.000000000000"]);
    assert_eq!(shop.worth(&variant), "8.000000000000");
    let branch = shop.made("BRANCH").unwrap_or_default();
    assert!(
        entries[0]["lines"].as_array().is_none_or(|lines| lines.iter().all(|line| line["branchId"] == branch.as_str()))
    );
    shop.verified();
}

fn a_movement_says_who_and_why(database: Database) {
    let shop = company(database);
    let (main, other, variant) = (shop.main(), shop.warehouse("PHYSICAL"), shop.counted(0));
    let reference = "01940000-0000-7000-8000-000000000001";
    let body = with(&inbound(&variant, &main, "5", None), json!({ "referenceId": reference, "reason": " found " }));
    let receipt = shop.post(ADJUST, body).is(201);
    assert_eq!(receipt.body.as_object().map(|body| body.len()), Some(5), "{receipt}");
    let id = receipt.id();
    shop.transfer(&variant, "1", &main, &other).is(201);
    let movement = shop.get(&format!("inventory/movements/{id}")).is(200);
    for (member, value) in [
        ("movementType", json!("ADJUSTMENT_IN")),
        ("quantity", json!("5.000000")),
        ("reason", json!("found")),
        ("referenceType", json!("MANUAL")),
        ("referenceId", json!(reference)),
        ("toWarehouseId", json!(main)),
        ("fromWarehouseId", Json::Null),
        ("documentType", Json::Null),
        ("inventoryUnitId", Json::Null),
        ("actorType", json!("USER")),
        ("tenantId", json!(shop.tenant)),
    ] {
        assert_eq!(movement[member], value, "{member}: {movement}");
    }
    let count = |query: &[(&str, &str)]| shop.all("inventory/movements", query).len();
    assert_eq!(count(&[("warehouseId", &main)]), 2);
    assert_eq!(count(&[("warehouseId", &main), ("limit", "1")]), 2);
    assert_eq!(count(&[("warehouseId", &other)]), 1);
    assert_eq!(count(&[("variantId", &variant), ("movementType", "TRANSFER")]), 1);
    assert_eq!(count(&[("referenceId", reference)]), 1);
    assert_eq!(count(&[("referenceType", "SALES_ORDER")]), 0);
    assert_eq!(count(&[("documentType", "STOCK_COUNT")]), 0);
    let instant = movement.text("createdAt");
    assert_eq!(count(&[("from", &instant), ("to", &instant)]), 1);
    assert_eq!(count(&[("to", "2020-01-01T00:00:00Z")]), 0);
    shop.get(&format!("inventory/movements/{main}")).refused(404, "NOT_FOUND");
    let audit = shop.list("audit", &[("resourceType", "INVENTORY_MOVEMENT")]).is(200);
    assert!(audit.items().iter().any(|entry| entry["operation"] == "createAdjustment"), "{audit}");
}

/// [E70]: extremes are exact, and what leaves the range is refused.
fn the_largest_stock_is_refused_above_its_range(database: Database) {
    let shop = company(database);
    let (main, variant) = (shop.main(), shop.counted(6));
    let most = "999999999999.999999";
    shop.bring(&variant, &main, most, Some(most)).is(201);
    assert_eq!(shop.worth(&variant), "999999999999999998000000.000000000001");
    shop.bring(&variant, &main, "0.000001", Some("1")).refused(409, "LIMIT_EXCEEDED");
    shop.take("LOSS", &variant, &main, "0.000001").is(201);
    assert_eq!(shop.worth(&variant), "999999999999999997000000.000000000002");
    shop.take("LOSS", &variant, &main, "999999999999.999998").is(201);
    assert_eq!(shop.worth(&variant), "0.000000000000");
    shop.verified();
}
