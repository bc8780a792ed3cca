//! Receipts of writes name the lines that were written, so that a key goes on without a read, and never a unit.

use serde_json::{Value as Json, json};
use stoa_tests::company::{fresh, with};
use stoa_tests::purchases::{Buyer, fresh_serials, line, serials};
use stoa_tests::{Answer, Database, on_both_databases};

on_both_databases![
    an_order_names_the_lines_that_were_written,
    a_receipt_names_its_lines_and_no_unit,
    a_replay_names_the_same_lines,
];

on_both_databases![rules: an_approved_import_order_names_the_lines_it_keeps];

/// A member of all lines of an answer.
fn members(answer: &Answer, member: &str) -> Vec<Json> {
    answer["items"].as_array().into_iter().flatten().map(|item| item[member].clone()).collect()
}

fn an_order_names_the_lines_that_were_written(database: Database) {
    let buyer = Buyer::new(database);
    let (one, two) = (buyer.shop.counted(0), buyer.shop.counted(0));
    let key = buyer.shop.machine(&["purchases.write"]);
    for path in ["purchases/orders", "purchases/import-orders"] {
        let body = buyer.body(json!([line(&one, "1", "1"), line(&two, "2", "2")]));
        let made = key.post(path, body).is(201);
        let read = buyer.order(&made.id()).read();
        assert_eq!(members(&made, "variantId"), [json!(one), json!(two)]);
        assert_eq!(members(&made, "id"), members(&read, "id"));
        // One line goes, one stays, and one comes.
        let three = buyer.shop.counted(0);
        let stated = json!({ "number": read["number"], "expectedVersion": 1 });
        let body = with(&buyer.body(json!([line(&three, "1", "1"), line(&one, "5", "1")])), stated);
        let replaced = key.put(&format!("{path}/{}", made.id()), body).is(200);
        assert_eq!(members(&replaced, "variantId"), [json!(three), json!(one)]);
        assert_eq!(members(&replaced, "id"), members(&buyer.order(&made.id()).read(), "id"));
        assert_eq!(members(&replaced, "id")[1], members(&made, "id")[0]);
    }
}

fn an_approved_import_order_names_the_lines_it_keeps(database: Database) {
    let buyer = Buyer::new(database);
    let items = json!([line(&buyer.shop.counted(0), "1", "1"), line(&buyer.shop.counted(0), "2", "2")]);
    let order = buyer.place_import(items.clone());
    let read = order.read();
    let stated = json!({ "number": read["number"], "expectedVersion": read["version"], "notes": "By sea" });
    let replaced = buyer.shop.put(&order.import_path(), with(&buyer.body(items), stated)).is(200);
    assert_eq!(members(&replaced, "id"), members(&read, "id"));
}

fn a_receipt_names_its_lines_and_no_unit(database: Database) {
    let buyer = Buyer::new(database);
    let (box_, phone) = (buyer.shop.counted(0), buyer.shop.phone());
    let order = buyer.place(json!([line(&box_, "5", "1"), line(&phone, "2", "100")]));
    let key = buyer.shop.machine(&["purchases.write", "inventory.write"]);
    let numbers = fresh_serials(2);
    let body = order.receipt_body(json!([order.units(1, serials(&numbers)), order.goods(0, "3")]));
    let made = key.post(&format!("{}/receipts", order.path()), body).is(201);
    let read = buyer.receipt(&made.id());
    for member in ["id", "orderItemId", "variantId"] {
        assert_eq!(members(&made, member), members(&read, member), "{member}");
    }
    assert_eq!(members(&made, "variantId"), [json!(phone), json!(box_)], "in the order of the request");
    let mut names: Vec<String> =
        made["items"][0].as_object().into_iter().flatten().map(|(name, _)| name.clone()).collect();
    names.sort();
    assert_eq!(names, ["id", "orderItemId", "variantId"]);
    for number in &numbers {
        assert!(!made.tells(number), "{made}");
    }
}

fn a_replay_names_the_same_lines(database: Database) {
    let buyer = Buyer::new(database);
    let body = with(&buyer.body(json!([line(&buyer.shop.counted(0), "1", "1")])), json!({ "number": fresh("R") }));
    let key = uuid::Uuid::new_v4().to_string();
    let send = || buyer.shop.request("POST", "purchases/orders").key(&key).json(&body).send().is(201);
    let first = send();
    let again = send();
    assert!(again.replayed(), "{again}");
    assert_eq!(again.body, first.body);
    assert_eq!(members(&first, "id").len(), 1);
}
