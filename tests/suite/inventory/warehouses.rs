//! Warehouses and locations: identity, archive, and what prevents it. [E1]..[E8], [E22]

use serde_json::json;
use stoa_tests::company::{fresh, with};
use stoa_tests::goods::inbound;
use stoa_tests::services::inventory::{Call, IncomingLine};
use stoa_tests::services::{self, key};
use stoa_tests::{Answer, Database, at_once, company, on_both_databases};

on_both_databases![
    e5_locations_have_codes_of_their_warehouse,
    e7_archive_races_inbound_adjustments,
    a_new_company_has_two_warehouses,
    warehouses_are_listed_by_what_they_are,
];

on_both_databases![
    rules:
    e1_a_code_is_taken_for_ever_in_any_case,
    e2_a_warehouse_keeps_its_identity,
    e3_a_warehouse_is_archived_empty,
    e3_a_warehouse_that_expects_goods_is_not_archived,
    e4_a_branch_is_of_the_entity,
    e8_an_entity_with_a_warehouse_is_not_archived,
    e22_of_another_company_is_missing,
];

fn a_new_company_has_two_warehouses(database: Database) {
    let shop = company(database);
    let all = shop.all("inventory/warehouses", &[]);
    let reported: Vec<_> = all.iter().map(|row| (row["code"].as_str(), row["type"].as_str())).collect();
    assert_eq!(reported, [(Some("MAIN"), Some("PHYSICAL")), (Some("TRANSIT"), Some("IN_TRANSIT"))]);
    assert!(all.iter().all(|row| row["legalEntityId"] == shop.entity().as_str()));
}

fn e1_a_code_is_taken_for_ever_in_any_case(database: Database) {
    let shop = company(database);
    let body = json!({ "code": "main", "name": "Other", "type": "PHYSICAL", "legalEntityId": shop.entity() });
    shop.post("inventory/warehouses", body.clone()).refused(409, "DUPLICATE").at("/code");
    shop.archive(&format!("inventory/warehouses/{}", shop.main())).is(200);
    shop.post("inventory/warehouses", body.clone()).refused(409, "DUPLICATE");
    let kept = shop.post("inventory/warehouses", with(&body, json!({ "code": "Shop.1" }))).is(201);
    assert_eq!(kept["code"], "Shop.1");
    for code in ["", "1A", "A B", "Ä"] {
        shop.post("inventory/warehouses", with(&body, json!({ "code": code })))
            .refused(400, "VALIDATION_FAILED")
            .at("/code");
    }
    let unknown = with(&body, json!({ "code": "X", "legalEntityId": shop.main() }));
    shop.post("inventory/warehouses", unknown).refused(404, "NOT_FOUND").at("/legalEntityId");
}

fn e2_a_warehouse_keeps_its_identity(database: Database) {
    let shop = company(database);
    let path = format!("inventory/warehouses/{}", shop.main());
    let read = shop.get(&path).is(200);
    let same = json!({
        "code": "MAIN", "name": "Renamed", "type": "PHYSICAL", "legalEntityId": shop.entity(), "branchId": read["branchId"]
    });
    let renamed = shop.put(&path, same.clone()).is(200);
    assert_eq!(renamed["name"], "Renamed");
    let other = shop.other_entity();
    for (member, value) in [
        ("code", json!("main")),
        ("type", json!("VIRTUAL")),
        ("legalEntityId", json!(other)),
        ("branchId", json!(other)),
    ] {
        let body = with(&same, json!({ (member): value }));
        shop.put(&path, body).refused(409, "IMMUTABLE_FIELD").at(&format!("/{member}"));
    }
    shop.request("PUT", &path).if_match(&read.etag()).json(&same).send().refused(412, "PRECONDITION_FAILED");
    shop.request("PUT", &path).if_match(&renamed.etag()).json(&same).send().is(200);
}

