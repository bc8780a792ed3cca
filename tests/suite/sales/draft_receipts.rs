//! Receipts of drafts: the ids of the lines that a write made or kept, so that a caller needs no read to go on.

use serde_json::{Value as Json, json};
use stoa_tests::company::with;
use stoa_tests::selling::{Counter, counter};
use stoa_tests::{Answer, Database, Machine, on_both_databases};

on_both_databases![
    a_receipt_of_an_order_has_the_ids_of_its_lines,
    a_receipt_of_a_quotation_has_the_ids_of_its_lines,
    a_receipt_of_a_return_has_the_ids_of_its_lines,
    a_receipt_is_replayed_and_names_no_unit,
];

fn writer(counter: &Counter) -> Machine {
    counter.shop.machine(&["sales.read", "sales.write", "pricing.read", "inventory.write"])
}

/// Two lines, each of a variant of its own.
fn two(counter: &Counter) -> [Json; 2] {
    [(); 2].map(|()| json!({ "variantId": counter.good("10", "5"), "quantity": "1" }))
}

/// These members of each line of the record.
#[track_caller]
fn lines(record: &Answer, members: &[&str]) -> Vec<Json> {
    let line = |item: &Json| -> Json {
        members.iter().map(|name| ((*name).to_string(), item[*name].clone())).collect::<serde_json::Map<_, _>>().into()
    };
    record.items().iter().map(line).collect()
}

/// Creates a document with the first line, replaces it with both in the other order, and compares the receipts with
/// what is read. Returns its path.
fn draft(key: &Machine, path: &str, body: &Json, [first, second]: &[Json; 2], members: &[&str]) -> String {
    let with_items = |items: Json| with(body, json!({ "items": items }));
    let made = key.post(path, with_items(json!([first]))).is(201);
    let path = format!("{path}/{}", made.id());
    let read = |receipt: &Answer| {
        let read = key.get(&path).is(200);
        assert_eq!(receipt.items(), lines(&read, members), "{receipt}");
        read.ids()
    };
    let before = read(&made);
    let replacement = with(&with_items(json!([second, first])), json!({ "expectedVersion": 1 }));
    let after = read(&key.put(&path, replacement).is(200));
    assert_eq!((after.len(), &after[1]), (2, &before[0]), "a line that stays keeps its id");
    path
}

fn a_receipt_of_an_order_has_the_ids_of_its_lines(database: Database) {
    let counter = counter(database);
    let key = writer(&counter);
    let path = draft(&key, "sales/orders", &counter.order(json!([])), &two(&counter), &["id", "variantId"]);
    let confirmed = key.post(&format!("{path}/confirm"), json!({ "expectedVersion": 2 })).is(200);
    assert!(confirmed.body.get("items").is_none(), "no line is made: {confirmed}");
}

fn a_receipt_of_a_quotation_has_the_ids_of_its_lines(database: Database) {
    let counter = counter(database);
    let key = writer(&counter);
    let members = ["id", "variantId"];
    let path = draft(&key, "sales/quotations", &counter.quotation(json!([])), &two(&counter), &members);
    key.post(&format!("{path}/send"), json!({ "expectedVersion": 2 })).is(200);
    let revised = counter.shop.post(&format!("{path}/revise"), json!({ "expectedVersion": 3 })).is(201);
    let read = counter.shop.get(&format!("sales/quotations/{}", revised.id())).is(200);
    assert_eq!(revised.items(), lines(&read, &members));
    let path = format!("sales/quotations/{}", revised.id());
    key.post(&format!("{path}/send"), json!({ "expectedVersion": 1 })).is(200);
    let accepted = key.post(&format!("{path}/accept"), json!({ "expectedVersion": 2 })).is(201);
    let order = key.get(&format!("sales/orders/{}", accepted.text("orderId"))).is(200);
    assert_eq!(accepted["orderItems"], json!(lines(&order, &members)), "an acceptance makes lines of an order");
}

fn a_receipt_of_a_return_has_the_ids_of_its_lines(database: Database) {
    let counter = counter(database);
    let key = writer(&counter);
    let order = counter.deliver(json!(two(&counter)));
    let sold = counter.read(&order).ids();
    let body = json!({ "orderId": order, "reason": "too small", "items": [] });
    let items = [&sold[0], &sold[1]].map(|item| json!({ "itemId": item, "quantity": "1" }));
    draft(&key, "sales/returns", &body, &items, &["id", "itemId", "variantId", "disposition"]);
}

fn a_receipt_is_replayed_and_names_no_unit(database: Database) {
    let counter = counter(database);
    let (phone, units) = counter.phone("300", 1);
    let body = counter.order(json!([{ "variantId": phone, "quantity": "1", "unitIds": units }]));
    let key = uuid::Uuid::now_v7().to_string();
    let create = || counter.shop.request("POST", "sales/orders").json(&body).key(&key).send().is(201);
    let (first, again) = (create(), create());
    assert!(again.replayed());
    assert_eq!(again.body, first.body);
    assert_eq!(first.ids(), counter.read(&first.id()).ids());
    assert!(!first.tells(&units[0]), "{first}");
}
