//! Many products at once.

use serde_json::{Value as Json, json};
use stoa_sdk::scripted::{rows, script};
use stoa_sdk::store::Reply as StoreReply;

use super::{call, text, units};

#[test]
fn an_import_of_many_takes_two_round_trips() {
    let unit = units(&[("UNIT", "ACTIVE")]);
    // One product is named like a stated slug of another, and like one that is taken.
    let taken = rows(vec![vec![text("phone")]]);
    let inserted = vec![StoreReply::Inserted(vec![true; 3]), StoreReply::Inserted(vec![true; 2])];
    let log = script(vec![vec![StoreReply::Done, unit, taken], inserted]);
    let product = json!({ "name": "Phone", "productType": "GOOD", "unitOfMeasure": "UNIT" });
    let with = |members: Json| {
        let mut body = product.clone();
        members.as_object().into_iter().flatten().for_each(|(name, value)| body[name.as_str()] = value.clone());
        body
    };
    let products = [
        with(json!({ "variants": [{ "sku": "A" }, { "sku": "B" }] })),
        with(json!({ "slug": "phone-3" })),
        with(json!({})),
    ];
    let body = call("importProducts", &[], Some(json!({ "products": products }))).expect("it is imported");
    let slugs: Vec<_> = body["items"].as_array().into_iter().flatten().map(|item| item["slug"].clone()).collect();
    assert_eq!(slugs, ["phone-2", "phone-3", "phone-4"]);
    assert_eq!(body["items"][0]["variants"][1]["sku"], "B");
    let log = log.borrow();
    assert_eq!((log.runs.len(), log.events.len()), (2, 5));
}

#[test]
fn an_import_tells_of_every_bad_product() {
    let product = |unit: &str, sku: &str| json!({ "name": "P", "productType": "GOOD", "unitOfMeasure": unit, "variants": [{ "sku": sku }] });
    let import = |products: Vec<Json>| call("importProducts", &[], Some(json!({ "products": products })));
    let refused = |code: &str, pointers: &[&str]| {
        Err((code.to_owned(), pointers.iter().map(|&pointer| pointer.to_owned()).collect::<Vec<_>>()))
    };
    script(Vec::new());
    let twice = import(vec![product("UNIT", "A"), product("UNIT", "B"), product("UNIT", "A"), product("UNIT", "B")]);
    assert_eq!(twice, refused("VALIDATION_FAILED", &["/products/2/variants/0/sku", "/products/3/variants/0/sku"]));
    let many = |count: usize| {
        let variants: Vec<Json> = (0..count).map(|nth| json!({ "sku": format!("S{nth}") })).collect();
        json!({ "name": "P", "productType": "GOOD", "unitOfMeasure": "UNIT", "variants": variants })
    };
    let too_many = import((0..21).map(|_| many(100)).collect());
    assert_eq!(too_many, refused("VALIDATION_FAILED", &["/products/20/variants"]));

    let found = || units(&[("UNIT", "ACTIVE"), ("OLD", "ARCHIVED")]);
    script(vec![vec![StoreReply::Done, found(), rows(Vec::new())]]);
    let missing = import(vec![product("NONE", "A"), product("OLD", "B"), product("GONE", "C")]);
    assert_eq!(missing, refused("NOT_FOUND", &["/products/0/unitOfMeasure", "/products/2/unitOfMeasure"]));
    script(vec![vec![StoreReply::Done, found(), rows(Vec::new())]]);
    let mut published = product("UNIT", "A");
    published["publicationStatus"] = json!("PUBLISHED");
    published["variants"] = json!([]);
    let conflicts = import(vec![product("OLD", "B"), published]);
    assert_eq!(
        conflicts,
        refused("REFERENCE_INVALID", &["/products/0/unitOfMeasure", "/products/1/publicationStatus"])
    );
    let inserted = vec![StoreReply::Inserted(vec![true; 3]), StoreReply::Inserted(vec![false, true, false])];
    script(vec![vec![StoreReply::Done, found(), rows(Vec::new())], inserted]);
    let taken = import(vec![product("UNIT", "A"), product("UNIT", "B"), product("UNIT", "C")]);
    assert_eq!(taken, refused("DUPLICATE", &["/products/0/variants/0/sku", "/products/2/variants/0/sku"]));
}
