//! Reservations by hand. [E23]..[E26]

use serde_json::json;
use stoa_tests::goods::WHY;
use stoa_tests::services::inventory::{Call, ReserveLine, Reserved, SalesOrder};
use stoa_tests::services::{self, Key, id, key};
use stoa_tests::{Database, at_once, company, on_both_databases};

on_both_databases![e24_a_reservation_is_released_once, e26_held_goods_stay_on_hand,];

on_both_databases![
    rules:
    e23_only_what_is_available_is_held,
    e25_what_an_order_holds_is_its_own,
    c14_an_archived_variant_is_not_held,
];

fn e23_only_what_is_available_is_held(database: Database) {
    let shop = company(database);
    let (main, variant) = (shop.main(), shop.counted(0));
    shop.reserve(&variant, &main, "1").refused(409, "INSUFFICIENT_STOCK").at("/quantity");
    shop.bring(&variant, &main, "3", None).is(201);
    shop.reserve(&variant, &main, "4").refused(409, "INSUFFICIENT_STOCK").at("/quantity");
    shop.reserve(&variant, &main, "3").is(201);
    for kind in ["QUARANTINE", "IN_TRANSIT"] {
        let warehouse = shop.warehouse(kind);
        shop.bring(&variant, &warehouse, "3", None).is(201);
        shop.reserve(&variant, &warehouse, "1").refused(409, "CUSTODY_CONFLICT").at("/warehouseId");
    }
    for kind in ["VIRTUAL", "THIRD_PARTY"] {
        let warehouse = shop.warehouse(kind);
        shop.bring(&variant, &warehouse, "3", None).is(201);
        shop.reserve(&variant, &warehouse, "1").is(201);
    }
    shop.verified();
}

fn e24_a_reservation_is_released_once(database: Database) {
    let shop = company(database);
    let (main, variant) = (shop.main(), shop.counted(0));
    shop.bring(&variant, &main, "1", None).is(201);
    let held = shop.reserve(&variant, &main, "1").is(201).id();
    let mut statuses = at_once(2, |_| shop.release(&held).status);
    statuses.sort_unstable();
    assert_eq!(statuses, [200, 409]);
    shop.release(&held).refused(409, "ILLEGAL_STATE");
    assert_eq!(shop.figure(&variant, &main, "reserved"), "0.000000");
    let versioned = json!({ "reason": WHY, "expectedVersion": 1 });
    let again = shop.reserve(&variant, &main, "1").is(201).id();
    let path = format!("inventory/reservations/{again}/release");
    shop.post(&path, versioned).refused(400, "VALIDATION_FAILED").at("/expectedVersion");
    shop.release(&main).refused(404, "NOT_FOUND");
}

fn e25_what_an_order_holds_is_its_own(database: Database) {
    let shop = services::host(database).company();
    let (main, variant) = (shop.main(), shop.counted(0));
    shop.bring(&variant, &main, "5", None).is(201);
    let order = SalesOrder { id: (1, 1), number: "SO-1".to_string() };
    let (variant_id, quantity) = (key(&variant), "2".to_string());
    let line = ReserveLine { line: (2, 2), variant_id, quantity, unit_ids: Vec::new() };
    let held: Vec<Reserved> = shop.call_inventory(Call::Reserve(order, key(&main), vec![line]));
    let held = id(held[0].reservation_id);
    shop.release(&held).refused(409, "ILLEGAL_STATE");
    let read = shop.get(&format!("inventory/reservations/{held}")).is(200);
    assert_eq!((&read["source"], &read["status"]), (&json!("SALES_ORDER"), &json!("ACTIVE")));
    // Another order, or a reservation by hand, does not belong to this order.
    let by_hand = shop.reserve(&variant, &main, "1").is(201).id();
    let release = |order: Key, id: &str| Call::Release(order, vec![key(id)], WHY.to_string());
    for (order, id) in [((9, 9), &held), ((1, 1), &by_hand)] {
        shop.try_inventory(&[release(order, id)]).refused(409, "ILLEGAL_STATE").at("/reservations/0");
    }
    shop.call_inventory::<()>(release((1, 1), &held));
    assert_eq!(shop.figure(&variant, &main, "reserved"), "1.000000");
    shop.try_inventory(&[release((1, 1), &held)]).refused(409, "ILLEGAL_STATE");
    shop.verified();
}

fn e26_held_goods_stay_on_hand(database: Database) {
    let shop = company(database);
    let (main, variant) = (shop.main(), shop.counted(2));
    shop.bring(&variant, &main, "5", None).is(201);
    let receipt = shop.reserve(&variant, &main, "1.25").is(201);
    assert_eq!((&receipt["status"], &receipt["quantity"]), (&json!("ACTIVE"), &json!("1.250000")));
    let level = shop.level(&variant, &main);
    let figures = ["onHand", "reserved", "available"].map(|name| level[name].as_str().unwrap_or_default());
    assert_eq!(figures, ["5.000000", "1.250000", "3.750000"]);
    let released = shop.release(&receipt.id()).is(200);
    assert_eq!(released["status"], "RELEASED");
    assert!(released["closedAt"].is_string());
    let list = |query: &[(&str, &str)]| shop.list("inventory/reservations", query).is(200).ids();
    assert_eq!(list(&[("status", "RELEASED")]), [receipt.id()]);
    assert!(list(&[("status", "ACTIVE")]).is_empty());
    assert_eq!(list(&[("variantId", &variant), ("warehouseId", &main), ("source", "MANUAL")]), [receipt.id()]);
}

/// Goods that were held before stay held, and goods still go out.
fn c14_an_archived_variant_is_not_held(database: Database) {
    let shop = company(database);
    let (main, variant, phone) = (shop.main(), shop.counted(0), shop.phone());
    shop.bring(&variant, &main, "3", None).is(201);
    let held = shop.reserve(&variant, &main, "1").is(201).id();
    let unit = shop.admit(&phone, &main, 1).remove(0);
    for variant in [&variant, &phone] {
        shop.archive(&format!("catalog/variants/{variant}")).is(200);
    }
    let refused = shop.reserve(&variant, &main, "1").refused(409, "REFERENCE_INVALID");
    refused.fault("/variantId", "ARCHIVED");
    let body = json!({ "expectedVersion": 1, "reason": WHY });
    shop.post(&format!("inventory/units/{unit}/reservations"), body).refused(409, "ARCHIVED").at("/variantId");
    assert_eq!(shop.figure(&variant, &main, "reserved"), "1.000000");
    shop.release(&held).is(200);
    shop.take("LOSS", &variant, &main, "3").is(201);
    shop.verified();
}
