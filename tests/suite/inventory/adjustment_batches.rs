//! Adjustments in batches: in order, all or nothing, of one legal entity.

use serde_json::{Value as Json, json};
use stoa_tests::company::{with, without};
use stoa_tests::goods::{bookkeeping, inbound, outbound};
use stoa_tests::{Answer, Company, Database, Machine, company, on_both_databases};

use super::adjustments::balances;

on_both_databases![
    receipts_are_in_the_order_of_the_request,
    one_that_fails_undoes_all,
    a_batch_of_worth_has_one_entry,
    goods_leave_at_the_cost_of_goods_that_were_there,
    five_hundred_at_most,
];

on_both_databases![
    rules:
    every_broken_rule_is_listed,
    all_warehouses_are_of_one_entity,
    a_variant_goes_one_way_in_a_warehouse,
    clients_send_batches_too,
];

const BATCH: &str = "inventory/adjustments/batch";

fn send(shop: &Company, adjustments: &[Json]) -> Answer {
    shop.post(BATCH, json!({ "adjustments": adjustments }))
}

fn receipts_are_in_the_order_of_the_request(database: Database) {
    let shop = company(database);
    let (main, other, one, two) = (shop.main(), shop.warehouse("PHYSICAL"), shop.counted(0), shop.counted(2));
    shop.bring(&one, &other, "5", None).is(201);
    let answer = send(
        &shop,
        &[
            inbound(&two, &main, "2.25", None),
            outbound("LOSS", &one, &other, "1"),
            inbound(&one, &main, "10", None),
            outbound("DAMAGE", &one, &other, "2"),
        ],
    );
    let answer = answer.is(201);
    let shown =
        |receipt: &Json| [&receipt["movementType"], &receipt["variantId"], &receipt["quantity"]].map(Json::clone);
    let reported: Vec<[Json; 3]> = answer.items().iter().map(shown).collect();
    let expected = [
        ["ADJUSTMENT_IN", &two, "2.250000"],
        ["LOSS", &one, "1.000000"],
        ["ADJUSTMENT_IN", &one, "10.000000"],
        ["DAMAGE", &one, "2.000000"],
    ];
    assert_eq!(reported, expected.map(|receipt| receipt.map(Json::from)));
    for id in answer.ids() {
        shop.get(&format!("inventory/movements/{id}")).is(200);
    }
    let on_hand =
        [(&one, &main), (&one, &other), (&two, &main)].map(|(variant, at)| shop.figure(variant, at, "onHand"));
    assert_eq!(on_hand, ["10.000000", "2.000000", "2.250000"]);
    shop.verified();
}

fn one_that_fails_undoes_all(database: Database) {
    let shop = company(database);
    let (main, variant, scarce) = (shop.main(), shop.counted(0), shop.counted(0));
    shop.bring(&scarce, &main, "3", None).is(201);
    let before = shop.digest();
    let refused = send(
        &shop,
        &[
            inbound(&variant, &main, "1", None),
            outbound("LOSS", &scarce, &main, "2"),
            outbound("DAMAGE", &scarce, &main, "2"),
        ],
    );
    let refused = refused.refused(409, "INSUFFICIENT_STOCK");
    assert_eq!(refused.pointers(), ["/adjustments/2/quantity"], "{refused}");
    assert_eq!(shop.digest(), before);
}

fn a_batch_of_worth_has_one_entry(database: Database) {
    let shop = bookkeeping(database);
    let (main, one, two) = (shop.main(), shop.counted(0), shop.counted(0));
    shop.bring(&two, &main, "4", Some("5")).is(201);
    let adjustments = [
        inbound(&one, &main, "10", Some("2")),
        inbound(&one, &main, "1", Some("3")),
        outbound("ADJUSTMENT_OUT", &two, &main, "1"),
        outbound("LOSS", &two, &main, "2"),
    ];
    let made = send(&shop, &adjustments).is(201);
    let entity = shop.entity();
    let entries = shop.all("ledger/journal-entries", &[("legalEntityId", &entity)]);
    let posted: Vec<&Json> = entries.iter().filter(|entry| entry["sourceId"] == made.ids()[0].as_str()).collect();
    assert_eq!((entries.len(), posted.len()), (2, 1), "{entries:?}");
    assert_eq!(posted[0]["total"], "38.000000000000");
    let expected = [("1200", "28.000000000000"), ("5200", "-38.000000000000"), ("5220", "10.000000000000")];
    assert_eq!(balances(&shop), expected.map(|(code, closing)| (code.to_string(), closing.to_string())));
    shop.verified();
}

/// Goods that come in are not goods that go out in the same request, although they are of one pool.
fn goods_leave_at_the_cost_of_goods_that_were_there(database: Database) {
    let shop = bookkeeping(database);
    let (main, other, variant) = (shop.main(), shop.warehouse("PHYSICAL"), shop.counted(0));
    shop.bring(&variant, &other, "5", Some("2")).is(201);
    send(&shop, &[inbound(&variant, &main, "5", Some("10")), outbound("LOSS", &variant, &other, "5")]).is(201);
    assert_eq!(shop.worth(&variant), "50.000000000000");
    shop.verified();
}

