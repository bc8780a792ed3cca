//! Sales orders from draft to delivery. [E241]..[E272]

use serde_json::{Value as Json, json};
use stoa_tests::books::Books;
use stoa_tests::company::{fresh, with};
use stoa_tests::selling::{Counter, counter, counter_with_books};
use stoa_tests::{Database, assert_table, on_both_databases};

on_both_databases![
    e244_e270_units_are_chosen_and_never_picked,
    e250_e251_an_order_is_delivered_once,
    e252_a_cancelled_order_gives_back_what_it_held,
    e257_services_are_delivered_without_stock,
    e260_e261_what_could_not_be_posted_is_not_confirmed,
    e263_a_unit_is_exchanged_for_an_available_one,
    a_taken_number_names_the_order_to_its_readers,
    ids_find_orders,
    lists_find_orders_by_what_is_asked,
];

on_both_databases![
    rules:
    e241_exactly_what_there_is_can_be_held,
    e245_a_unit_elsewhere_or_held_is_not_available,
    e246_a_unit_sold_meanwhile_has_no_substitute,
    e247_a_price_that_moved_is_reported,
    e248_from_confirmation_on_no_figure_moves,
    e254_only_readers_of_serials_see_them,
    e255_a_line_keeps_its_id,
    e256_an_order_has_a_hundred_lines_and_a_hundred_units,
    e258_a_total_of_many_decimals_is_confirmed_where_the_books_allow,
    e259_lines_may_add_up_to_six_decimals,
    e262_numbers_are_of_an_entity,
    e264_versions_are_plain,
    e266_what_was_confirmed_is_delivered,
    e267_e268_e269_keys_do_what_their_scopes_say,
    e271_an_order_of_nothing_posts_its_cost,
    a_delivery_posts_revenue_and_cost,
];

fn one(variant: &str, quantity: &str) -> Json {
    json!([{ "variantId": variant, "quantity": quantity }])
}

#[track_caller]
fn status(counter: &Counter, order: &str) -> (Json, Json) {
    let read = counter.read(order);
    (read["status"].clone(), read["version"].clone())
}

fn e241_exactly_what_there_is_can_be_held(database: Database) {
    let counter = counter(database);
    let variant = counter.good_of(6, "10", "5");
    // Inventory does not have the service: its places are those of the order all the same.
    let service = json!({ "variantId": counter.service("1"), "quantity": "1" });
    let above = counter.draft(json!([service, { "variantId": variant, "quantity": "5.000001" }]));
    counter.confirm(&above).refused(409, "INSUFFICIENT_STOCK").at("/items/1/quantity");
    assert_eq!(status(&counter, &above), (json!("DRAFT"), json!(1)));
    assert_eq!(counter.shop.figure(&variant, &counter.main, "reserved"), "0.000000");
    let exact = counter.draft_of(&variant, "5");
    assert_eq!(counter.confirm(&exact).is(200)["status"], "CONFIRMED");
    assert_eq!(counter.shop.figure(&variant, &counter.main, "reserved"), "5.000000");
    counter.shop.verified();
}

