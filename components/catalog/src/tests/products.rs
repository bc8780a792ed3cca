//! Products and their variants: reads and changes.

use serde_json::{Value as Json, json};
use stoa_sdk::scripted::{rows, script, whole};
use stoa_sdk::store::Reply as StoreReply;

use super::{call, text, units};
use crate::records::product::ProductRow;
use crate::records::variant::VariantRow;

#[test]
fn a_product_is_read_in_one_call() {
    let id = ProductRow::example().id;
    let log = script(vec![vec![rows(vec![whole(&ProductRow::example(), 3)])]]);
    let body = call("getProduct", &[("id", &id.to_string())], None).expect("it is there");
    assert_eq!(body["singleSku"], "PHONE-BLACK");
    assert_eq!(body["variantCount"], 1);
    let runs = &log.borrow().runs;
    assert_eq!(runs.iter().map(Vec::len).collect::<Vec<_>>(), [1]);
}

#[test]
fn a_hundred_variants_take_two_round_trips() {
    let unit = units(&[("UNIT", "ACTIVE")]);
    let inserted = vec![StoreReply::Inserted(vec![true]), StoreReply::Inserted(vec![true; 100])];
    let log = script(vec![vec![StoreReply::Done, unit, rows(Vec::new())], inserted]);
    let variants: Vec<Json> = (0..100).map(|nth| json!({ "sku": format!("A-{nth}") })).collect();
    let body = json!({ "name": "Phone", "productType": "GOOD", "unitOfMeasure": "UNIT", "variants": variants });
    let body = call("createProduct", &[], Some(body)).expect("it is created");
    assert_eq!(body["variants"].as_array().map(Vec::len), Some(100));
    assert_eq!(body["variantMode"], "MULTIPLE");
    let log = log.borrow();
    assert_eq!(log.runs.len(), 2);
    assert_eq!(log.events.len(), 101);
    assert_eq!(log.events[0].kind, "catalog.product.created");
}

#[test]
fn the_next_slug_is_tried_where_another_request_was_faster() {
    let unit = units(&[("UNIT", "ACTIVE")]);
    let taken = rows(vec![vec![text("phone")], vec![text("phone-3")]]);
    let script = script(vec![
        vec![StoreReply::Done, unit, taken],
        vec![StoreReply::Inserted(vec![false])],
        vec![StoreReply::Inserted(vec![true])],
    ]);
    let body = json!({ "name": "Phone", "productType": "GOOD", "unitOfMeasure": "UNIT" });
    assert_eq!(call("createProduct", &[], Some(body)).expect("it is created")["slug"], "phone-4");
    assert_eq!(script.borrow().runs.len(), 3);
}

#[test]
fn the_last_variant_takes_its_product_off_sale() {
    let id = VariantRow::example().id;
    let found = vec![
        rows(vec![whole(&ProductRow::example(), 3)]),
        rows(vec![whole(&VariantRow::example(), 1)]),
        rows(Vec::new()),
        // Nobody has goods of it.
        rows(Vec::new()),
    ];
    let log = script(vec![found, vec![StoreReply::Done, StoreReply::Done]]);
    let body = call("archiveVariant", &[("id", &id.to_string())], Some(json!({}))).expect("it is archived");
    assert_eq!(body["status"], "ARCHIVED");
    let log = log.borrow();
    assert_eq!(log.runs.len(), 2);
    let kinds: Vec<&str> = log.events.iter().map(|event| event.kind.as_str()).collect();
    assert_eq!(kinds, ["catalog.product.updated", "catalog.variant.archived"]);
}
