//! The module against a scripted host: how many round trips its operations take, what they tell, and what `verify` finds.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;

use serde_json::{Value as Json, json};
use stoa_sdk::bindings::commerce::platform::{events::Event, log, store};
use stoa_sdk::host::{Host, install};
use stoa_sdk::store::{Call as StoreCall, Failure, Reply as StoreReply, Row, Value};
use stoa_sdk::{ActorKind, Call, Entity, Facts, Field, Id, Instant, Json as JsonText, Module};

use crate::Catalog;
use crate::articles::Articles;
use crate::bindings::exports::commerce::catalog::articles::Guest;
use crate::lookup::{Kind, Status};
use crate::product::{ProductRow, ProductState, ProductType, PublicationStatus, Tracking, VariantMode};
use crate::variant::{SimType, VariantRow};

const NOW: i64 = 1_767_225_600_000;

/// What was asked and told.
#[derive(Default)]
struct Log {
    runs: Vec<Vec<StoreCall>>,
    events: Vec<Event>,
}

/// Answers each batch with the next replies of its script.
struct Scripted {
    replies: VecDeque<Result<Vec<StoreReply>, Failure>>,
    log: Rc<RefCell<Log>>,
    ids: u64,
}

impl Host for Scripted {
    fn run(&mut self, calls: &[StoreCall]) -> Result<Vec<StoreReply>, Failure> {
        self.log.borrow_mut().runs.push(calls.to_vec());
        self.replies.pop_front().unwrap_or_else(|| Err(Failure::Misuse("beyond the script".to_owned())))
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
        let first = self.ids + 1;
        self.ids += u64::from(count);
        (first..=self.ids).map(|id| (7, id)).collect()
    }

    fn emit(&mut self, events: &[Event]) {
        self.log.borrow_mut().events.extend_from_slice(events);
    }

    fn log(&mut self, _level: log::Level, _message: &str) {}
}

fn script(replies: Vec<Vec<StoreReply>>) -> Rc<RefCell<Log>> {
    let log = Rc::new(RefCell::new(Log::default()));
    let replies = replies.into_iter().map(Ok).collect();
    install(Some(Box::new(Scripted { replies, log: log.clone(), ids: 0 })));
    log
}

fn rows(rows: Vec<Row>) -> StoreReply {
    StoreReply::Rows(store::Page { rows, more: false })
}

fn text(text: &str) -> Value {
    Value::Text(text.to_owned())
}

fn call(operation: &str, path: &[(&str, String)], body: Option<Json>) -> Result<Json, (String, Vec<String>)> {
    let path = path.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect();
    let body = body.map(|body| body.to_string());
    let call = Call { operation: operation.to_owned(), path, query: Vec::new(), body, if_match: None };
    match Catalog::handle(&call) {
        Ok(reply) => Ok(serde_json::from_str(&reply.body).expect("an answer is JSON")),
        Err(problem) => Err((problem.code, problem.errors.into_iter().map(|item| item.pointer).collect())),
    }
}

fn product(id: Id) -> ProductRow {
    ProductRow {
        id,
        version: 3,
        created_at: Instant(NOW),
        updated_at: Instant(NOW),
        name: "Phone".to_owned(),
        slug: Some("phone".to_owned()),
        product_type: ProductType::Good,
        unit_code: "UNIT".to_owned(),
        tracking: Tracking::None,
        publication_status: PublicationStatus::Published,
        status: ProductState::Active,
        archived_at: None,
        variant_mode: VariantMode::Single,
        category_id: None,
        brand_id: None,
        manufacturer_id: None,
        description: None,
        short_description: None,
        attributes: JsonText::of(&json!({})),
        active_variants: 1,
        total_variants: 1,
        single_variant_id: Some(Id(8, 1)),
        single_sku: Some("A-1".to_owned()),
    }
}

fn variant(id: Id, product: Id) -> VariantRow {
    VariantRow {
        id,
        version: 1,
        created_at: Instant(NOW),
        updated_at: Instant(NOW),
        product_id: product,
        sku: "A-1".to_owned(),
        barcode: None,
        model_number: None,
        storage: None,
        color: None,
        condition: None,
        grade: None,
        sim_type: SimType::NotApplicable,
        attributes: JsonText::of(&json!({})),
        aliases: JsonText::of(&json!([])),
        alias_text: None,
        status: Status::Active,
        archived_at: None,
        product_type: ProductType::Good,
        unit_code: "UNIT".to_owned(),
        tracking: Tracking::None,
    }
}

/// A row as the store answers it whole: id, version and times before the module's own columns.
fn whole<E: Entity>(row: &E, version: i64) -> Row {
    let mut values = row.write();
    values.splice(1..1, [Value::Integer(version), Value::Instant(NOW), Value::Instant(NOW)]);
    values
}