fn five_hundred_at_most(database: Database) {
    let shop = bookkeeping(database);
    let (main, variant) = (shop.main(), shop.counted(0));
    let adjustments = |count: usize| vec![inbound(&variant, &main, "1", Some("0.5")); count];
    send(&shop, &adjustments(501)).refused(400, "VALIDATION_FAILED").fault("/adjustments", "TOO_MANY");
    send(&shop, &[]).refused(400, "VALIDATION_FAILED").fault("/adjustments", "TOO_FEW");
    assert_eq!(send(&shop, &adjustments(500)).is(201).items().len(), 500);
    assert_eq!(shop.figure(&variant, &main, "onHand"), "500.000000");
    assert_eq!(shop.worth(&variant), "250.000000000000");
    let all = vec![outbound("LOSS", &variant, &main, "1"); 500];
    assert_eq!(send(&shop, &all).is(201).items().len(), 500);
    assert_eq!(shop.worth(&variant), "0.000000000000");
    shop.verified();
}

fn every_broken_rule_is_listed(database: Database) {
    let shop = bookkeeping(database);
    let (main, variant, untracked) = (shop.main(), shop.counted(0), shop.good(json!({})));
    let good = inbound(&variant, &main, "1", Some("1"));
    let absent = uuid::Uuid::now_v7().to_string();
    let nowhere = inbound(&absent, &absent, "1", Some("1"));
    let refused = send(&shop, &[nowhere, good.clone(), outbound("LOSS", &variant, &absent, "1")]);
    let pointers = ["/adjustments/0/variantId", "/adjustments/0/toWarehouseId", "/adjustments/2/fromWarehouseId"];
    assert_eq!(refused.refused(404, "NOT_FOUND").pointers(), pointers);
    let fine = inbound(&variant, &main, "0.5", Some("1"));
    let refused = send(&shop, &[fine.clone(), good.clone(), fine]).refused(400, "VALIDATION_FAILED");
    refused.fault("/adjustments/0/quantity", "QUANTITY_SCALE").fault("/adjustments/2/quantity", "QUANTITY_SCALE");
    let bare = inbound(&untracked, &main, "1", Some("1"));
    let refused = send(&shop, &[bare.clone(), good.clone(), bare]).refused(409, "ILLEGAL_STATE");
    assert_eq!(refused.pointers(), ["/adjustments/0/variantId", "/adjustments/2/variantId"]);
    let uncosted = inbound(&variant, &main, "1", None);
    let refused = send(&shop, &[uncosted.clone(), good.clone(), uncosted]).refused(409, "VALUATION_COST_REQUIRED");
    assert_eq!(refused.pointers(), ["/adjustments/0/unitCost", "/adjustments/2/unitCost"]);
    let sideless = without(&good, "toWarehouseId");
    send(&shop, &[good, sideless]).refused(400, "VALIDATION_FAILED").fault("/adjustments/1/toWarehouseId", "REQUIRED");
    assert_eq!(shop.level(&variant, &main), Json::Null);
}

fn all_warehouses_are_of_one_entity(database: Database) {
    let shop = company(database);
    let (main, variant) = (shop.main(), shop.counted(0));
    let foreign = shop.warehouse_of("PHYSICAL", &shop.other_entity());
    let refused = send(&shop, &[inbound(&variant, &main, "1", None), inbound(&variant, &foreign, "1", None)]);
    refused.refused(409, "REFERENCE_INVALID").fault("/adjustments/1/toWarehouseId", "OTHER_ENTITY");
    send(&shop, &[inbound(&variant, &foreign, "1", None)]).is(201);
}

fn a_variant_goes_one_way_in_a_warehouse(database: Database) {
    let shop = company(database);
    let (main, other, variant) = (shop.main(), shop.warehouse("PHYSICAL"), shop.counted(0));
    shop.bring(&variant, &other, "5", None).is(201);
    let came = inbound(&variant, &main, "10", None);
    let refused = send(&shop, &[came.clone(), outbound("LOSS", &variant, &main, "5"), came.clone()]);
    let refused = refused.refused(400, "VALIDATION_FAILED").fault("/adjustments/1/movementType", "NOT_ALLOWED");
    assert_eq!(refused.errors().len(), 1, "{refused}");
    send(&shop, &[came, outbound("LOSS", &variant, &other, "5")]).is(201);
}

fn clients_send_batches_too(database: Database) {
    let shop = company(database);
    let (main, variant) = (shop.main(), shop.counted(0));
    let body =
        json!({ "adjustments": [with(&inbound(&variant, &main, "1", None), json!({ "fromWarehouseId": null }))] });
    // The contract does not show members that may only be null.
    let send = |machine: &Machine| machine.request("POST", BATCH).json(&body).unchecked().send();
    send(&shop.machine(&["inventory.read"])).refused(403, "SCOPE_DENIED");
    let writer = shop.machine(&["inventory.read", "inventory.write"]);
    let receipts = send(&writer).is(201);
    let movement = writer.get(&format!("inventory/movements/{}", receipts.ids()[0])).is(200);
    assert_eq!(movement["variantId"], variant.as_str());
}
