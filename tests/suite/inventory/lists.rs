//! Lists of inventory: some records by their ids, and what changed since an instant.

use serde_json::json;
use stoa_tests::company::fresh;
use stoa_tests::{Company, Database, company, eventually, on_both_databases};

on_both_databases![records_are_found_by_their_ids, lists_show_what_changed_since];

fn records_are_found_by_their_ids(database: Database) {
    let shop = company(database);
    let (main, other, variant) = (shop.main(), shop.warehouse("PHYSICAL"), shop.counted(0));
    shop.bring(&variant, &main, "1", None).is(201);
    shop.bring(&variant, &other, "1", None).is(201);
    let levels = shop.list("inventory/stock", &[("variantId", &variant)]).is(200).ids();
    let client = shop.machine(&["inventory.read"]);
    for (path, ids) in [("inventory/warehouses", vec![main.clone(), other]), ("inventory/stock", levels)] {
        for some in [&ids[..], &ids[1..]] {
            let query = some.join(",");
            assert_eq!(shop.list(path, &[("ids", &query)]).is(200).ids(), some, "{path}");
            // A list of API clients ends before what other transactions under way may still write.
            eventually(|| (client.get(&format!("{path}?ids={query}")).is(200).ids() == some).then_some(()));
        }
        let absent = uuid::Uuid::now_v7().to_string();
        assert!(shop.list(path, &[("ids", &absent)]).is(200).items().is_empty(), "{path}");
        shop.list(path, &[("ids", "main")]).refused(400, "VALIDATION_FAILED").at("/query/ids");
    }
}

/// The ids of a list of records that changed since an instant, once these are all of them.
fn expect_changed(shop: &Company, path: &str, since: &str, ids: &[String]) {
    eventually(|| (shop.list(path, &[("updatedSince", since)]).is(200).ids() == ids).then_some(()));
}

fn lists_show_what_changed_since(database: Database) {
    let shop = company(database);
    let (main, other, variant) = (shop.main(), shop.warehouse("PHYSICAL"), shop.counted(0));
    shop.bring(&variant, &main, "5", Some("1")).is(201);
    let warehouse = shop.warehouse("VIRTUAL");
    let locations = format!("inventory/warehouses/{warehouse}/locations");
    let line = json!([{ "variantId": variant, "quantity": "1" }]);
    let order = json!({ "fromWarehouseId": main, "toWarehouseId": other, "items": line });
    let reserve = || shop.reserve(&variant, &main, "1").is(201).id();
    let (count, transfer) = (json!({ "warehouseId": main }), "inventory/transfer-orders");
    reserve();
    shop.post(&locations, json!({ "code": "A-1", "name": "A" })).is(201);
    shop.post("inventory/counts", count.clone()).is(201);
    let last = shop.post(transfer, order.clone()).is(201).id();
    let last = shop.get(&format!("{transfer}/{last}")).is(200).text("createdAt");
    // Everything from here on is later than all of this.
    let location = eventually(|| {
        let made = shop.post(&locations, json!({ "code": fresh("B"), "name": "B" })).is(201);
        (made.text("createdAt") > last).then_some(made)
    });
    let since = location.text("createdAt");
    expect_changed(&shop, &locations, &since, &[location.id()]);
    let reservation = reserve();
    expect_changed(&shop, "inventory/reservations", &since, &[reservation]);
    expect_changed(&shop, "inventory/counts", &since, &[shop.post("inventory/counts", count).is(201).id()]);
    expect_changed(&shop, transfer, &since, &[shop.post(transfer, order).is(201).id()]);
    expect_changed(&shop, "inventory/warehouses", &since, &[shop.warehouse("PHYSICAL")]);
    let movement = shop.bring(&variant, &main, "1", Some("1")).is(201).id();
    expect_changed(&shop, "inventory/movements", &since, &[movement]);
    let layers = shop.list("inventory/cost-layers", &[("variantId", &variant)]).is(200).ids();
    expect_changed(&shop, "inventory/cost-layers", &since, &layers[1..]);
}