#[test]
fn a_product_is_read_in_one_call() {
    let id = Id(9, 9);
    let log = script(vec![vec![rows(vec![whole(&product(id), 3)])]]);
    let body = call("getProduct", &[("id", id.to_string())], None).expect("it is there");
    assert_eq!(body["singleSku"], "A-1");
    assert_eq!(body["variantCount"], 1);
    let runs = &log.borrow().runs;
    assert_eq!(runs.iter().map(Vec::len).collect::<Vec<_>>(), [1]);
}

#[test]
fn a_hundred_variants_take_two_round_trips() {
    let unit = rows(vec![vec![text("UNIT"), text("ACTIVE"), Value::Integer(0)]]);
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
    let unit = rows(vec![vec![text("UNIT"), text("ACTIVE"), Value::Integer(0)]]);
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
    let (id, of) = (Id(8, 1), Id(9, 9));
    let found = vec![rows(vec![whole(&product(of), 3)]), rows(vec![whole(&variant(id, of), 1)]), rows(Vec::new())];
    let log = script(vec![found, vec![StoreReply::Done, StoreReply::Done]]);
    let body = call("archiveVariant", &[("id", id.to_string())], Some(json!({}))).expect("it is archived");
    assert_eq!(body["status"], "ARCHIVED");
    let log = log.borrow();
    assert_eq!(log.runs.len(), 2);
    let kinds: Vec<&str> = log.events.iter().map(|event| event.kind.as_str()).collect();
    assert_eq!(kinds, ["catalog.product.updated", "catalog.variant.archived"]);
}

#[test]
fn articles_are_one_round_trip() {
    let (id, of) = (Id(8, 1), Id(9, 9));
    let asked = vec![id.put(), of.put(), text("A-1"), Value::Null, text("B"), text("ACTIVE"), text("GOOD")];
    let asked = asked.into_iter().chain([text("UNIT"), text("QUANTITY")]).collect();
    let log = script(vec![vec![
        rows(vec![asked]),
        rows(vec![vec![of.put(), text("Phone"), text("ARCHIVED"), text("PUBLISHED")]]),
        rows(vec![vec![text("UNIT"), Value::Integer(3)]]),
    ]]);
    let articles = <Articles as Guest>::get_variants(vec![id.into()]);
    assert_eq!(log.borrow().runs.len(), 1);
    let [article] = articles.as_slice() else { panic!("one article is expected") };
    assert_eq!((article.decimal_places, article.grade.as_deref()), (3, Some("B")));
    assert!(article.variant_active && !article.product_active && article.published);
    assert!(<Articles as Guest>::get_variants(Vec::new()).is_empty());
}

#[test]
fn verify_finds_wrong_counts_and_missing_references() {
    let (right, wrong) = (Id(9, 1), Id(9, 2));
    let facts = |id: Id, active: i64, category: Value| {
        let counts = [Value::Integer(active), Value::Integer(1), (active == 1).then_some(Id(8, 1)).put(), text("UNIT")];
        [id.put()].into_iter().chain(counts).chain([category, Value::Null, Value::Null]).collect::<Row>()
    };
    let page = rows(vec![facts(right, 1, Value::Null), facts(wrong, 0, Id(5, 5).put())]);
    let single = [Id(8, 1).put(), right.put(), text("ACTIVE"), text("GOOD"), text("UNIT"), text("NONE")];
    script(vec![
        vec![page],
        vec![
            rows(vec![vec![right.put(), Value::Integer(1), Value::Integer(1)]]),
            rows(vec![vec![Id(5, 5).put(), Kind::Brands.put(), text("ACTIVE")]]),
            rows(vec![vec![text("UNIT"), text("ACTIVE"), Value::Integer(0)]]),
            rows(vec![single.to_vec()]),
        ],
    ]);
    let findings = Catalog::verify(None);
    let found: Vec<_> =
        findings.findings.iter().map(|finding| (finding.invariant.as_str(), finding.resource)).collect();
    let wrong = Some(wrong.into());
    assert_eq!(found, [("product-variants-counted", wrong), ("product-references", wrong)]);
    assert_eq!(findings.next.as_deref(), Some("variants:"));
}

#[test]
fn the_descriptor_is_whole() {
    let descriptor = Catalog::descriptor();
    let text = serde_json::to_string(&descriptor.routes).expect("routes are JSON");
    let named = text
        .match_indices("#/$defs/")
        .map(|(at, prefix)| text[at + prefix.len()..].split('"').next().expect("a name follows").to_owned());
    for name in named {
        assert!(descriptor.schemas.contains_key(&name), "{name}");
    }
    let mut operations: Vec<&str> = descriptor.routes.iter().map(|route| route.operation.as_str()).collect();
    operations.sort_unstable();
    operations.dedup();
    assert_eq!(operations.len(), descriptor.routes.len());
    let declared: Vec<&str> = descriptor.events.iter().map(|event| event.code.as_str()).collect();
    for event in descriptor.routes.iter().flat_map(|route| &route.events) {
        assert!(declared.contains(&event.as_str()), "{event}");
    }
}
