//! Pricing as API clients see it.

use serde_json::{Value as Json, json};
use stoa_sdk::bindings::commerce::platform::store;
use stoa_sdk::scripted::{rows, whole};
use stoa_sdk::store::{Reply as StoreReply, Row};
use stoa_sdk::{Field, Id};
use stoa_trade::Status;

use super::{call, input, list, price, refusal, script, sell};
use crate::records::price::PriceRow;
use crate::records::price_list::{ListRow, Visibility};

/// Members of an object, sorted.
fn members(object: &Json) -> Vec<&str> {
    let mut members: Vec<&str> = object.as_object().into_iter().flatten().map(|(name, _)| name.as_str()).collect();
    members.sort_unstable();
    members
}

const PUBLIC_PRICE: [&str; 10] = [
    "amount",
    "createdAt",
    "currencyCode",
    "id",
    "priceListId",
    "status",
    "updatedAt",
    "validFrom",
    "validTo",
    "variantId",
];

#[test]
fn c21_an_internal_list_is_unknown_to_clients() {
    let internal = || whole(&ListRow { visibility: Visibility::Internal, ..ListRow::example() }, 1);
    let priced = || rows(vec![price(Id(6, 6), None, None)]);
    let none = || rows(Vec::new());
    let batch = json!({ "prices": [input("1")] });
    for (operation, replies, body) in [
        ("apiGetPriceList", vec![rows(vec![internal()])], Json::Null),
        ("apiListPrices", vec![rows(vec![internal()]), priced()], Json::Null),
        ("apiResolvePrice", vec![rows(vec![internal()]), priced()], Json::Null),
        (
            "apiResolvePrices",
            vec![rows(vec![internal()]), priced()],
            json!({ "variantIds": [PriceRow::example().variant_id] }),
        ),
        ("apiCreatePrice", vec![StoreReply::Done, rows(vec![internal()]), none()], input("1")),
        ("apiSchedulePrices", vec![StoreReply::Done, rows(vec![internal()]), none()], batch),
        ("apiReplacePrice", vec![StoreReply::Done, rows(vec![internal()]), priced(), none()], input("1")),
        ("apiArchivePrice", vec![priced(), rows(vec![internal()])], json!({})),
    ] {
        let log = script(vec![replies]);
        assert_eq!(call(operation, body), refusal("NOT_FOUND", &[]), "{operation}");
        assert_eq!(log.borrow().runs.len(), 1, "{operation}");
    }
}

#[test]
fn an_archived_list_is_read_by_no_client_and_refuses_writes() {
    let archived = || rows(vec![whole(&ListRow { status: Status::Archived, ..ListRow::example() }, 1)]);
    script(vec![vec![archived(), rows(Vec::new())]]);
    assert_eq!(call("apiResolvePrice", Json::Null), refusal("NOT_FOUND", &[]));
    script(vec![vec![StoreReply::Done, archived(), rows(Vec::new())]]);
    assert_eq!(call("apiCreatePrice", input("1")), refusal("ARCHIVED", &[]));
}

#[test]
fn clients_get_projections() {
    let read = vec![StoreReply::Done, rows(vec![list()]), rows(Vec::new())];
    script(vec![read, vec![StoreReply::Inserted(vec![true])]]);
    assert_eq!(members(&call("apiCreatePrice", input("12.5")).expect("it is created")), PUBLIC_PRICE);
    let priced = || rows(vec![price(Id(6, 6), None, None)]);
    script(vec![vec![rows(vec![list()]), priced()]]);
    assert_eq!(members(&call("apiResolvePrice", Json::Null).expect("it is in effect")), PUBLIC_PRICE);
    script(vec![vec![rows(vec![list()])]]);
    let shown = call("apiGetPriceList", Json::Null).expect("it is public");
    assert_eq!(
        members(&shown),
        ["code", "createdAt", "currencyCode", "id", "name", "status", "updatedAt", "visibility"]
    );
    script(vec![vec![priced(), rows(vec![list()])], vec![StoreReply::Done, priced()], vec![StoreReply::Done]]);
    let archived = call("apiArchivePrice", json!({})).expect("it is archived");
    assert_eq!((members(&archived), &archived["status"]), (PUBLIC_PRICE.to_vec(), &json!("ARCHIVED")));
}

/// A page of two fills up over prices of what is not on sale, and its cursor is the last row it looked at.
#[test]
fn a_page_of_prices_passes_over_what_is_not_on_sale() {
    let price_row = |id: u64, variant: u64| {
        let mut row = price(Id(6, id), None, None);
        row[5] = Id(8, variant).put();
        row
    };
    let page =
        |items: Vec<Row>, has_more: bool| StoreReply::Rows(store::Page { rows: items, more: has_more, reached: None });
    let log = script(vec![
        vec![rows(vec![list()]), page(vec![price_row(1, 99), price_row(2, 1)], true)],
        vec![rows(vec![list()]), page(vec![price_row(3, 2), price_row(4, 3)], false)],
    ]);
    sell(|id| id.1 != 99);
    let body = call("apiListPrices", Json::Null).expect("a page");
    let shown: Vec<_> = body["items"].as_array().into_iter().flatten().map(|item| item["id"].clone()).collect();
    assert_eq!(shown, [json!(Id(6, 2)), json!(Id(6, 3))]);
    assert_eq!(body["nextCursor"], json!(Id(6, 3)));
    assert_eq!(log.borrow().runs.len(), 2);
}
