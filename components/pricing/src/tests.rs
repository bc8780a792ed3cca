//! The module against a scripted host: how many round trips its operations take, and what they refuse.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;

use serde_json::{Value as Json, json};
use stoa_sdk::bindings::commerce::platform::{events::Event, log, store};
use stoa_sdk::host::{Host, install};
use stoa_sdk::store::{Call as StoreCall, Failure, Reply as StoreReply, Row, Value};
use stoa_sdk::{ActorKind, Call, Entity, Facts, Field, Id, Instant, Module};

use crate::Pricing;
use crate::articles::{Article, GET_VARIANTS, ProductType, Tracking};
use crate::list::{ListRow, Status, Visibility};
use crate::price::{Amount, PriceRow};

const NOW: i64 = 1_767_225_600_000;
const LIST: Id = Id(3, 3);
const VARIANT: Id = Id(8, 1);

/// What was asked and told.
#[derive(Default)]
struct Log {
    runs: Vec<Vec<StoreCall>>,
    events: Vec<Event>,
}

/// Answers each batch with the next replies of its script.
struct Scripted {
    replies: VecDeque<Vec<StoreReply>>,
    log: Rc<RefCell<Log>>,
}

impl Host for Scripted {
    fn run(&mut self, calls: &[StoreCall]) -> Result<Vec<StoreReply>, Failure> {
        self.log.borrow_mut().runs.push(calls.to_vec());
        self.replies.pop_front().ok_or_else(|| Failure::Misuse("beyond the script".to_owned()))
    }

    fn facts(&mut self) -> Facts {
        Facts {
            tenant: (1, 1),
            actor_kind: ActorKind::User,
            actor: "alice".to_owned(),
            request: (2, 2),
            now: NOW,
            today: "2026-01-01".to_owned(),
            permissions: Vec::new(),
        }
    }

    fn new_ids(&mut self, count: u32) -> Vec<(u64, u64)> {
        (1..=u64::from(count)).map(|id| (7, id)).collect()
    }

    fn emit(&mut self, events: &[Event]) {
        self.log.borrow_mut().events.extend_from_slice(events);
    }

    fn log(&mut self, _level: log::Level, _message: &str) {}
}

/// A host with these replies, and a catalog that sells every variant.
fn script(replies: Vec<Vec<StoreReply>>) -> Rc<RefCell<Log>> {
    let log = Rc::new(RefCell::new(Log::default()));
    install(Some(Box::new(Scripted { replies: replies.into(), log: log.clone() })));
    sell(true);
    log
}

fn sell(active: bool) {
    GET_VARIANTS.with(|service| {
        service.install(move |ids: &[Id]| {
            let article = |id: &Id| Article {
                variant_id: (*id).into(),
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
            };
            ids.iter().map(article).collect()
        });
    });
}

fn rows(rows: Vec<Row>) -> StoreReply {
    StoreReply::Rows(store::Page { rows, more: false })
}

/// A row as the store answers it whole.
fn whole<E: Entity>(row: &E) -> Row {
    let mut values = row.write();
    values.splice(1..1, [Value::Integer(1), Value::Instant(NOW), Value::Instant(NOW)]);
    values
}

fn list() -> Row {
    whole(&ListRow {
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
    })
}

fn price(id: Id, from: Option<i64>, to: Option<i64>) -> Row {
    whole(&PriceRow {
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
    })
}

fn call(operation: &str, body: Json) -> Result<Json, (String, Vec<String>)> {
    let path = vec![("listId".to_owned(), LIST.to_string()), ("variantId".to_owned(), VARIANT.to_string())];
    let body = Some(body.to_string());
    match Pricing::handle(&Call { operation: operation.to_owned(), path, query: Vec::new(), body, if_match: None }) {
        Ok(reply) => Ok(serde_json::from_str(&reply.body).expect("an answer is JSON")),
        Err(problem) => Err((problem.code, problem.errors.into_iter().map(|item| item.pointer).collect())),
    }
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
