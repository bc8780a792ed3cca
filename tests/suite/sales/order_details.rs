//! Members of an order that name no record: where its goods go, by whom and when, and who sold it.

use serde_json::{Value as Json, json};
use stoa_tests::company::with;
use stoa_tests::selling::{Counter, counter};
use stoa_tests::{Answer, Database, on_both_databases};

on_both_databases![
    an_order_keeps_what_its_body_states,
    a_replacement_clears_what_it_omits,
    lists_find_the_orders_of_a_salesperson,
    lists_of_keys_have_no_details,
    an_address_is_in_no_event_and_no_entry,
];

on_both_databases![
    rules:
    what_is_stated_has_a_form,
    an_order_of_a_quotation_has_no_details,
];

const DETAILS: [&str; 4] = ["deliveryAddress", "carrier", "requiredOn", "salesperson"];

fn details() -> Json {
    json!({
        "deliveryAddress": {
            "label": "Reception", "line1": "Hafenstr. 7", "line2": null, "city": "Hamburg", "region": null,
            "postalCode": "20457", "countryCode": "DE",
        },
        "carrier": "DHL", "requiredOn": "2026-03-06", "salesperson": "Ada Example",
    })
}

fn one(counter: &Counter) -> Json {
    json!([{ "variantId": counter.good("10", "0"), "quantity": "1" }])
}

/// The details of a record.
fn pick_details(record: &Answer) -> Json {
    DETAILS.into_iter().map(|name| (name.to_string(), record[name].clone())).collect::<serde_json::Map<_, _>>().into()
}

fn an_order_keeps_what_its_body_states(database: Database) {
    let counter = counter(database);
    let key = counter.shop.machine(&["sales.read", "sales.write", "pricing.read"]);
    let body = with(&counter.order(one(&counter)), details());
    let (by_user, by_key) =
        (counter.shop.post("sales/orders", body.clone()).is(201).id(), key.post("sales/orders", body).is(201).id());
    for order in [by_user, by_key] {
        assert_eq!(pick_details(&counter.read(&order)), details());
        assert_eq!(pick_details(&key.get(&format!("sales/orders/{order}")).is(200)), details());
    }
    let header = counter.shop.list("sales/orders", &[]).is(200).items()[0].clone();
    assert_eq!(header["deliveryAddress"], details()["deliveryAddress"], "users see them in lists too");
}

fn a_replacement_clears_what_it_omits(database: Database) {
    let counter = counter(database);
    let body = counter.order(one(&counter));
    let order = counter.shop.post("sales/orders", body.clone()).is(201).id();
    let put = |version: i64, members: Json| {
        let body = with(&with(&body, json!({ "expectedVersion": version })), members);
        counter.shop.put(&format!("sales/orders/{order}"), body).is(200);
        pick_details(&counter.read(&order))
    };
    let none = json!({ "deliveryAddress": null, "carrier": null, "requiredOn": null, "salesperson": null });
    assert_eq!(pick_details(&counter.read(&order)), none, "a body of before states none");
    assert_eq!(put(1, details()), details());
    assert_eq!(put(2, json!({})), none);
    let rows = counter
        .shop
        .rows("select metadata from stoa_audit where {tenant} and operation = 'replaceSalesOrder' order by id");
    let metadata: Json = serde_json::from_str(&rows[0][0]).unwrap_or_default();
    let changed = metadata["changed"].as_array().cloned().unwrap_or_default();
    assert!(DETAILS.into_iter().all(|name| changed.contains(&json!(name))), "{metadata}");
}

fn what_is_stated_has_a_form(database: Database) {
    let counter = counter(database);
    let body = with(&counter.order(one(&counter)), details());
    let address = |members: Json| json!({ "deliveryAddress": with(&details()["deliveryAddress"], members) });
    for (members, pointer, code) in [
        (address(json!({ "countryCode": "ZZ" })), "/deliveryAddress/countryCode", "FORMAT"),
        (address(json!({ "line1": " " })), "/deliveryAddress/line1", "RANGE"),
        (address(json!({ "use": "SHIPPING" })), "/deliveryAddress", "NOT_ALLOWED"),
        (json!({ "deliveryAddress": { "countryCode": "DE" } }), "/deliveryAddress/line1", "REQUIRED"),
        (json!({ "carrier": "x".repeat(121) }), "/carrier", "RANGE"),
        (json!({ "requiredOn": "2026-02-30" }), "/requiredOn", "FORMAT"),
        (json!({ "salesperson": "" }), "/salesperson", "RANGE"),
        (json!({ "salesperson": "two\nlines" }), "/salesperson", "FORMAT"),
    ] {
        counter.shop.post("sales/orders", with(&body, members)).refused(400, "VALIDATION_FAILED").fault(pointer, code);
    }
}

fn lists_find_the_orders_of_a_salesperson(database: Database) {
    let counter = counter(database);
    let items = one(&counter);
    let draft = |name: Option<&str>| {
        let body = with(&counter.order(items.clone()), json!({ "salesperson": name }));
        counter.shop.post("sales/orders", body).is(201).id()
    };
    let [ada, _, again, _] = [Some("Ada"), Some("Bo"), Some("Ada"), None].map(draft);
    let key = counter.shop.machine(&["sales.read"]);
    for (name, expected) in [("Ada", vec![&ada, &again]), ("ada", vec![]), ("Ad", vec![])] {
        let query = [("salesperson", name)];
        let found = counter.shop.list("sales/orders", &query).is(200).ids();
        assert_eq!(found.iter().collect::<Vec<_>>(), expected, "{name}");
        assert_eq!(key.request("GET", "sales/orders").query(&query).send().is(200).ids(), found, "{name}");
    }
}

fn lists_of_keys_have_no_details(database: Database) {
    let counter = counter(database);
    counter.shop.post("sales/orders", with(&counter.order(one(&counter)), details())).is(201);
    let header = counter.shop.machine(&["sales.read"]).get("sales/orders").is(200).items()[0].clone();
    assert!(DETAILS.into_iter().all(|name| header.get(name).is_none()), "{header}");
}

fn an_order_of_a_quotation_has_no_details(database: Database) {
    let counter = counter(database);
    let body = counter.quotation(one(&counter));
    let stated = counter.shop.post("sales/quotations", with(&body, details())).refused(400, "VALIDATION_FAILED");
    stated.fault("", "NOT_ALLOWED");
    let path = format!("sales/quotations/{}", counter.shop.post("sales/quotations", body).is(201).id());
    counter.shop.post(&format!("{path}/send"), json!({ "expectedVersion": 1 })).is(200);
    let accepted = counter.shop.post(&format!("{path}/accept"), json!({ "expectedVersion": 2 })).is(201);
    let order = counter.read(&accepted.text("orderId"));
    assert!(DETAILS.into_iter().all(|name| order[name].is_null()), "{order}");
}

fn an_address_is_in_no_event_and_no_entry(database: Database) {
    let counter = counter(database);
    counter.shop.post("sales/orders", with(&counter.order(one(&counter)), details())).is(201);
    for table in ["stoa_event", "stoa_audit", "stoa_idempotency"] {
        let rows = counter.shop.rows(&format!("select * from {table} where {{tenant}}")).concat().concat();
        assert!(!rows.contains("Hafenstr.") && !rows.contains("Ada Example"), "{table}");
    }
}
