//! Lines and prices, of orders and quotations alike. [E214]..[E224]

use serde_json::{Value as Json, json};
use stoa_tests::company::{fresh, with};
use stoa_tests::selling::{Counter, counter};
use stoa_tests::{Answer, Database, on_both_databases};

on_both_databases![
    e216_an_agreed_price_is_judged_by_the_list_of_the_moment,
    e217_a_hundred_of_the_largest_lines_add_up,
    c30_a_machine_confirms_what_a_person_agreed_on_an_internal_list,
];

on_both_databases![
    rules:
    e214_a_price_is_answered_as_it_was_agreed,
    e214_every_row_of_the_table,
    e215_two_prices_and_a_reason_alone_are_no_body,
    e218_a_variant_stands_on_one_line,
    d6_units_stand_on_serialized_lines_alone,
    e219_quantities_fit_their_unit,
    e220_quantities_are_plain_and_above_zero,
    e221_percentages_are_at_most_a_hundred,
    e222_three_bad_lines_are_three_items,
    e223_every_line_has_a_price_in_effect,
    e224_a_machine_names_what_is_public,
];

fn one(variant: &str, members: Json) -> Json {
    json!([with(&json!({ "variantId": variant, "quantity": "2" }), members)])
}

#[track_caller]
fn line(counter: &Counter, order: &str) -> Json {
    counter.read(order)["items"][0].clone()
}

fn figures(line: &Json) -> [&Json; 5] {
    ["unitPrice", "priceNegotiated", "listUnitPrice", "discountAmount", "discountPercent"].map(|name| &line[name])
}

fn e214_a_price_is_answered_as_it_was_agreed(database: Database) {
    let counter = counter(database);
    let (dear, cheap) = (counter.good("1000", "0"), counter.good("999.99", "0"));
    let stated = json!({ "discountPercent": "12.5", "priceReason": "loyal" });
    let order = counter.draft(one(&dear, stated));
    let read = line(&counter, &order);
    let expected = [json!("875.000000"), json!(true), json!("1000.000000"), json!("125.000000"), json!("12.5000")];
    assert_eq!(figures(&read), expected.each_ref());
    assert_eq!((&read["priceReason"], &read["priceOrigin"]), (&json!("loyal"), &json!("SALES_ORDER")));
    assert_eq!(read["lineTotal"], "1750.000000000000");
    let refused = |variant: &str, members: Json| counter.try_draft(one(variant, members));
    let inexact = refused(&cheap, json!({ "discountPercent": "33.3333" })).refused(409, "PRICE_NOT_EXACT");
    inexact.at("/items/0/discountPercent");
    let beyond = refused(&cheap, json!({ "discountAmount": "1000" })).refused(409, "DISCOUNT_EXCEEDS_PRICE");
    beyond.at("/items/0/discountAmount");
}

fn e214_every_row_of_the_table(database: Database) {
    let counter = counter(database);
    let rows = [
        ("80", json!({ "unitPrice": "60" }), ["60.000000", "80.000000", "20.000000", "25.0000"]),
        ("3", json!({ "unitPrice": "2" }), ["2.000000", "3.000000", "1.000000", ""]),
        ("10", json!({ "unitPrice": "12" }), ["12.000000", "10.000000", "", ""]),
        ("10", json!({ "unitPrice": "10" }), ["10.000000", "", "", ""]),
        ("5", json!({ "discountPercent": "100" }), ["0.000000", "5.000000", "5.000000", "100.0000"]),
        ("0", json!({ "discountPercent": "50" }), ["0.000000", "", "", ""]),
        ("0", json!({ "unitPrice": "1" }), ["1.000000", "0.000000", "", ""]),
        ("10", json!({ "discountAmount": "2.5" }), ["7.500000", "10.000000", "2.500000", "25.0000"]),
        ("7", json!({}), ["7.000000", "", "", ""]),
    ];
    let state = |(price, members, _): &(&str, Json, [&str; 4])| {
        with(&json!({ "variantId": counter.good(price, "0"), "quantity": "1" }), members.clone())
    };
    let lines: Vec<Json> = rows.iter().map(state).collect();
    let order = counter.draft(json!(lines));
    let quotation = counter.shop.post("sales/quotations", counter.quotation(json!(lines))).is(201).id();
    let quoted = counter.shop.get(&format!("sales/quotations/{quotation}")).is(200);
    for read in [counter.read(&order), quoted] {
        assert_eq!(read["items"].as_array().map(Vec::len), Some(rows.len()));
        for (line, (price, members, expected)) in read["items"].as_array().into_iter().flatten().zip(&rows) {
            let names = ["unitPrice", "listUnitPrice", "discountAmount", "discountPercent"];
            let reported = names.map(|name| line[name].as_str().unwrap_or_default());
            assert_eq!(
                (&reported, &line["priceNegotiated"]),
                (expected, &json!(!expected[1].is_empty())),
                "{price} {members}"
            );
        }
    }
    let tiny = counter.good("0.000001", "0");
    let inexact = counter.try_draft(one(&tiny, json!({ "discountPercent": "50" }))).refused(409, "PRICE_NOT_EXACT");
    inexact.at("/items/0/discountPercent");
}