fn e3_a_warehouse_is_archived_empty(database: Database) {
    let shop = company(database);
    let (main, variant) = (shop.main(), shop.counted(6));
    let path = format!("inventory/warehouses/{main}");
    shop.bring(&variant, &main, "0.000002", None).is(201);
    let held = shop.reserve(&variant, &main, "0.000001").is(201).id();
    shop.archive(&path).refused(409, "CUSTODY_CONFLICT");
    shop.release(&held).is(200);
    shop.take("LOSS", &variant, &main, "0.000001").is(201);
    shop.archive(&path).refused(409, "CUSTODY_CONFLICT");
    shop.take("LOSS", &variant, &main, "0.000001").is(201);
    let archived = shop.archive(&path).is(200);
    assert_eq!(archived["status"], "ARCHIVED");
    assert!(archived["archivedAt"].is_string());
    shop.archive(&path).refused(409, "ARCHIVED");
    shop.put(&path, json!({ "code": "MAIN", "name": "X", "type": "PHYSICAL", "legalEntityId": shop.entity() }))
        .refused(409, "ARCHIVED");
    shop.bring(&variant, &main, "1", None).refused(409, "REFERENCE_INVALID").fault("/toWarehouseId", "ARCHIVED");
    shop.take("LOSS", &variant, &main, "1").refused(409, "REFERENCE_INVALID").at("/fromWarehouseId");
    shop.reserve(&variant, &main, "1").refused(409, "REFERENCE_INVALID").at("/warehouseId");
    shop.post(&format!("{path}/locations"), json!({ "code": "A", "name": "A" })).refused(409, "ARCHIVED");
}

fn e3_a_warehouse_that_expects_goods_is_not_archived(database: Database) {
    let shop = services::host(database).company();
    let (main, variant) = (shop.main(), shop.counted(0));
    let (variant_id, warehouse_id) = (key(&variant), key(&main));
    let expect =
        |delta: &str| Call::ChangeIncoming(vec![IncomingLine { variant_id, warehouse_id, delta: delta.into() }]);
    shop.call_inventory::<()>(expect("5"));
    assert_eq!(shop.figure(&variant, &main, "incoming"), "5.000000");
    assert_eq!(shop.figure(&variant, &main, "onHand"), "0.000000");
    shop.archive(&format!("inventory/warehouses/{main}")).refused(409, "ILLEGAL_STATE");
    shop.call_inventory::<()>(expect("-5"));
    shop.archive(&format!("inventory/warehouses/{main}")).is(200);
    shop.try_inventory(&[expect("1")]).refused(409, "REFERENCE_INVALID");
}

fn e4_a_branch_is_of_the_entity(database: Database) {
    let shop = company(database);
    let branch = shop.made("BRANCH").expect("onboarding made no branch");
    let other = shop.other_entity();
    let body = json!({ "code": "B", "name": "B", "type": "PHYSICAL", "legalEntityId": other, "branchId": branch });
    shop.post("inventory/warehouses", body.clone()).refused(409, "REFERENCE_INVALID").at("/branchId");
    let right = with(&body, json!({ "legalEntityId": shop.entity() }));
    assert_eq!(shop.post("inventory/warehouses", right).is(201)["branchId"], branch.as_str());
}

fn e5_locations_have_codes_of_their_warehouse(database: Database) {
    let shop = company(database);
    let (one, two) = (shop.main(), shop.warehouse("VIRTUAL"));
    let locations = |warehouse: &str| format!("inventory/warehouses/{warehouse}/locations");
    let body = json!({ "code": "A-1", "name": "Shelf" });
    let location = shop.post(&locations(&one), body.clone()).is(201);
    shop.post(&locations(&two), body.clone()).is(201);
    shop.post(&locations(&one), json!({ "code": "a-1", "name": "Shelf" })).refused(409, "DUPLICATE").at("/code");
    let path = format!("{}/{}", locations(&one), location.id());
    shop.get(&format!("{}/{}", locations(&two), location.id())).refused(404, "NOT_FOUND");
    shop.put(&path, json!({ "code": "B", "name": "Shelf" })).refused(409, "IMMUTABLE_FIELD").at("/code");
    assert_eq!(shop.put(&path, json!({ "code": "A-1", "name": "Top" })).is(200)["name"], "Top");
    assert_eq!(shop.archive(&path).is(200)["status"], "ARCHIVED");
    shop.archive(&path).refused(409, "ARCHIVED");
    assert!(shop.get(&locations(&one)).is(200).items().is_empty());
    assert_eq!(shop.list(&locations(&one), &[("status", "ARCHIVED")]).is(200).ids(), [location.id()]);
    shop.get(&locations(&location.id())).refused(404, "NOT_FOUND");
}

