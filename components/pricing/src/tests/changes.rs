//! Changes of prices: one, and many at once.

use serde_json::{Value as Json, json};
use stoa_sdk::scripted::rows;
use stoa_sdk::store::{Call as StoreCall, Reply as StoreReply, Row};
use stoa_sdk::{Field, Id};

use super::{call, input, list, price, refusal, script, sell};
use crate::records::price::PriceRow;

#[test]
fn a_price_takes_two_round_trips_beside_the_catalog() {
    let read = vec![StoreReply::Done, rows(vec![list()]), rows(Vec::new())];
    let log = script(vec![read, vec![StoreReply::Inserted(vec![true])]]);
    let body = call("createPrice", input("12.5")).expect("it is created");
    assert_eq!(body["amount"], "12.500000");
    let log = log.borrow();
    assert!(matches!(log.runs[0].as_slice(), [StoreCall::Lock(_), StoreCall::Get(_), StoreCall::Select(_)]));
    assert!(matches!(log.runs[1].as_slice(), [StoreCall::Insert(_)]));
    assert_eq!(log.runs.len(), 2);
    let event: Json = serde_json::from_str(&log.events[0].data).expect("data is JSON");
    assert_eq!(event["amount"], "12.500000");
}

#[test]
fn refusals_come_in_their_order() {
    let read = |list: Vec<Row>, overlaps: Vec<Row>| vec![vec![StoreReply::Done, rows(list), rows(overlaps)]];
    let overlap = || vec![vec![Id(7, 7).put()]];
    script(read(Vec::new(), overlap()));
    assert_eq!(call("createPrice", input("1")), refusal("NOT_FOUND", &[]));
    script(read(vec![list()], overlap()));
    sell(|_| false);
    assert_eq!(call("createPrice", input("1")), refusal("REFERENCE_INVALID", &["/variantId"]));
    script(read(vec![list()], overlap()));
    let dollars = json!({ "variantId": PriceRow::example().variant_id, "currencyCode": "USD", "amount": "1" });
    assert_eq!(call("createPrice", dollars), refusal("REFERENCE_INVALID", &["/currencyCode"]));
    script(read(vec![list()], overlap()));
    assert_eq!(call("createPrice", input("1")), refusal("PRICE_PERIOD_OVERLAP", &[]));
    let marks = json!({ "variantId": PriceRow::example().variant_id, "currencyCode": "DEM", "amount": "1" });
    assert_eq!(call("createPrice", marks), refusal("VALIDATION_FAILED", &["/currencyCode"]));
}

#[test]
fn a_schedule_closes_and_creates_in_one_round_trip() {
    let read = vec![StoreReply::Done, rows(vec![list()]), rows(vec![price(Id(6, 6), None, None)])];
    let log = script(vec![read, vec![StoreReply::Done, StoreReply::Inserted(vec![true])]]);
    let mut new = input("8");
    new["validFrom"] = json!("2026-01-01T00:00:00Z");
    let body = call("schedulePrices", json!({ "prices": [new], "replace": true })).expect("it is scheduled");
    assert_eq!(body["closed"][0]["validTo"], "2026-01-01T00:00:00.000Z");
    assert_eq!(body["items"][0]["validTo"], Json::Null);
    let log = log.borrow();
    assert!(matches!(log.runs[1].as_slice(), [StoreCall::Update(_), StoreCall::Insert(_)]));
    let kinds: Vec<&str> = log.events.iter().map(|event| event.kind.as_str()).collect();
    assert_eq!(kinds, ["pricing.price.updated", "pricing.price.created"]);
}