fn e215_two_prices_and_a_reason_alone_are_no_body(database: Database) {
    let counter = counter(database);
    let variant = counter.good("10", "0");
    for (members, pointer) in [
        (json!({ "unitPrice": "1", "discountPercent": "5" }), "/items/0/discountPercent"),
        (json!({ "priceReason": "because" }), "/items/0/priceReason"),
    ] {
        let refused = counter.try_draft(one(&variant, members)).refused(400, "VALIDATION_FAILED");
        refused.fault(pointer, "NOT_ALLOWED");
    }
}

fn e216_an_agreed_price_is_judged_by_the_list_of_the_moment(database: Database) {
    let counter = counter(database);
    let variant = counter.shop.counted(0);
    let price = counter.price(&variant, "10");
    let order = counter.draft(one(&variant, json!({ "unitPrice": "9", "priceReason": "old friend" })));
    let first = line(&counter, &order);
    let steps = [
        ("9", [json!("9.000000"), json!(false), Json::Null, Json::Null, Json::Null]),
        ("8", [json!("9.000000"), json!(true), json!("8.000000"), Json::Null, Json::Null]),
        ("10", figures(&first).map(Json::clone)),
    ];
    for (version, (amount, expected)) in (1..).zip(steps) {
        counter.reprice(&price, &variant, amount);
        counter.step(&order, "refresh-prices", version, json!({})).is(200);
        let read = line(&counter, &order);
        assert_eq!(figures(&read), expected.each_ref(), "the list asks {amount}");
        assert_eq!(read["priceReason"].is_null(), expected[1] == false);
    }
}

fn e217_a_hundred_of_the_largest_lines_add_up(database: Database) {
    let counter = counter(database);
    let unit = fresh("U");
    counter.shop.unit(&unit, 6);
    let largest = "999999999999.999999";
    let variants: Vec<Json> = (0..100).map(|_| json!({ "sku": fresh("SKU") })).collect();
    let members = json!({ "unitOfMeasure": unit, "productType": "GOOD", "name": "Dear", "variants": variants });
    let made =
        counter.shop.post("catalog/products", with(&members, json!({ "publicationStatus": "PUBLISHED" }))).is(201);
    let ids: Vec<&str> =
        made["variants"].as_array().unwrap().iter().filter_map(|variant| variant["id"].as_str()).collect();
    let prices: Vec<Json> =
        ids.iter().map(|id| json!({ "variantId": id, "currencyCode": "EUR", "amount": largest })).collect();
    let path = format!("pricing/price-lists/{}/prices/batch", counter.list);
    counter.shop.post(&path, json!({ "prices": prices })).is(201);
    let items: Vec<Json> = ids.iter().map(|id| json!({ "variantId": id, "quantity": largest })).collect();
    let receipt = counter.try_draft(json!(items)).is(201);
    assert_eq!(receipt.text("total"), "99999999999999999800000000.000000000100");
    let total = receipt.text("total");
    let found = counter.shop.list("sales/orders", &[("totalMin", &total), ("totalMax", &total)]).is(200);
    assert_eq!(found.ids(), [receipt.id()]);
    assert_eq!(counter.read(&receipt.id())["collectable"], false);
}

fn e218_a_variant_stands_on_one_line(database: Database) {
    let counter = counter(database);
    let variant = counter.good("10", "0");
    let twice = json!([{ "variantId": variant, "quantity": "1" }, { "variantId": variant, "quantity": "2" }]);
    counter.try_draft(twice).refused(400, "VALIDATION_FAILED").fault("/items/1/variantId", "REPEATED");
}

