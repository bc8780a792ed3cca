//! Media of products.

use serde_json::{Value as Json, json};
use stoa_sdk::scripted::{rows, script};
use stoa_sdk::store::Reply as StoreReply;
use stoa_sdk::{Field, Id};

use super::{call, members, text};

#[test]
fn media_belong_to_the_product_and_are_bounded() {
    let (product_id, named) = (Id(9, 9), Id(8, 1));
    let product = product_id.to_string();
    let path = [("productId", product.as_str())];
    let head = |status: &str| rows(vec![vec![product_id.put(), text(status), text("PUBLISHED")]]);
    let variant = |product: Id, status: &str| rows(vec![vec![named.put(), product.put(), text(status)]]);
    let none = || rows(Vec::new());
    let full = || rows((0..100).map(|nth| vec![Id(6, nth).put()]));
    let body = || json!({ "url": "https://cdn.example.test/a.jpg", "variantId": named });
    for (replies, code, pointer) in [
        (vec![none(), variant(product_id, "ACTIVE"), none()], "NOT_FOUND", None),
        (vec![head("DELETED"), variant(product_id, "ACTIVE"), none()], "NOT_FOUND", None),
        (vec![head("ARCHIVED"), none(), none()], "NOT_FOUND", Some("/variantId")),
        (vec![head("ARCHIVED"), variant(product_id, "ACTIVE"), none()], "ARCHIVED", None),
        (vec![head("ACTIVE"), variant(Id(9, 8), "ACTIVE"), none()], "REFERENCE_INVALID", Some("/variantId")),
        (vec![head("ACTIVE"), variant(product_id, "ARCHIVED"), none()], "REFERENCE_INVALID", Some("/variantId")),
        (vec![head("ACTIVE"), variant(product_id, "ACTIVE"), full()], "LIMIT_EXCEEDED", Some("")),
    ] {
        script(vec![replies]);
        let pointers = pointer.map(str::to_owned).into_iter().collect();
        assert_eq!(call("createMedia", &path, Some(body())), Err((code.to_owned(), pointers)));
    }
    let log = script(vec![
        vec![head("ACTIVE"), variant(product_id, "ACTIVE"), none()],
        vec![StoreReply::Inserted(vec![true])],
    ]);
    let made = call("createMedia", &path, Some(body())).expect("it is added");
    assert_eq!((&made["position"], &made["altText"]), (&json!(0), &Json::Null));
    let log = log.borrow();
    let reported: Json = serde_json::from_str(&log.events[0].data).expect("data is JSON");
    assert_eq!(members(&reported), ["altText", "id", "position", "productId", "status", "url", "variantId"]);
}
