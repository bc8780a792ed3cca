//! The example of a partner's module takes the place of pricing while the host serves, and gives it back: callers notice what was
//! added and nothing else, and every row stays.

use serde_json::{Value as Json, json};
use stoa_tests::{Company, Database, Stoa, modules, on_both_databases};

on_both_databases![in_and_out_with_data_in_place];

/// The price of a variant, for a caller that asks for a quantity.
fn amount(shop: &Company, resolve: &str, quantity: &str) -> Json {
    shop.list(resolve, &[("quantity", quantity)]).is(200)["amount"].clone()
}

fn in_and_out_with_data_in_place(database: Database) {
    let host = Stoa::start(database);
    let (console, shop) = (host.console(), host.company());
    let list = shop.price_list("WEB");
    let variant = shop.on_sale("SCREW");
    let price = shop.price(&list, &variant, None, None).is(201);
    let tiers = format!("pricing/price-lists/{list}/prices/{}/tiers", price.id());
    let resolve = format!("pricing/price-lists/{list}/resolve/{variant}");
    let before = shop.get(&resolve).is(200);
    assert!(before["quantityTiers"].is_null());
    shop.get(&tiers).refused(404, "NOT_FOUND");

    let digest = console.pushed(&std::fs::read(modules::example("tiers")).expect("the example"));
    let built_in = console.version("pricing");
    console.activate(&digest, json!({})).is(200);
    assert_ne!(console.version("pricing"), built_in);
    host.forget_contract();

    // The built-in module's rows, answers and events are what they were; new parts show at once.
    let after = shop.get(&resolve).is(200);
    assert_eq!(after["quantityTiers"], json!([]));
    for (member, value) in before.body.as_object().expect("a price") {
        assert_eq!(&after[member.as_str()], value, "{member}");
    }
    let set = |tiers_: Json| shop.put(&tiers, json!({ "tiers": tiers_ }));
    let two = json!([{ "fromQuantity": "10", "amount": "0.9" }, { "fromQuantity": "100", "amount": "0.8" }]);
    let answer = set(two).is(200);
    assert_eq!(answer["tiers"][1], json!({ "fromQuantity": "100.000000", "amount": "0.800000" }));
    assert_eq!(amount(&shop, &resolve, "9.9"), before["amount"]);
    assert_eq!(amount(&shop, &resolve, "10"), "0.900000");
    assert_eq!(amount(&shop, &resolve, "1000"), "0.800000");
    set(json!([{ "fromQuantity": "0", "amount": "1" }])).refused(400, "VALIDATION_FAILED").at("/tiers/0/fromQuantity");
    shop.request("PUT", &tiers)
        .if_match(&price.etag())
        .json(&json!({ "tiers": [] }))
        .send()
        .refused(412, "PRECONDITION_FAILED");
    let audited = shop.list("audit", &[("operation", "setPriceTiers")]).is(200);
    assert_eq!(audited.items().len(), 1, "{audited}");
    assert_eq!(audited.items()[0]["resourceId"], price.id().as_str());

    // Out: its additions are gone from the contract, its rows wait in its table.
    console.restore(1).is(200);
    host.forget_contract();
    assert_eq!(console.version("pricing"), built_in);
    let out = shop.get(&resolve).is(200);
    assert_eq!((&out["amount"], &out["quantityTiers"]), (&before["amount"], &Json::Null));
    assert_eq!(amount(&shop, &resolve, "10"), before["amount"]);
    shop.get(&tiers).refused(404, "NOT_FOUND");

    // In again: as it left them.
    console.activate(&digest, json!({ "again": true })).is(200);
    host.forget_contract();
    assert_eq!(amount(&shop, &resolve, "100"), "0.800000");
    let output = host.command().args(["verify"]).output().expect("cannot run stoa verify");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
}