fn d6_units_stand_on_serialized_lines_alone(database: Database) {
    let counter = counter(database);
    let (variant, (_, units)) = (counter.good("10", "9"), counter.phone("300", 1));
    let (other_phone, _) = counter.phone("300", 0);
    let order = counter.draft_of(&variant, "2");
    let replaced = |items: Json| {
        counter.shop.put(&format!("sales/orders/{order}"), with(&counter.order(items), json!({ "expectedVersion": 1 })))
    };
    for named in [
        counter.try_draft(one(&variant, json!({ "unitIds": units }))),
        replaced(one(&variant, json!({ "unitIds": units }))),
    ] {
        let refused = named.refused(409, "UNIT_COUNT_MISMATCH").at("/items/0/unitIds");
        let error = &refused.errors()[0];
        assert_eq!((&error["required"], &error["identified"]), (&json!(0), &json!(1)));
    }
    // A draft names no more units than it sells.
    let (phone, two) = counter.phone("300", 2);
    let items = json!([{ "variantId": phone, "quantity": "1", "unitIds": two }]);
    let refused = counter.try_draft(items).refused(409, "UNIT_COUNT_MISMATCH");
    refused.fault("/items/0/unitIds", "UNITS_DIFFER_FROM_QUANTITY");
    let items = one(&other_phone, json!({ "unitIds": units }));
    counter.try_draft(items).refused(409, "REFERENCE_INVALID").fault("/items/0/unitIds/0", "OTHER_VARIANT");
}

fn e219_quantities_fit_their_unit(database: Database) {
    let counter = counter(database);
    let (whole, tenths) = (counter.good("10", "0"), counter.good_of(1, "10", "0"));
    let (phone, _) = counter.phone("10", 0);
    let try_one = |variant: &str, quantity: &str| counter.try_draft(one(variant, json!({ "quantity": quantity })));
    let fault = |answer: Answer, most: u8| {
        let digits = json!({ "maximum": most, "counted": "FRACTION_DIGITS" });
        let refused = answer.refused(400, "VALIDATION_FAILED").fault("/items/0/quantity", "QUANTITY_SCALE");
        refused.bounds("/items/0/quantity", digits);
    };
    fault(try_one(&whole, "1.5"), 0);
    fault(try_one(&phone, "1.5"), 0);
    fault(try_one(&tenths, "1.55"), 1);
    try_one(&tenths, "1.500").is(201);
}

fn e220_quantities_are_plain_and_above_zero(database: Database) {
    let counter = counter(database);
    let variant = counter.good("10", "0");
    for quantity in [json!("0"), json!("-1"), json!("1e3"), json!("01"), json!(".5"), json!(1)] {
        let answer = counter.try_draft(one(&variant, json!({ "quantity": quantity })));
        answer.refused(400, "VALIDATION_FAILED").at("/items/0/quantity");
    }
}

fn e221_percentages_are_at_most_a_hundred(database: Database) {
    let counter = counter(database);
    let variant = counter.good("10", "0");
    for percent in ["100.0001", "5.00001", "-1", "101"] {
        let answer = counter.try_draft(one(&variant, json!({ "discountPercent": percent })));
        answer.refused(400, "VALIDATION_FAILED").at("/items/0/discountPercent");
    }
    counter.try_draft(one(&variant, json!({ "discountPercent": "100.0000" }))).is(201);
}