fn e244_e270_units_are_chosen_and_never_picked(database: Database) {
    let counter = counter(database);
    let (phone, units) = counter.phone("300", 4);
    let good = counter.good("10", "5");
    let items = json!([{ "variantId": good, "quantity": "1" }, { "variantId": phone, "quantity": "3" }]);
    let order = counter.draft(items);
    let lines = counter.read(&order)["items"].clone();
    let chosen = |line: usize, units: &[String]| {
        let units = json!([{ "itemId": lines[line]["id"], "unitIds": units }]);
        counter.step(&order, "confirm", 1, json!({ "units": units }))
    };
    let count = |answer: stoa_tests::Answer, required: u64, identified: u64| {
        let error = answer.refused(409, "UNIT_COUNT_MISMATCH").errors()[0].clone();
        assert_eq!(error["code"], "UNITS_DIFFER_FROM_QUANTITY");
        assert_eq!((error["required"].as_u64(), error["identified"].as_u64()), (Some(required), Some(identified)));
    };
    count(counter.confirm(&order), 3, 0);
    count(chosen(1, &units[..2]), 3, 2);
    count(chosen(1, &units), 3, 4);
    count(chosen(0, &units[..1]), 0, 1);
    let elsewhere = json!([{ "itemId": counter.customer, "unitIds": units }]);
    let unknown = counter.step(&order, "confirm", 1, json!({ "units": elsewhere })).refused(404, "NOT_FOUND");
    unknown.at("/units/0/itemId");
    let twice = json!([
        { "itemId": lines[1]["id"], "unitIds": [units[0]] }, { "itemId": lines[0]["id"], "unitIds": [units[0]] },
    ]);
    let repeated = counter.step(&order, "confirm", 1, json!({ "units": twice })).refused(400, "VALIDATION_FAILED");
    repeated.fault("/units/1/unitIds/0", "REPEATED");
    let (_, of_another) = counter.phone("300", 3);
    chosen(1, &of_another).refused(409, "REFERENCE_INVALID").fault("/units/0/unitIds/0", "OTHER_VARIANT");
    chosen(1, &units[..3]).is(200);
    let read = counter.read(&order);
    let line = &read["items"][1];
    assert_eq!((&line["unitCost"], &line["unitCount"]), (&Json::Null, &json!(3)));
    assert_eq!(line["allocations"].as_array().unwrap().len(), 3);
    assert!(line["units"].as_array().unwrap().iter().all(|unit| unit["outcome"] == "RESERVED"));
    assert_eq!(read["items"][0]["allocations"][0]["quantity"], "1.000000");
    counter.shop.verified();
}

fn e245_a_unit_elsewhere_or_held_is_not_available(database: Database) {
    let counter = counter(database);
    let shop = &counter.shop;
    let (phone, here) = counter.phone("300", 1);
    let elsewhere = shop.admit(&phone, &shop.warehouse("PHYSICAL"), 1);
    let apart = shop.admit(&phone, &shop.warehouse("QUARANTINE"), 1);
    let held = counter.draft(json!([{ "variantId": phone, "quantity": "1", "unitIds": here }]));
    counter.confirm(&held).is(200);
    for units in [elsewhere, apart, here] {
        let order = counter.draft(json!([{ "variantId": phone, "quantity": "1", "unitIds": units }]));
        let refused = counter.confirm(&order).refused(409, "UNIT_UNAVAILABLE");
        assert!(refused.pointers()[0].starts_with("/items/0/chosenUnitIds"), "{refused}");
        assert!(!refused.to_string().contains(&units[0]), "{refused}");
        assert_eq!(status(&counter, &order), (json!("DRAFT"), json!(1)));
        // Where the request names it, the refusal points there.
        let line = counter.read(&order)["items"][0]["id"].clone();
        let named = json!({ "units": [{ "itemId": line, "unitIds": units }] });
        let refused = counter.step(&order, "confirm", 1, named).refused(409, "UNIT_UNAVAILABLE");
        assert!(refused.pointers()[0].starts_with("/units/0/unitIds"), "{refused}");
    }
    shop.verified();
}

fn e246_a_unit_sold_meanwhile_has_no_substitute(database: Database) {
    let counter = counter(database);
    let (phone, units) = counter.phone("300", 2);
    let with_first = json!([{ "variantId": phone, "quantity": "1", "unitIds": [units[0]] }]);
    let late = counter.draft(with_first.clone());
    counter.deliver(with_first);
    counter.confirm(&late).refused(409, "UNIT_UNAVAILABLE");
    let line = counter.read(&late)["items"][0].clone();
    assert_eq!(line["chosenUnitIds"], json!([units[0]]));
    let instead = json!([{ "itemId": line["id"], "unitIds": [units[1]] }]);
    counter.step(&late, "confirm", 1, json!({ "units": instead })).is(200);
    counter.complete(&late).is(200);
    assert_eq!(counter.shop.serial_unit(&units[1])["status"], "SOLD");
    counter.shop.verified();
}

fn e247_a_price_that_moved_is_reported(database: Database) {
    let counter = counter(database);
    let variant = counter.shop.counted(0);
    let price = counter.price(&variant, "10");
    counter.shop.stock_up(&counter.main, &variant, "5");
    let order = counter.draft_of(&variant, "2");
    counter.reprice(&price, &variant, "11");
    counter.step(&order, "confirm", 1, json!({ "expectedTotal": "20" })).refused(409, "TOTAL_CHANGED");
    assert_eq!(status(&counter, &order), (json!("DRAFT"), json!(1)));
    assert_eq!(counter.confirm(&order).is(200)["total"], "22.000000000000");
}

