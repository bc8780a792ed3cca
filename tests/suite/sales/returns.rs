//! Goods that customers bring back. [E273]..[E281]; rejections by the books are in `failures`.

use serde_json::{Value as Json, json};
use stoa_tests::company::with;
use stoa_tests::selling::{Counter, counter, counter_with_books};
use stoa_tests::{Answer, Database, assert_table, at_once, on_both_databases};

on_both_databases![
    e273_no_more_comes_back_than_was_delivered,
    a_machine_takes_back_all_or_nothing,
    a_draft_is_replaced_and_cancelled,
    the_audit_entry_of_a_replacement_names_all_that_changed,
    lists_find_returns_by_what_is_asked,
];

on_both_databases![
    rules:
    e274_a_unit_comes_back_by_its_own_order_once,
    e275_a_unit_comes_back_as_it_is_found,
    e276_e279_only_tracked_lines_of_completed_orders_come_back,
    e277_a_full_return_undoes_value_and_cost,
    what_comes_back_damaged_leaves_its_cost_with_the_sale,
    e280_a_return_is_received_once,
    e281_a_returned_unit_is_sold_again,
];

#[track_caller]
fn line(counter: &Counter, order: &str, index: usize) -> Json {
    counter.read(order)["items"][index]["id"].clone()
}

#[track_caller]
fn draft(counter: &Counter, order: &str, items: Json, members: Json) -> Answer {
    let body = json!({ "orderId": order, "reason": "too small", "items": items });
    counter.shop.post("sales/returns", with(&body, members))
}

#[track_caller]
fn receive(counter: &Counter, id: &str) -> Answer {
    counter.shop.post(&format!("sales/returns/{id}/receive"), json!({ "expectedVersion": 1 }))
}

fn one(variant: &str, quantity: &str) -> Json {
    json!([{ "variantId": variant, "quantity": quantity }])
}

fn e273_no_more_comes_back_than_was_delivered(database: Database) {
    let counter = counter(database);
    let variant = counter.good("10", "5");
    let order = counter.deliver(one(&variant, "2"));
    let item = line(&counter, &order, 0);
    let drafted = |quantity: &str| {
        draft(&counter, &order, json!([{ "itemId": item, "quantity": quantity }]), json!({})).is(201).id()
    };
    let beyond = receive(&counter, &drafted("3")).refused(409, "LIMIT_EXCEEDED");
    beyond.fault("/items/0/quantity", "BEYOND_DELIVERED").bounds("/items/0/quantity", json!({ "maximum": "2.000000" }));
    receive(&counter, &drafted("1")).is(200);
    let beyond = receive(&counter, &drafted("2")).refused(409, "LIMIT_EXCEEDED");
    beyond.bounds("/items/0/quantity", json!({ "maximum": "1.000000" }));
    let last = [drafted("1"), drafted("1")];
    let mut statuses = at_once(2, |n| receive(&counter, &last[n]).status);
    statuses.sort_unstable();
    assert_eq!(statuses, [200, 409]);
    let read = counter.read(&order);
    assert_eq!((&read["items"][0]["returnedQuantity"], &read["version"]), (&json!("2.000000"), &json!(3)));
    assert_eq!(counter.shop.figure(&variant, &counter.main, "available"), "5.000000");
    counter.shop.verified();
}

fn e274_a_unit_comes_back_by_its_own_order_once(database: Database) {
    let counter = counter(database);
    let (phone, units) = counter.phone("300", 2);
    let sell = |unit: &str| counter.deliver(json!([{ "variantId": phone, "quantity": "1", "unitIds": [unit] }]));
    let (one, two) = (sell(&units[0]), sell(&units[1]));
    let back = |order: &str, unit: &str| {
        let items = json!([{ "itemId": line(&counter, order, 0), "quantity": "1", "unitIds": [unit] }]);
        let id = draft(&counter, order, items, json!({})).is(201).id();
        receive(&counter, &id)
    };
    back(&one, &units[1]).refused(409, "UNIT_UNAVAILABLE").at("/items/0/unitIds/0");
    back(&one, &units[0]).is(200);
    back(&one, &units[0]).refused(409, "UNIT_UNAVAILABLE");
    let items = json!([{ "itemId": line(&counter, &two, 0), "quantity": "1", "unitIds": units }]);
    let both = draft(&counter, &two, items, json!({})).refused(409, "UNIT_COUNT_MISMATCH");
    both.fault("/items/0/unitIds", "UNITS_DIFFER_FROM_QUANTITY");
    back(&two, &units[1]).is(200);
    counter.shop.verified();
}