fn e222_three_bad_lines_are_three_items(database: Database) {
    let counter = counter(database);
    let (gone, good) = ([(); 3].map(|()| counter.good("10", "0")), counter.good("10", "0"));
    for variant in &gone {
        counter.shop.archive(&format!("catalog/variants/{variant}")).is(200);
    }
    let items: Vec<Json> = gone.iter().chain([&good]).map(|id| json!({ "variantId": id, "quantity": "1" })).collect();
    let refused = counter.try_draft(json!(items)).refused(409, "REFERENCE_INVALID");
    assert_eq!(refused.pointers(), ["/items/0/variantId", "/items/1/variantId", "/items/2/variantId"]);
    let unknown = counter.try_draft(one(&counter.customer, json!({}))).refused(404, "NOT_FOUND");
    unknown.at("/items/0/variantId");
    // The response lists missing members before members that cannot be used.
    let absent = uuid::Uuid::now_v7().to_string();
    let items = json!([{ "variantId": gone[0], "quantity": "1" }, { "variantId": absent, "quantity": "1" }]);
    let body = with(&counter.order(items), json!({ "priceListId": absent, "customerId": absent }));
    let missing = counter.shop.post("sales/orders", body).refused(404, "NOT_FOUND");
    assert_eq!(missing.pointers(), ["/priceListId", "/items/1/variantId", "/customerId"]);
    let customer = json!({ "code": fresh("C-"), "name": "Gone" });
    let customer = counter.shop.post("sales/customers", customer).is(201).id();
    counter.shop.archive(&format!("sales/customers/{customer}")).is(200);
    let place = counter.shop.warehouse("PHYSICAL");
    counter.shop.archive(&format!("inventory/warehouses/{place}")).is(200);
    let unpriced = counter.shop.counted(0);
    let items = json!([
        { "variantId": gone[0], "quantity": "1" }, { "variantId": unpriced, "quantity": "1", "unitPrice": "3" },
    ]);
    let body = with(&counter.order(items), json!({ "customerId": customer, "warehouseId": place }));
    let refused = counter.shop.post("sales/orders", body).refused(409, "REFERENCE_INVALID");
    assert_eq!(refused.pointers(), ["/customerId", "/warehouseId", "/items/0/variantId", "/items/1/variantId"]);
}

fn e223_every_line_has_a_price_in_effect(database: Database) {
    let counter = counter(database);
    let variant = counter.shop.counted(0);
    for members in [json!({}), json!({ "unitPrice": "5" })] {
        let refused = counter.try_draft(one(&variant, members)).refused(409, "REFERENCE_INVALID");
        refused.fault("/items/0/variantId", "PRICE_NOT_IN_EFFECT");
    }
}

fn e224_a_machine_names_what_is_public(database: Database) {
    let counter = counter(database);
    let shop = &counter.shop;
    let key = shop.machine(&["sales.write", "sales.read", "pricing.read"]);
    let variant = counter.good("10", "0");
    let body = counter.order(one(&variant, json!({})));
    key.post("sales/orders", body.clone()).is(201);
    let internal = shop.made("PRICE_LIST").expect("onboarding made no list");
    let prices = format!("pricing/price-lists/{internal}/prices");
    shop.post(&prices, json!({ "variantId": variant, "currencyCode": "EUR", "amount": "7" })).is(201);
    let inside = with(&body, json!({ "priceListId": internal }));
    key.post("sales/orders", inside.clone()).refused(404, "NOT_FOUND").at("/priceListId");
    shop.post("sales/orders", inside).is(201);
    let (_, secret) = shop.article(&fresh("DRAFT-"));
    counter.price(&secret, "3");
    let hidden = counter.order(one(&secret, json!({})));
    key.post("sales/orders", hidden.clone()).refused(404, "NOT_FOUND").at("/items/0/variantId");
    shop.post("sales/orders", hidden).is(201);
    let (phone, units) = counter.phone("10", 1);
    let named = counter.order(one(&phone, json!({ "unitIds": units })));
    key.post("sales/orders", named).refused(400, "VALIDATION_FAILED").fault("/items/0/unitIds", "NOT_ALLOWED");
}

/// The price that was agreed belongs to the order.
fn c30_a_machine_confirms_what_a_person_agreed_on_an_internal_list(database: Database) {
    let counter = counter(database);
    let shop = &counter.shop;
    let variant = counter.good("10", "5");
    let internal = shop.made("PRICE_LIST").expect("onboarding made no list");
    let prices = format!("pricing/price-lists/{internal}/prices");
    shop.post(&prices, json!({ "variantId": variant, "currencyCode": "EUR", "amount": "7" })).is(201);
    let inside = with(&counter.order(one(&variant, json!({}))), json!({ "priceListId": internal }));
    let path = format!("sales/orders/{}", shop.post("sales/orders", inside).is(201).id());
    let key = shop.machine(&["sales.write", "pricing.read", "inventory.write"]);
    key.post(&format!("{path}/refresh-prices"), json!({ "expectedVersion": 1 })).is(200);
    key.post(&format!("{path}/confirm"), json!({ "expectedVersion": 2 })).is(200);
    assert_eq!(shop.get(&path).is(200)["total"], "14.000000000000");
}