fn e248_from_confirmation_on_no_figure_moves(database: Database) {
    let counter = counter(database);
    let variant = counter.shop.counted(0);
    let price = counter.price(&variant, "10");
    counter.shop.stock_up(&counter.main, &variant, "5");
    let order = counter.draft_of(&variant, "2");
    counter.confirm(&order).is(200);
    let before = counter.read(&order)["items"].clone();
    counter.reprice(&price, &variant, "99");
    counter.shop.archive(&format!("pricing/price-lists/{}", counter.list)).is(200);
    assert_eq!(counter.read(&order)["items"], before);
    counter.complete(&order).is(200);
    let after = counter.read(&order);
    assert_eq!((&after["total"], &after["items"][0]["unitPrice"]), (&json!("20.000000000000"), &json!("10.000000")));
    counter.step(&order, "refresh-prices", 3, json!({})).refused(409, "ILLEGAL_STATE");
}

fn e250_e251_an_order_is_delivered_once(database: Database) {
    let counter = counter(database);
    let variant = counter.good("10", "5");
    let order = counter.draft_of(&variant, "2");
    counter.step(&order, "complete", 1, json!({})).refused(409, "ILLEGAL_STATE");
    counter.confirm(&order).is(200);
    counter.step(&order, "confirm", 2, json!({})).refused(409, "ILLEGAL_STATE");
    let path = format!("sales/orders/{order}/complete");
    let key = uuid::Uuid::now_v7().to_string();
    let complete = || counter.shop.request("POST", &path).json(&json!({ "expectedVersion": 2 })).key(&key).send();
    complete().is(200);
    assert!(complete().is(200).replayed());
    counter.complete(&order).refused(409, "VERSION_CONFLICT");
    counter.cancel(&order, 3).refused(409, "ILLEGAL_STATE");
    let sales = counter.shop.all("inventory/movements", &[("movementType", "SALE")]);
    assert_eq!(sales.len(), 1);
    let read = counter.read(&order);
    let allocation = &read["items"][0]["allocations"][0];
    assert_eq!((&sales[0]["id"], &sales[0]["saleAllocationId"]), (&allocation["movementId"], &allocation["id"]));
    assert_eq!(sales[0]["reason"], json!(format!("SALES_ORDER {}", read.text("number"))));
    counter.shop.verified();
}

fn e252_a_cancelled_order_gives_back_what_it_held(database: Database) {
    let counter = counter(database);
    let good = counter.good("10", "5");
    let (phone, units) = counter.phone("300", 1);
    let items = json!([
        { "variantId": good, "quantity": "2" }, { "variantId": phone, "quantity": "1", "unitIds": units },
    ]);
    let order = counter.draft(items);
    counter.confirm(&order).is(200);
    counter.cancel(&order, 2).is(200);
    assert_eq!(counter.shop.figure(&good, &counter.main, "available"), "5.000000");
    assert_eq!(counter.shop.serial_unit(&units[0])["status"], "AVAILABLE");
    let read = counter.read(&order);
    assert_eq!(read["cancelReason"], "changed my mind");
    assert_eq!(read["items"][1]["units"][0]["outcome"], "RELEASED");
    assert_eq!(read["items"][1]["allocations"], json!([]));
    assert!(counter.shop.all("inventory/movements", &[("movementType", "SALE")]).is_empty());
    assert_eq!(counter.sale_kinds(), ["sale.created", "sale.confirmed", "sale.cancelled"]);
    counter.shop.verified();
}

fn e254_only_readers_of_serials_see_them(database: Database) {
    let counter = counter(database);
    let (phone, units) = counter.phone("300", 1);
    let order = counter.draft(json!([{ "variantId": phone, "quantity": "1", "unitIds": units }]));
    counter.confirm(&order).is(200);
    let path = format!("sales/orders/{order}");
    let unit = |answer: &stoa_tests::Answer| answer["items"][0]["units"][0].clone();
    let whole = unit(&counter.read(&order));
    assert!(whole["serialNumber"].as_str().is_some_and(|serial| serial.starts_with("SN-")), "{whole}");
    assert_eq!(whole["status"], "RESERVED");
    let reader = counter.shop.colleague(&["sales.read"]);
    let seen = unit(&reader.get(&path).is(200));
    assert_eq!(seen, json!({ "unitId": units[0], "outcome": "RESERVED" }));
    let key = counter.shop.machine(&["sales.read"]);
    let reported = key.get(&path).is(200);
    assert!(!reported.to_string().contains(&units[0]), "{reported}");
    assert_eq!(reported["items"][0]["allocations"].as_array().unwrap().len(), 1);
}

