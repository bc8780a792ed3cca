//! What orders ask of PostgreSQL does not grow with their lines, and drafting and confirming one in one transaction, as finance
//! does it, takes at most 14 round trips. The bounds of each request stand in `stoa_tap::BOUNDS`.

use std::cell::RefCell;

use serde_json::{Value as Json, json};
use stoa_tests::company::{fresh, product, with};
use stoa_tests::round_trips::Watched;
use stoa_tests::selling::Counter;
use stoa_tests::services::sales::{Call, Sale, SellLine};
use stoa_tests::services::{key, new_key};

stoa_tests::tests![an_order_of_a_hundred_lines_takes_as_many_round_trips_as_one_of_ten];

fn an_order_of_a_hundred_lines_takes_as_many_round_trips_as_one_of_ten() {
    let watched = Watched::start();
    let counter = Counter::of(watched.host.company_with(json!({ "keepsBooks": true })));
    let items = sell_a_hundred(&counter);
    let [ten, hundred] = [&items[..10], &items[..]].map(|items| count(&watched, &counter, &json!(items)));
    println!("create, confirm, complete: {ten:?}, {hundred:?}");
    assert_eq!(ten, hundred);
    // In one transaction, with the delivery: fewer would do without it.
    let sell = watched.count(|| {
        let sale = sale(&counter, &items[..10]);
        counter.try_services(&[Call::Sell(sale)]).is(201);
    });
    assert!(sell <= 14, "{sell}");
}

/// Round trips of drafting an order of these lines, of confirming it and of delivering it.
fn count(watched: &Watched, counter: &Counter, items: &Json) -> [usize; 3] {
    let (drafts, confirmed) = (RefCell::new(Vec::new()), RefCell::new(Vec::new()));
    let create = watched.count(|| drafts.borrow_mut().push(counter.draft(items.clone())));
    let confirm = watched.count(|| {
        let order = drafts.borrow_mut().pop().expect("a draft");
        counter.confirm(&order).is(200);
        confirmed.borrow_mut().push(order);
    });
    let complete = watched.count(|| {
        let order = confirmed.borrow_mut().pop().expect("a confirmed order");
        counter.complete(&order).is(200);
    });
    [create, confirm, complete]
}

/// What an invoice of these lines sells.
fn sale(counter: &Counter, items: &[Json]) -> Sale {
    let line = |item: &Json| SellLine {
        variant_id: key(item["variantId"].as_str().unwrap_or_default()),
        quantity: "1".to_string(),
        unit_price: None,
        reason: None,
        unit_ids: Vec::new(),
        pointer: "/lines".to_string(),
    };
    Sale {
        invoice_id: new_key(),
        number: fresh("INV-"),
        customer_id: key(&counter.customer),
        legal_entity_id: key(&counter.entity),
        warehouse_id: key(&counter.main),
        price_list_id: key(&counter.list),
        lines: items.iter().map(line).collect(),
    }
}

/// Lines of a hundred articles at a price, of which there is enough.
fn sell_a_hundred(counter: &Counter) -> Vec<Json> {
    let skus: Vec<Json> = (0..100).map(|_| json!({ "sku": fresh("SKU-") })).collect();
    let members = json!({ "trackInventory": true, "publicationStatus": "PUBLISHED", "variants": skus });
    let made = counter.shop.post("catalog/products", with(&product(&fresh("Many ")), members)).is(201);
    let ids: Vec<String> = made["variants"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|of| of["id"].as_str().map(String::from))
        .collect();
    let prices: Vec<Json> =
        ids.iter().map(|id| json!({ "variantId": id, "currencyCode": "EUR", "amount": "10" })).collect();
    let path = format!("pricing/price-lists/{}/prices/batch", counter.list);
    counter.shop.post(&path, json!({ "prices": prices })).is(201);
    ids.iter().for_each(|id| counter.shop.stock_up(&counter.main, id, "1000"));
    ids.iter().map(|id| json!({ "variantId": id, "quantity": "1" })).collect()
}