fn e275_a_unit_comes_back_as_it_is_found(database: Database) {
    let counter = counter(database);
    let quarantine = counter.shop.warehouse("QUARANTINE");
    for (members, disposition, status) in [
        (json!({}), None, "RETURNED"),
        (json!({}), Some("RESTOCK"), "AVAILABLE"),
        (json!({}), Some("DAMAGED"), "DAMAGED"),
        (json!({ "warehouseId": quarantine }), Some("RESTOCK"), "QUARANTINED"),
    ] {
        let (phone, units) = counter.phone("300", 1);
        let order = counter.deliver(json!([{ "variantId": phone, "quantity": "1", "unitIds": units }]));
        let item = json!({ "itemId": line(&counter, &order, 0), "quantity": "1", "unitIds": units, "disposition": disposition });
        let id = draft(&counter, &order, json!([item]), members).is(201).id();
        receive(&counter, &id).is(200);
        assert_eq!(counter.shop.serial_unit(&units[0])["status"], status);
        let read = counter.shop.get(&format!("sales/returns/{id}")).is(200);
        assert_eq!((&read["status"], &read["items"][0]["units"][0]["status"]), (&json!("RECEIVED"), &json!(status)));
    }
    counter.shop.verified();
}

fn e276_e279_only_tracked_lines_of_completed_orders_come_back(database: Database) {
    let counter = counter(database);
    let (service, good) = (counter.service("5"), counter.good("10", "5"));
    let items = json!([{ "variantId": service, "quantity": "1" }, { "variantId": good, "quantity": "1" }]);
    let order = counter.draft(items);
    let returned = |index: usize| json!([{ "itemId": line(&counter, &order, index), "quantity": "1" }]);
    counter.confirm(&order).is(200);
    draft(&counter, &order, returned(1), json!({})).refused(409, "ILLEGAL_STATE").at("/orderId");
    counter.complete(&order).is(200);
    draft(&counter, &order, returned(0), json!({})).refused(409, "ILLEGAL_STATE").at("/items/0/itemId");
    draft(&counter, &order, returned(1), json!({})).is(201);
    let other = counter.shop.warehouse_of("PHYSICAL", &counter.shop.other_entity());
    let elsewhere =
        draft(&counter, &order, returned(1), json!({ "warehouseId": other })).refused(409, "REFERENCE_INVALID");
    elsewhere.fault("/warehouseId", "OTHER_ENTITY");
    let unknown = json!([{ "itemId": order, "quantity": "1" }]);
    draft(&counter, &order, unknown, json!({})).refused(404, "NOT_FOUND").at("/items/0/itemId");
    let item = line(&counter, &order, 1);
    let damaged = json!([{ "itemId": item, "quantity": "1", "disposition": "DAMAGED" }]);
    draft(&counter, &order, damaged, json!({}))
        .refused(409, "ILLEGAL_STATE")
        .fault("/items/0/disposition", "NOT_ALLOWED");
    for (items, pointer, code) in [
        (json!([{ "itemId": item, "quantity": "0.5" }]), "/items/0/quantity", "QUANTITY_SCALE"),
        (
            json!([{ "itemId": item, "quantity": "1" }, { "itemId": item, "quantity": "1" }]),
            "/items/1/itemId",
            "REPEATED",
        ),
    ] {
        draft(&counter, &order, items, json!({})).refused(400, "VALIDATION_FAILED").fault(pointer, code);
    }
}

