//! The module against a scripted host: how many round trips its operations take, and what they refuse.

use std::cell::RefCell;
use std::rc::Rc;

use serde_json::{Value as Json, json};
use stoa_sdk::bindings::commerce::platform::store;
use stoa_sdk::scripted::{self, Log, NOW, ask, rows, whole};
use stoa_sdk::store::{Call as StoreCall, Reply as StoreReply, Row, Value};
use stoa_sdk::{Field, Id, Instant, Module, Problem};

use crate::Pricing;
use crate::records::price::{Amount, PriceRow};
use crate::records::price_list::{ListRow, Status, Visibility};
use crate::work::articles::{Article, GET_VARIANTS, ProductType, Tracking};

const LIST: Id = Id(3, 3);
const VARIANT: Id = Id(8, 1);

/// A host with these replies, and a catalog that sells every variant.
fn script(replies: Vec<Vec<StoreReply>>) -> Rc<RefCell<Log>> {
    sell(true);
    scripted::script(replies)
}

fn sell(active: bool) {
    GET_VARIANTS.with(|service| {
        service.install(move |ids: &[Id]| ids.iter().map(|id| article(*id, active)).collect());
    });
}

fn article(id: Id, active: bool) -> Article {
    Article {
        variant_id: id.into(),
        product_id: (9, 9),
        sku: "A-1".to_owned(),
        product_name: "Phone".to_owned(),
        product_type: ProductType::Good,
        tracking: Tracking::None,
        unit_code: "UNIT".to_owned(),
        decimal_places: 0,
        condition: None,
        grade: None,
        variant_active: active,
        product_active: true,
        published: true,
    }
}

fn list() -> Row {
    whole(&list_row(), 1)
}

fn list_row() -> ListRow {
    ListRow {
        id: LIST,
        version: 1,
        created_at: Instant(NOW),
        updated_at: Instant(NOW),
        code: "RETAIL".to_owned(),
        name: "Retail".to_owned(),
        description: None,
        currency_code: "EUR".to_owned(),
        visibility: Visibility::Public,
        status: Status::Active,
        archived_at: None,
    }
}

fn price(id: Id, from: Option<i64>, to: Option<i64>) -> Row {
    whole(
        &PriceRow {
            id,
            version: 1,
            created_at: Instant(NOW),
            updated_at: Instant(NOW),
            list_id: LIST,
            variant_id: VARIANT,
            currency_code: "EUR".to_owned(),
            amount: Amount::from_units(7_000_000),
            valid_from: from.map(Instant),
            valid_to: to.map(Instant),
            status: Status::Active,
            archived_at: None,
        },
        1,
    )
}

fn call(operation: &str, body: Json) -> Result<Json, (String, Vec<String>)> {
    let path =
        [("listId", LIST), ("variantId", VARIANT), ("priceId", Id(6, 6))].map(|(name, id)| (name, id.to_string()));
    let path: Vec<(&str, &str)> = path.iter().map(|(name, id)| (*name, id.as_str())).collect();
    let query: &[(&str, &str)] =
        if operation.trim_start_matches("api").to_lowercase().starts_with("list") { &[("limit", "2")] } else { &[] };
    let pointers = |problem: Problem| problem.errors.into_iter().map(|item| item.pointer).collect();
    ask::<Pricing>(operation, &path, query, Some(body)).map_err(|problem| (problem.code.clone(), pointers(problem)))
}

fn input(amount: &str) -> Json {
    json!({ "variantId": VARIANT, "currencyCode": "EUR", "amount": amount })
}