fn e255_a_line_keeps_its_id(database: Database) {
    let counter = counter(database);
    let (one, two) = (counter.good("10", "0"), counter.good("20", "0"));
    let both = json!([{ "variantId": one, "quantity": "1" }, { "variantId": two, "quantity": "1" }]);
    let order = counter.draft(both.clone());
    let path = format!("sales/orders/{order}");
    let put = |version: i64, items: &Json, members: Json| {
        let body = with(&counter.order(items.clone()), json!({ "expectedVersion": version }));
        counter.shop.put(&path, with(&body, members))
    };
    put(1, &both, json!({ "number": "OTHER" })).refused(409, "IMMUTABLE_FIELD").at("/number");
    let entity = counter.shop.other_entity();
    put(1, &both, json!({ "legalEntityId": entity })).refused(409, "IMMUTABLE_FIELD").at("/legalEntityId");
    let ids = |counter: &Counter| {
        let read = counter.read(&order);
        let ids = read["items"].as_array().unwrap().iter().map(|line| line["id"].clone());
        ids.collect::<Vec<_>>()
    };
    let before = ids(&counter);
    put(1, &json!([both[1]]), json!({})).is(200);
    assert_eq!(ids(&counter), [before[1].clone()]);
    put(2, &json!([both[1], both[0]]), json!({})).is(200);
    assert_eq!(ids(&counter), [before[1].clone(), before[0].clone()]);
    assert_eq!(counter.sale_kinds(), ["sale.created", "sale.updated", "sale.updated"]);
    counter.shop.verified();
}

fn e256_an_order_has_a_hundred_lines_and_a_hundred_units(database: Database) {
    let counter = counter(database);
    let variants: Vec<Json> = (0..99).map(|_| json!({ "sku": fresh("SKU") })).collect();
    let product = json!({
        "name": "Many", "productType": "GOOD", "unitOfMeasure": "UNIT", "trackInventory": true,
        "publicationStatus": "PUBLISHED", "variants": variants,
    });
    let made = counter.shop.post("catalog/products", product).is(201);
    let ids: Vec<&str> =
        made["variants"].as_array().unwrap().iter().filter_map(|variant| variant["id"].as_str()).collect();
    let prices: Vec<Json> =
        ids.iter().map(|id| json!({ "variantId": id, "currencyCode": "EUR", "amount": "1" })).collect();
    let path = format!("pricing/price-lists/{}/prices/batch", counter.list);
    counter.shop.post(&path, json!({ "prices": prices })).is(201);
    for id in &ids {
        counter.shop.stock_up(&counter.main, id, "1");
    }
    let (phone, units) = counter.phone("3", 100);
    let mut items: Vec<Json> = ids.iter().map(|id| json!({ "variantId": id, "quantity": "1" })).collect();
    items.push(json!({ "variantId": phone, "quantity": "101" }));
    counter
        .try_draft(json!(items))
        .refused(409, "LIMIT_EXCEEDED")
        .bounds("/items", json!({ "maximum": 100, "counted": "UNITS" }));
    items.pop();
    items.push(json!({ "variantId": phone, "quantity": "100", "unitIds": units }));
    let order = counter.draft(json!(items));
    counter.confirm(&order).is(200);
    counter.complete(&order).is(200);
    let read = counter.read(&order);
    assert_eq!(
        (&read["itemCount"], &read["unitCount"], &read["total"]),
        (&json!(100), &json!(100), &json!("399.000000000000"))
    );
    items.push(json!({ "variantId": counter.good("1", "0"), "quantity": "1" }));
    counter.try_draft(json!(items)).refused(400, "VALIDATION_FAILED").at("/items");
    counter.shop.verified();
}