/// Twenty inbound adjustments and an archive at once, on ten warehouses: either the archive holds and nothing came in after
/// it, or goods came in and it failed.
fn e7_archive_races_inbound_adjustments(database: Database) {
    let shop = company(database);
    let variant = shop.counted(0);
    for _ in 0..5 {
        let warehouse = shop.warehouse("PHYSICAL");
        let path = format!("inventory/warehouses/{warehouse}");
        let mut answers = at_once(21, |n| match n {
            0 => shop.archive(&path),
            _ => shop.bring(&variant, &warehouse, "1", None),
        });
        let archive = answers.remove(0);
        let (inbound, refused): (Vec<Answer>, Vec<Answer>) =
            answers.into_iter().partition(|answer| answer.status == 201);
        let came = inbound.len();
        for answer in refused {
            answer.refused(409, "REFERENCE_INVALID").fault("/toWarehouseId", "ARCHIVED");
        }
        let archived = shop.get(&path).is(200)["status"] == "ARCHIVED";
        assert_eq!(archived, came == 0, "{archive}");
        match archived {
            true => drop(archive.is(200)),
            false => drop(archive.refused(409, "CUSTODY_CONFLICT")),
        }
        if came > 0 {
            assert_eq!(shop.figure(&variant, &warehouse, "onHand"), format!("{came}.000000"));
        }
    }
}

fn e8_an_entity_with_a_warehouse_is_not_archived(database: Database) {
    let shop = company(database);
    let entity = shop.other_entity();
    let path = format!("ledger/legal-entities/{entity}/archive");
    let warehouse = shop.warehouse_of("PHYSICAL", &entity);
    shop.post(&path, json!({})).refused(409, "ILLEGAL_STATE");
    shop.archive(&format!("inventory/warehouses/{warehouse}")).is(200);
    shop.post(&path, json!({})).is(200);
    let body = json!({ "code": fresh("W"), "name": "W", "type": "PHYSICAL", "legalEntityId": entity });
    shop.post("inventory/warehouses", body).refused(409, "REFERENCE_INVALID").at("/legalEntityId");
}

fn e22_of_another_company_is_missing(database: Database) {
    let (shop, other) = (company(database), company(database));
    let (main, variant) = (shop.main(), shop.counted(0));
    let (their_warehouse, their_variant) = (other.main(), other.counted(0));
    let missing = "00000000-0000-7000-8000-000000000000";
    for (variant, warehouse, pointer) in
        [(&their_variant, &main, "/variantId"), (&variant, &their_warehouse, "/toWarehouseId")]
    {
        let refused = shop.bring(variant, warehouse, "1", None).refused(404, "NOT_FOUND").at(pointer);
        let [v, w] = if pointer == "/variantId" { [missing, main.as_str()] } else { [variant.as_str(), missing] };
        let absent = shop.post("inventory/adjustments", inbound(v, w, "1", None));
        assert_eq!(refused.masked(), absent.masked());
    }
    shop.get(&format!("inventory/warehouses/{their_warehouse}")).refused(404, "NOT_FOUND");
}

fn warehouses_are_listed_by_what_they_are(database: Database) {
    let shop = company(database);
    let entity = shop.other_entity();
    let quarantine = shop.warehouse("QUARANTINE");
    let other = shop.warehouse_of("VIRTUAL", &entity);
    let ids = |query: &[(&str, &str)]| shop.list("inventory/warehouses", query).is(200).ids();
    assert_eq!(ids(&[("type", "QUARANTINE")]), std::slice::from_ref(&quarantine));
    assert_eq!(ids(&[("legalEntityId", &entity)]), std::slice::from_ref(&other));
    assert_eq!(ids(&[("text", "mAi")]), [shop.main()]);
    assert_eq!(ids(&[("code", "mAin")]), [shop.main()]);
    assert!(ids(&[("code", "mAi")]).is_empty(), "a code is found whole");
    let branch = shop.made("BRANCH").unwrap_or_default();
    assert_eq!(ids(&[("branchId", &branch)]), [shop.main()]);
    shop.archive(&format!("inventory/warehouses/{quarantine}")).is(200);
    assert_eq!(ids(&[("status", "ARCHIVED")]), std::slice::from_ref(&quarantine));
    let client = shop.machine(&["inventory.read"]);
    let seen = client.get("inventory/warehouses").is(200);
    assert_eq!(seen.ids().len(), 3);
    assert!(seen.items().iter().all(|row| row.get("tenantId").is_none() && row.get("archivedAt").is_none()));
    client.get(&format!("inventory/warehouses/{quarantine}")).refused(404, "NOT_FOUND");
    client.get(&format!("inventory/warehouses/{other}")).is(200);
    client.get(&format!("inventory/warehouses/{other}/locations")).is(200);
}