fn e277_a_full_return_undoes_value_and_cost(database: Database) {
    let counter = counter_with_books(database);
    let variant = counter.good("10", "5");
    let before = counter.shop.worth(&variant);
    let order = counter.deliver(one(&variant, "2"));
    let items = json!([{ "itemId": line(&counter, &order, 0), "quantity": "2" }]);
    let id = draft(&counter, &order, items, json!({})).is(201).id();
    receive(&counter, &id).is(200);
    assert_eq!(counter.shop.worth(&variant), before);
    assert_table!(counter.shop.journal_table(&counter.entity), @r"
    entry  account                     debit  credit
        1  1200 Inventory                  5
           5200 Inventory adjustments              5
        2  1160 Sales clearing            20
           4000 Sales                             20
           5000 Cost of goods sold         2
           1200 Inventory                          2
        3  1200 Inventory                  2
           5000 Cost of goods sold                 2
    ");
    counter.shop.verified();
}

fn what_comes_back_damaged_leaves_its_cost_with_the_sale(database: Database) {
    let counter = counter_with_books(database);
    let (phone, units) = counter.phone("300", 2);
    let order = counter.deliver(json!([{ "variantId": phone, "quantity": "2", "unitIds": units }]));
    let item = line(&counter, &order, 0);
    let back = |unit: &str, disposition: &str| {
        let before = counter.shop.journal_table(&counter.entity);
        let items = json!([{ "itemId": item, "quantity": "1", "unitIds": [unit], "disposition": disposition }]);
        let id = draft(&counter, &order, items, json!({})).is(201).id();
        receive(&counter, &id).is(200);
        counter.shop.journal_table(&counter.entity) != before
    };
    assert!(!back(&units[0], "DAMAGED"), "nothing is posted");
    assert!(back(&units[1], "INSPECT"));
    counter.shop.verified();
}

fn e280_a_return_is_received_once(database: Database) {
    let counter = counter(database);
    let variant = counter.good("10", "5");
    let order = counter.deliver(one(&variant, "2"));
    let items = json!([{ "itemId": line(&counter, &order, 0), "quantity": "1" }]);
    let id = draft(&counter, &order, items, json!({})).is(201).id();
    receive(&counter, &id).is(200);
    receive(&counter, &id).refused(409, "VERSION_CONFLICT");
    let again = counter.shop.post(&format!("sales/returns/{id}/receive"), json!({ "expectedVersion": 2 }));
    again.refused(409, "ILLEGAL_STATE");
}

fn e281_a_returned_unit_is_sold_again(database: Database) {
    let counter = counter(database);
    let (phone, units) = counter.phone("300", 1);
    let items = json!([{ "variantId": phone, "quantity": "1", "unitIds": units }]);
    let first = counter.deliver(items.clone());
    let item =
        json!({ "itemId": line(&counter, &first, 0), "quantity": "1", "unitIds": units, "disposition": "RESTOCK" });
    let id = draft(&counter, &first, json!([item]), json!({})).is(201).id();
    receive(&counter, &id).is(200);
    let second = counter.deliver(items);
    let [one, two] = [&first, &second].map(|order| counter.read(order)["items"][0].clone());
    assert_eq!((&one["units"][0]["outcome"], &two["units"][0]["outcome"]), (&json!("DELIVERED"), &json!("DELIVERED")));
    assert_eq!(one["units"][0]["serialNumber"], two["units"][0]["serialNumber"]);
    assert_ne!(one["allocations"][0]["id"], two["allocations"][0]["id"]);
    counter.shop.verified();
}

fn a_machine_takes_back_all_or_nothing(database: Database) {
    let counter = counter(database);
    let (phone, units) = counter.phone("300", 2);
    let order = counter.deliver(json!([{ "variantId": phone, "quantity": "2", "unitIds": units }]));
    let key = counter.shop.machine(&["sales.read", "sales.write", "inventory.write"]);
    let body = |members: Json| {
        let item = with(&json!({ "itemId": line(&counter, &order, 0), "quantity": "1" }), members);
        json!({ "orderId": order, "reason": "too small", "items": [item] })
    };
    let named = key.post("sales/returns", body(json!({ "unitIds": [units[0]] }))).refused(400, "VALIDATION_FAILED");
    named.fault("/items/0/unitIds", "NOT_ALLOWED");
    let receive = |id: &str| key.post(&format!("sales/returns/{id}/receive"), json!({ "expectedVersion": 1 }));
    let one = key.post("sales/returns", body(json!({}))).is(201).id();
    receive(&one).refused(409, "UNIT_COUNT_MISMATCH");
    let both = key.post("sales/returns", body(json!({ "quantity": "2" }))).is(201).id();
    receive(&both).is(200);
    let seen = key.get(&format!("sales/returns/{both}")).is(200);
    assert!(units.iter().all(|unit| !seen.to_string().contains(unit)), "{seen}");
    let read = counter.shop.get(&format!("sales/returns/{both}")).is(200);
    assert_eq!(read["items"][0]["unitCount"], 2);
    counter.shop.verified();
}

fn a_draft_is_replaced_and_cancelled(database: Database) {
    let counter = counter(database);
    let variant = counter.good("10", "5");
    let (order, other) = (counter.deliver(one(&variant, "2")), counter.deliver(one(&variant, "1")));
    let item = line(&counter, &order, 0);
    let created = draft(&counter, &order, json!([{ "itemId": item, "quantity": "1" }]), json!({})).is(201);
    let path = format!("sales/returns/{}", created.id());
    let put = |order: &str, item: &Json| {
        let items = json!([{ "itemId": item, "quantity": "2" }]);
        counter.shop.put(&path, json!({ "expectedVersion": 1, "orderId": order, "reason": "both", "items": items }))
    };
    put(&other, &line(&counter, &other, 0)).refused(409, "IMMUTABLE_FIELD").at("/orderId");
    put(&order, &item).is(200);
    let read = counter.shop.get(&path).is(200);
    assert_eq!((&read["reason"], &read["items"][0]["quantity"]), (&json!("both"), &json!("2.000000")));
    counter.shop.post(&format!("{path}/cancel"), json!({ "expectedVersion": 2 })).is(200);
    counter.shop.post(&format!("{path}/cancel"), json!({ "expectedVersion": 3 })).refused(409, "ILLEGAL_STATE");
    let found = counter.shop.list("sales/returns", &[("orderId", &order), ("status", "CANCELLED")]).is(200);
    assert_eq!(found.ids(), [created.id()]);
    counter.shop.verified();
}

fn the_audit_entry_of_a_replacement_names_all_that_changed(database: Database) {
    let counter = counter(database);
    let variant = counter.good("10", "5");
    let order = counter.deliver(one(&variant, "2"));
    let item = line(&counter, &order, 0);
    let created = draft(&counter, &order, json!([{ "itemId": item, "quantity": "1" }]), json!({})).is(201);
    let items = json!([{ "itemId": item, "quantity": "2" }]);
    let body = json!({ "expectedVersion": 1, "orderId": order, "reason": "both", "items": items });
    counter.shop.put(&format!("sales/returns/{}", created.id()), body).is(200);
    let rows = counter.shop.rows("select metadata from stoa_audit where {tenant} and operation = 'replaceSalesReturn'");
    let metadata: Json = serde_json::from_str(&rows[0][0]).unwrap_or_default();
    assert_eq!(metadata["changed"], json!(["reason", "items"]));
}

fn lists_find_returns_by_what_is_asked(database: Database) {
    let counter = counter(database);
    let variant = counter.good("10", "9");
    let (first, second) = (counter.deliver(one(&variant, "2")), counter.deliver(one(&variant, "2")));
    let back = |order: &str, members: Json| {
        let items = json!([{ "itemId": line(&counter, order, 0), "quantity": "1" }]);
        draft(&counter, order, items, members).is(201).id()
    };
    let other = counter.shop.warehouse("PHYSICAL");
    let (open, received) = (back(&first, json!({})), back(&second, json!({ "warehouseId": other })));
    receive(&counter, &received).is(200);
    let found = |query: &[(&str, &str)]| counter.shop.list("sales/returns", query).is(200).ids();
    for (query, expected) in [
        (vec![("status", "DRAFT")], vec![&open]),
        (vec![("status", "RECEIVED"), ("warehouseId", other.as_str())], vec![&received]),
        (vec![("warehouseId", counter.main.as_str())], vec![&open]),
        (vec![("orderId", second.as_str())], vec![&received]),
        (vec![("customerId", counter.customer.as_str())], vec![&open, &received]),
        (vec![("customerId", counter.entity.as_str())], vec![]),
        (vec![("legalEntityId", counter.entity.as_str()), ("from", "2020-01-01T00:00:00Z")], vec![&open, &received]),
        (vec![("to", "2020-01-01T00:00:00Z")], vec![]),
    ] {
        assert_eq!(found(&query), expected.into_iter().cloned().collect::<Vec<_>>(), "{query:?}");
    }
}