fn e257_services_are_delivered_without_stock(database: Database) {
    let counter = counter_with_books(database);
    let service = counter.service("25");
    let order = counter.deliver(one(&service, "2"));
    let line = counter.read(&order)["items"][0].clone();
    assert_eq!((&line["trackingMode"], &line["allocations"]), (&json!("NONE"), &json!([])));
    assert!(counter.shop.all("inventory/movements", &[]).is_empty());
    assert_table!(counter.shop.journal_table(&counter.entity), @r"
    entry  account              debit  credit
        1  1160 Sales clearing     50
           4000 Sales                      50
    ");
    counter.shop.verified();
}

fn e258_a_total_of_many_decimals_is_confirmed_where_the_books_allow(database: Database) {
    let counter = counter(database);
    let variant = counter.good_of(6, "0.333333", "1");
    let order = counter.draft_of(&variant, "0.333333");
    assert_eq!(counter.confirm(&order).is(200)["total"], "0.111110888889");
    assert_eq!(counter.read(&order)["collectable"], false);
    let books = counter_with_books(database);
    let variant = books.good_of(6, "0.333333", "1");
    let order = books.draft_of(&variant, "0.333333");
    let scale = books.shop.get(&format!("ledger/legal-entities/{}", books.entity)).is(200)["amountScale"].clone();
    let answer = books.confirm(&order);
    if scale == 12 {
        answer.is(200);
    } else {
        answer.refused(409, "ACCOUNTING_AMOUNT_PRECISION").at("/total");
        assert_eq!(books.shop.figure(&variant, &books.main, "reserved"), "0.000000");
    }
}

fn e259_lines_may_add_up_to_six_decimals(database: Database) {
    let counter = counter(database);
    let (one, two) = (counter.good_of(6, "0.5", "0"), counter.good_of(6, "0.5", "0"));
    let items = json!([{ "variantId": one, "quantity": "0.000001" }, { "variantId": two, "quantity": "0.000001" }]);
    let order = counter.draft(items);
    let read = counter.read(&order);
    assert_eq!((&read["total"], &read["collectable"]), (&json!("0.000001000000"), &json!(true)));
}

fn e260_e261_what_could_not_be_posted_is_not_confirmed(database: Database) {
    let counter = counter_with_books(database);
    let variant = counter.good("10", "5");
    let books = Books { shop: counter.shop.clone(), entity: counter.entity.clone() };
    let sales = books.account("4000");
    let map = |account: Option<&str>| books.map(&[("REVENUE", account)]);
    let order = counter.draft_of(&variant, "1");
    map(None).is(200);
    let refused = counter.confirm(&order).refused(409, "ACCOUNTING_SETUP_REQUIRED");
    refused.fault("/mappings/roles/REVENUE", "ROLE_UNMAPPED");
    assert_eq!(counter.shop.figure(&variant, &counter.main, "reserved"), "0.000000");
    map(Some(&sales)).is(200);
    counter.confirm(&order).is(200);
    map(None).is(200);
    counter.complete(&order).refused(409, "ACCOUNTING_SETUP_REQUIRED");
    assert_eq!(status(&counter, &order), (json!("CONFIRMED"), json!(2)));
    assert!(counter.shop.all("inventory/movements", &[("movementType", "SALE")]).is_empty());
    map(Some(&sales)).is(200);
    counter.complete(&order).is(200);

    let list = json!({ "code": fresh("USD-"), "name": "Dollars", "currencyCode": "USD", "visibility": "PUBLIC" });
    let list = counter.shop.post("pricing/price-lists", list).is(201).id();
    let price = json!({ "variantId": variant, "currencyCode": "USD", "amount": "3" });
    counter.shop.post(&format!("pricing/price-lists/{list}/prices"), price).is(201);
    let body = with(&counter.order(one(&variant, "1")), json!({ "priceListId": list }));
    let order = counter.shop.post("sales/orders", body).is(201).id();
    counter.confirm(&order).refused(409, "ACCOUNTING_CURRENCY_UNSUPPORTED");
    counter.shop.verified();
}

fn e262_numbers_are_of_an_entity(database: Database) {
    let counter = counter(database);
    let variant = counter.good("10", "0");
    let entity = counter.shop.other_entity();
    let warehouse = counter.shop.warehouse_of("PHYSICAL", &entity);
    let numbered = |number: &str| with(&counter.order(one(&variant, "1")), json!({ "number": number }));
    counter.shop.post("sales/orders", numbered("SO-1")).is(201);
    counter.shop.post("sales/orders", numbered("so-1")).refused(409, "DUPLICATE").at("/number");
    let elsewhere = json!({ "legalEntityId": entity, "warehouseId": warehouse });
    counter.shop.post("sales/orders", with(&numbered("SO-1"), elsewhere)).is(201);
    let mixed = with(&numbered("SO-2"), json!({ "warehouseId": warehouse }));
    counter.shop.post("sales/orders", mixed).refused(409, "REFERENCE_INVALID").fault("/warehouseId", "OTHER_ENTITY");
}

fn a_taken_number_names_the_order_to_its_readers(database: Database) {
    let counter = counter(database);
    let body = with(&counter.order(one(&counter.good("10", "0"), "1")), json!({ "number": "SO-1" }));
    let taken = counter.shop.post("sales/orders", body.clone()).is(201).id();
    let again = with(&body, json!({ "number": "so-1" }));
    let named = |refused: stoa_tests::Answer| {
        refused.refused(409, "DUPLICATE").at("/number").errors()[0]["conflictsWith"].clone()
    };
    assert_eq!(named(counter.shop.post("sales/orders", again.clone())), json!(taken));
    let key = |scopes: &[&str]| counter.shop.machine(scopes).post("sales/orders", again.clone());
    assert_eq!(named(key(&["sales.read", "sales.write", "pricing.read"])), json!(taken));
    assert_eq!(named(key(&["sales.write", "pricing.read"])), Json::Null);
}

fn ids_find_orders(database: Database) {
    let counter = counter(database);
    let variant = counter.good("10", "9");
    let [first, _, last] = [(); 3].map(|()| counter.draft_of(&variant, "1"));
    let asked = [last.as_str(), &first, &counter.customer].join(",");
    let query = [("ids", asked.as_str())];
    let expected = [first, last];
    assert_eq!(counter.shop.list("sales/orders", &query).is(200).ids(), expected);
    let key = counter.shop.machine(&["sales.read"]);
    assert_eq!(key.request("GET", "sales/orders").query(&query).send().is(200).ids(), expected);
    let wrong = counter.shop.list("sales/orders", &[("ids", &vec![asked; 34].join(","))]);
    wrong.refused(400, "VALIDATION_FAILED").at("/query/ids");
}

fn e263_a_unit_is_exchanged_for_an_available_one(database: Database) {
    let counter = counter(database);
    let (phone, units) = counter.phone("300", 3);
    let order = counter.draft(json!([{ "variantId": phone, "quantity": "1", "unitIds": [units[0]] }]));
    let held = counter.draft(json!([{ "variantId": phone, "quantity": "1", "unitIds": [units[1]] }]));
    counter.confirm(&order).is(200);
    counter.confirm(&held).is(200);
    let line = counter.read(&order)["items"][0]["id"].clone();
    let exchange = |version: i64, release: &str, choose: &str| {
        let members = json!({
            "itemId": line, "releaseUnitId": release, "chooseUnitId": choose, "reason": "wrong box",
        });
        counter.step(&order, "exchange-unit", version, members)
    };
    exchange(2, &units[0], &units[1]).refused(409, "UNIT_UNAVAILABLE").at("/chooseUnitId");
    assert_eq!(counter.shop.serial_unit(&units[0])["status"], "RESERVED");
    exchange(2, &units[1], &units[2]).refused(409, "ILLEGAL_STATE").at("/releaseUnitId");
    let reported = counter.sale_kinds();
    assert_eq!(exchange(2, &units[0], &units[2]).is(200)["version"], 3);
    assert_eq!(counter.sale_kinds(), reported, "an exchange has no kind of its own");
    let outcomes: Vec<Json> = counter.read(&order)["items"][0]["units"].as_array().unwrap().clone();
    let mut outcomes: Vec<_> = outcomes.iter().map(|unit| (unit["unitId"].clone(), unit["outcome"].clone())).collect();
    outcomes.sort_by_key(|(_, outcome)| outcome.to_string());
    assert_eq!(outcomes, [(json!(units[0]), json!("RELEASED")), (json!(units[2]), json!("RESERVED"))]);
    counter.step(&order, "complete", 3, json!({})).is(200);
    let states = [&units[0], &units[2]].map(|unit| counter.shop.serial_unit(unit)["status"].clone());
    assert_eq!(states, [json!("AVAILABLE"), json!("SOLD")]);
    counter.shop.verified();
}

fn e264_versions_are_plain(database: Database) {
    let counter = counter(database);
    let order = counter.draft_of(&counter.good("10", "0"), "1");
    for version in [json!(0), json!(2_147_483_647_i64), json!("1")] {
        let answer = counter.shop.post(&format!("sales/orders/{order}/confirm"), json!({ "expectedVersion": version }));
        answer.refused(400, "VALIDATION_FAILED").at("/expectedVersion");
    }
    counter.step(&order, "confirm", 7, json!({})).refused(409, "VERSION_CONFLICT");
}

fn e266_what_was_confirmed_is_delivered(database: Database) {
    let counter = counter(database);
    let variant = counter.good("10", "5");
    let (confirmed, draft) = (counter.draft_of(&variant, "1"), counter.draft_of(&variant, "1"));
    counter.confirm(&confirmed).is(200);
    counter.shop.archive(&format!("catalog/variants/{variant}")).is(200);
    counter.shop.archive(&format!("sales/customers/{}", counter.customer)).is(200);
    let refused = counter.confirm(&draft).refused(409, "ARCHIVED");
    assert_eq!(refused.pointers(), ["/customerId", "/items/0/variantId"]);
    let (customer, place) = (json!({ "code": fresh("C-"), "name": "Here" }), counter.shop.warehouse("PHYSICAL"));
    let (customer, list) =
        (counter.shop.post("sales/customers", customer).is(201).id(), counter.shop.price_list(&fresh("LIST-")));
    let other = counter.good("10", "0");
    counter.shop.price(&list, &other, None, None).is(201);
    let named = json!({ "customerId": customer, "warehouseId": place, "priceListId": list });
    let elsewhere = counter.shop.post("sales/orders", with(&counter.order(one(&other, "1")), named)).is(201).id();
    for record in [format!("inventory/warehouses/{place}"), format!("pricing/price-lists/{list}")] {
        counter.shop.archive(&record).is(200);
    }
    let refused = counter.confirm(&elsewhere).refused(409, "ARCHIVED");
    assert_eq!(refused.pointers(), ["/warehouseId", "/priceListId"]);
    counter.complete(&confirmed).is(200);
    counter.cancel(&draft, 1).is(200);
    counter.shop.verified();
}

fn e267_e268_e269_keys_do_what_their_scopes_say(database: Database) {
    let counter = counter(database);
    let (phone, units) = counter.phone("300", 1);
    let writer = counter.shop.machine(&["sales.write", "pricing.read"]);
    let made = writer.post("sales/orders", counter.order(one(&phone, "1"))).is(201).id();
    let confirm = json!({ "expectedVersion": 1 });
    writer.post(&format!("sales/orders/{made}/confirm"), confirm.clone()).refused(403, "SCOPE_DENIED");
    writer.get("sales/orders").refused(403, "SCOPE_DENIED");
    let buyer = counter.shop.machine(&["purchases.read"]);
    assert_eq!(buyer.get(&format!("sales/orders/{made}")).is(200)["status"], "DRAFT");
    buyer.get("sales/orders").refused(403, "SCOPE_DENIED");
    // A person chose the units, a key confirms them: it names no units.
    let order = counter.draft(json!([{ "variantId": phone, "quantity": "1", "unitIds": units }]));
    let keeper = counter.shop.machine(&["sales.write", "pricing.read", "inventory.write"]);
    let path = format!("sales/orders/{order}");
    let named = with(&confirm, json!({ "units": [{ "itemId": order, "unitIds": units }] }));
    keeper.post(&format!("{path}/confirm"), named).refused(400, "VALIDATION_FAILED");
    keeper.post(&format!("{path}/confirm"), confirm).is(200);
    keeper.post(&format!("{path}/complete"), json!({ "expectedVersion": 2 })).is(200);
    assert_eq!(counter.shop.serial_unit(&units[0])["status"], "SOLD");
    // A key's replacement keeps the units that people chose.
    let draft = counter.draft(json!([{ "variantId": phone, "quantity": "1", "unitIds": units }]));
    let body = with(&counter.order(one(&phone, "1")), json!({ "expectedVersion": 1 }));
    writer.put(&format!("sales/orders/{draft}"), body).is(200);
    assert_eq!(counter.read(&draft)["items"][0]["chosenUnitIds"], json!(units));
}

fn e271_an_order_of_nothing_posts_its_cost(database: Database) {
    let counter = counter_with_books(database);
    let variant = counter.good("0", "5");
    let order = counter.deliver(one(&variant, "2"));
    assert_eq!(counter.read(&order)["total"], "0.000000000000");
    assert_table!(counter.shop.journal_table(&counter.entity), @r"
    entry  account                     debit  credit
        1  1200 Inventory                  5
           5200 Inventory adjustments              5
        2  5000 Cost of goods sold         2
           1200 Inventory                          2
    ");
    counter.shop.verified();
}

fn a_delivery_posts_revenue_and_cost(database: Database) {
    let counter = counter_with_books(database);
    let variant = counter.good("12.5", "5");
    let items = json!([{ "variantId": variant, "quantity": "2", "discountPercent": "20" }]);
    counter.deliver(items);
    assert_table!(counter.shop.journal_table(&counter.entity), @r"
    entry  account                     debit  credit
        1  1200 Inventory                  5
           5200 Inventory adjustments              5
        2  1160 Sales clearing            20
           4000 Sales                             20
           5000 Cost of goods sold         2
           1200 Inventory                          2
    ");
    counter.shop.verified();
}

fn lists_find_orders_by_what_is_asked(database: Database) {
    let counter = counter(database);
    let variant = counter.good("10", "9");
    let numbered = with(&counter.order(one(&variant, "1")), json!({ "number": "WEB-7" }));
    let draft = counter.shop.post("sales/orders", numbered).is(201).id();
    let confirmed = counter.draft_of(&variant, "2");
    counter.confirm(&confirmed).is(200);
    let completed = counter.deliver(one(&variant, "3"));
    let found = |query: &[(&str, &str)]| counter.shop.list("sales/orders", query).is(200).ids();
    let all = [draft.clone(), confirmed.clone(), completed.clone()];
    for (query, expected) in [
        (vec![("status", "CONFIRMED")], vec![&confirmed]),
        (vec![("text", "web-")], vec![&draft]),
        (vec![("customerId", counter.customer.as_str())], all.iter().collect()),
        (vec![("customerId", counter.entity.as_str())], vec![]),
        (vec![("warehouseId", counter.main.as_str()), ("totalMin", "20"), ("totalMax", "20")], vec![&confirmed]),
        (vec![("priceListId", counter.list.as_str()), ("totalMin", "20.000000000001")], vec![&completed]),
        (vec![("collectable", "false")], vec![]),
        (vec![("collected", "false"), ("currencyCode", "EUR")], all.iter().collect()),
        (vec![("collected", "true")], vec![]),
        (vec![("confirmedFrom", "2020-01-01T00:00:00Z"), ("status", "CONFIRMED")], vec![&confirmed]),
        (vec![("completedFrom", "2020-01-01T00:00:00Z")], vec![&completed]),
        (vec![("completedTo", "2020-01-01T00:00:00Z")], vec![]),
        (vec![("legalEntityId", counter.entity.as_str()), ("to", "2020-01-01T00:00:00Z")], vec![]),
        (vec![("updatedSince", "2020-01-01T00:00:00Z"), ("limit", "2")], vec![&draft, &confirmed]),
    ] {
        assert_eq!(found(&query), expected.into_iter().cloned().collect::<Vec<_>>(), "{query:?}");
    }
    let header = counter.shop.list("sales/orders", &[("status", "DRAFT")]).is(200).items()[0].clone();
    assert!(header["items"].is_null() && header["itemCount"] == 1, "{header}");
    let key = counter.shop.machine(&["sales.read"]);
    let header = key.get("sales/orders").is(200).items()[0].clone();
    let members: Vec<&String> = header.as_object().unwrap().keys().collect();
    let expected = [
        "id",
        "status",
        "version",
        "createdAt",
        "updatedAt",
        "number",
        "customerId",
        "currencyCode",
        "priceListId",
        "total",
    ];
    assert_eq!(members, expected);
}