fn refused(code: &str, pointers: &[&str]) -> Result<Json, (String, Vec<String>)> {
    Err((code.to_owned(), pointers.iter().map(|&pointer| pointer.to_owned()).collect()))
}

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
    assert_eq!(call("createPrice", input("1")), refused("NOT_FOUND", &[]));
    script(read(vec![list()], overlap()));
    sell(false);
    assert_eq!(call("createPrice", input("1")), refused("REFERENCE_INVALID", &["/variantId"]));
    script(read(vec![list()], overlap()));
    let dollars = json!({ "variantId": VARIANT, "currencyCode": "USD", "amount": "1" });
    assert_eq!(call("createPrice", dollars), refused("REFERENCE_INVALID", &["/currencyCode"]));
    script(read(vec![list()], overlap()));
    assert_eq!(call("createPrice", input("1")), refused("PRICE_PERIOD_OVERLAP", &[]));
    let marks = json!({ "variantId": VARIANT, "currencyCode": "DEM", "amount": "1" });
    assert_eq!(call("createPrice", marks), refused("VALIDATION_FAILED", &["/currencyCode"]));
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
    let internal = || whole(&ListRow { visibility: Visibility::Internal, ..list_row() }, 1);
    let priced = || rows(vec![price(Id(6, 6), None, None)]);
    let none = || rows(Vec::new());
    let batch = json!({ "prices": [input("1")] });
    for (operation, replies, body) in [
        ("apiGetPriceList", vec![rows(vec![internal()])], Json::Null),
        ("apiListPrices", vec![rows(vec![internal()]), priced()], Json::Null),
        ("apiResolvePrice", vec![rows(vec![internal()]), priced()], Json::Null),
        ("apiResolvePrices", vec![rows(vec![internal()]), priced()], json!({ "variantIds": [VARIANT] })),
        ("apiCreatePrice", vec![StoreReply::Done, rows(vec![internal()]), none()], input("1")),
        ("apiSchedulePrices", vec![StoreReply::Done, rows(vec![internal()]), none()], batch),
        ("apiReplacePrice", vec![StoreReply::Done, rows(vec![internal()]), priced(), none()], input("1")),
        ("apiArchivePrice", vec![priced(), rows(vec![internal()])], json!({})),
    ] {
        let log = script(vec![replies]);
        assert_eq!(call(operation, body), refused("NOT_FOUND", &[]), "{operation}");
        assert_eq!(log.borrow().runs.len(), 1, "{operation}");
    }
}

#[test]
fn an_archived_list_is_read_by_no_client_and_refuses_writes() {
    let archived = || rows(vec![whole(&ListRow { status: Status::Archived, ..list_row() }, 1)]);
    script(vec![vec![archived(), rows(Vec::new())]]);
    assert_eq!(call("apiResolvePrice", Json::Null), refused("NOT_FOUND", &[]));
    script(vec![vec![StoreReply::Done, archived(), rows(Vec::new())]]);
    assert_eq!(call("apiCreatePrice", input("1")), refused("ARCHIVED", &[]));
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
    let of = |id: u64, variant: u64| {
        let mut row = price(Id(6, id), None, None);
        row[5] = Id(8, variant).put();
        row
    };
    let page = |items: Vec<Row>, more: bool| StoreReply::Rows(store::Page { rows: items, more });
    let log = script(vec![
        vec![rows(vec![list()]), page(vec![of(1, 99), of(2, 1)], true)],
        vec![rows(vec![list()]), page(vec![of(3, 2), of(4, 3)], false)],
    ]);
    GET_VARIANTS.with(|service| {
        service.install(|ids: &[Id]| ids.iter().map(|id| article(*id, id.1 != 99)).collect());
    });
    let body = call("apiListPrices", Json::Null).expect("a page");
    let shown: Vec<_> = body["items"].as_array().into_iter().flatten().map(|item| item["id"].clone()).collect();
    assert_eq!(shown, [json!(Id(6, 2)), json!(Id(6, 3))]);
    assert_eq!(body["nextCursor"], json!(Id(6, 3)));
    assert_eq!(log.borrow().runs.len(), 2);
}

#[test]
fn verify_finds_overlaps_and_lists_of_another_currency() {
    let (first, second) = (price(Id(6, 1), Some(0), Some(10)), price(Id(6, 2), Some(5), None));
    let mut dollars = list();
    dollars[7] = Value::Text("USD".to_owned());
    let both = || rows(vec![first.clone(), second.clone()]);
    script(vec![vec![both()], vec![rows(vec![dollars]), both()]]);
    let findings = Pricing::verify(None);
    let found: Vec<_> =
        findings.findings.iter().map(|finding| (finding.invariant.as_str(), finding.resource)).collect();
    let (first, second) = (Some((6, 1)), Some((6, 2)));
    assert_eq!(found, [("price-list", first), ("price-list", second), ("price-overlap", second)]);
    assert_eq!(findings.next, None);
}
