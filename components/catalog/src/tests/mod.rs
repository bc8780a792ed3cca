//! The module against a scripted host: how many round trips its operations take, what they tell, and what `verify` finds.

use serde_json::{Value as Json, json};
use stoa_sdk::scripted::{NOW, ask, rows, script, whole};
use stoa_sdk::store::{Call as StoreCall, Reply as StoreReply, Row, Value};
use stoa_sdk::{Field, Id, Instant, Json as JsonText, Module, Problem};

use crate::Catalog;
use crate::bindings::exports::commerce::catalog::articles::Guest;
use crate::records::Status;
use crate::records::lookup::Kind;
use crate::records::product::{ProductRow, ProductState, PublicationStatus, VariantMode};
use crate::records::product_type::{ProductType, Tracking};
use crate::records::variant::{SimType, VariantRow};
use crate::services::articles::Articles;

fn text(text: &str) -> Value {
    Value::Text(text.to_owned())
}

fn call(operation: &str, path: &[(&str, &str)], body: Option<Json>) -> Result<Json, (String, Vec<String>)> {
    let pointers = |problem: Problem| problem.errors.into_iter().map(|item| item.pointer).collect();
    ask::<Catalog>(operation, path, &[], body).map_err(|problem| (problem.code.clone(), pointers(problem)))
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

#[test]
fn a_product_is_read_in_one_call() {
    let id = Id(9, 9);
    let log = script(vec![vec![rows(vec![whole(&product(id), 3)])]]);
    let body = call("getProduct", &[("id", &id.to_string())], None).expect("it is there");
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
    let body = call("archiveVariant", &[("id", &id.to_string())], Some(json!({}))).expect("it is archived");
    assert_eq!(body["status"], "ARCHIVED");
    let log = log.borrow();
    assert_eq!(log.runs.len(), 2);
    let kinds: Vec<&str> = log.events.iter().map(|event| event.kind.as_str()).collect();
    assert_eq!(kinds, ["catalog.product.updated", "catalog.variant.archived"]);
}

/// Members of an object, sorted.
fn members(object: &Json) -> Vec<&str> {
    let mut members: Vec<&str> = object.as_object().into_iter().flatten().map(|(name, _)| name.as_str()).collect();
    members.sort_unstable();
    members
}

#[test]
fn an_import_of_many_takes_two_round_trips() {
    let unit = rows(vec![vec![text("UNIT"), text("ACTIVE"), Value::Integer(0)]]);
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

    let units = || {
        rows(vec![
            vec![text("UNIT"), text("ACTIVE"), Value::Integer(0)],
            vec![text("OLD"), text("ARCHIVED"), Value::Integer(0)],
        ])
    };
    script(vec![vec![StoreReply::Done, units(), rows(Vec::new())]]);
    let missing = import(vec![product("NONE", "A"), product("OLD", "B"), product("GONE", "C")]);
    assert_eq!(missing, refused("NOT_FOUND", &["/products/0/unitOfMeasure", "/products/2/unitOfMeasure"]));
    script(vec![vec![StoreReply::Done, units(), rows(Vec::new())]]);
    let mut published = product("UNIT", "A");
    published["publicationStatus"] = json!("PUBLISHED");
    published["variants"] = json!([]);
    let conflicts = import(vec![product("OLD", "B"), published]);
    assert_eq!(
        conflicts,
        refused("REFERENCE_INVALID", &["/products/0/unitOfMeasure", "/products/1/publicationStatus"])
    );
    let inserted = vec![StoreReply::Inserted(vec![true; 3]), StoreReply::Inserted(vec![false, true, false])];
    script(vec![vec![StoreReply::Done, units(), rows(Vec::new())], inserted]);
    let taken = import(vec![product("UNIT", "A"), product("UNIT", "B"), product("UNIT", "C")]);
    assert_eq!(taken, refused("DUPLICATE", &["/products/0/variants/0/sku", "/products/2/variants/0/sku"]));
}

#[test]
fn clients_read_projections_of_what_is_on_sale() {
    let (id, of) = (Id(8, 1), Id(9, 9));
    let asked = of.to_string();
    let path = [("id", asked.as_str())];
    script(vec![vec![rows(vec![whole(&product(of), 3)])]]);
    let shown = call("apiGetProduct", &path, None).expect("it is on sale");
    assert_eq!(
        members(&shown),
        [
            "brandId",
            "categoryId",
            "createdAt",
            "description",
            "id",
            "manufacturerId",
            "name",
            "productType",
            "publicationStatus",
            "shortDescription",
            "singleSku",
            "slug",
            "status",
            "unitOfMeasure",
            "updatedAt",
            "variantCount",
            "variantMode",
        ]
    );
    let draft = ProductRow { publication_status: PublicationStatus::Draft, ..product(of) };
    let archived = ProductRow { status: ProductState::Archived, ..product(of) };
    for hidden in [draft, archived] {
        script(vec![vec![rows(vec![whole(&hidden, 3)])]]);
        assert_eq!(call("apiGetProduct", &path, None), Err(("NOT_FOUND".to_owned(), Vec::new())));
    }
    let head = |status: &str, publication: &str| rows(vec![vec![of.put(), text(status), text(publication)]]);
    let asked = id.to_string();
    let path = [("id", asked.as_str())];
    script(vec![vec![rows(vec![whole(&variant(id, of), 1)]), head("ACTIVE", "PUBLISHED")]]);
    let shown = call("apiGetVariant", &path, None).expect("it is on sale");
    assert_eq!(
        members(&shown),
        [
            "barcode",
            "color",
            "condition",
            "createdAt",
            "grade",
            "id",
            "modelNumber",
            "productId",
            "simType",
            "sku",
            "status",
            "storage",
            "updatedAt",
        ]
    );
    for hidden in [("ACTIVE", "DRAFT"), ("ARCHIVED", "PUBLISHED")] {
        script(vec![vec![rows(vec![whole(&variant(id, of), 1)]), head(hidden.0, hidden.1)]]);
        assert_eq!(call("apiGetVariant", &path, None), Err(("NOT_FOUND".to_owned(), Vec::new())));
    }
}

#[test]
fn clients_ask_for_active_records_alone() {
    let log = script(vec![vec![rows(Vec::new())]]);
    let query = [("limit", "50"), ("status", "ACTIVE"), ("updatedSince", "2026-01-01T00:00:00Z")];
    ask::<Catalog>("apiListProducts", &[], &query, None).expect("a page");
    let StoreCall::Select(select) = &log.borrow().runs[0][0] else { panic!("a select is expected") };
    let asked = format!("{:?}", select.where_);
    for part in ["ACTIVE", "PUBLISHED", "updated_at"] {
        assert!(asked.contains(part), "{asked}");
    }
}

#[test]
fn a_write_of_a_client_answers_a_receipt() {
    let unit = rows(vec![vec![text("UNIT"), text("ACTIVE"), Value::Integer(0)]]);
    let inserted = vec![StoreReply::Inserted(vec![true]), StoreReply::Inserted(vec![true])];
    let log = script(vec![vec![StoreReply::Done, unit, rows(Vec::new())], inserted]);
    let body = json!({ "name": "P", "productType": "GOOD", "unitOfMeasure": "UNIT", "variants": [{ "sku": "A" }] });
    let receipt = call("apiCreateProduct", &[], Some(body)).expect("it is created");
    assert_eq!(members(&receipt), ["createdAt", "id", "status", "updatedAt"]);
    assert_eq!(log.borrow().events.len(), 2);
}

#[test]
fn media_belong_to_the_product_and_are_bounded() {
    let (of, named) = (Id(9, 9), Id(8, 1));
    let product = of.to_string();
    let path = [("productId", product.as_str())];
    let head = |status: &str| rows(vec![vec![of.put(), text(status), text("PUBLISHED")]]);
    let variant = |product: Id, status: &str| rows(vec![vec![named.put(), product.put(), text(status)]]);
    let none = || rows(Vec::new());
    let full = || rows((0..100).map(|nth| vec![Id(6, nth).put()]));
    let body = || json!({ "url": "https://cdn.example.test/a.jpg", "variantId": named });
    for (replies, code, pointer) in [
        (vec![none(), variant(of, "ACTIVE"), none()], "NOT_FOUND", None),
        (vec![head("DELETED"), variant(of, "ACTIVE"), none()], "NOT_FOUND", None),
        (vec![head("ARCHIVED"), none(), none()], "NOT_FOUND", Some("/variantId")),
        (vec![head("ARCHIVED"), variant(of, "ACTIVE"), none()], "ARCHIVED", None),
        (vec![head("ACTIVE"), variant(Id(9, 8), "ACTIVE"), none()], "REFERENCE_INVALID", Some("/variantId")),
        (vec![head("ACTIVE"), variant(of, "ARCHIVED"), none()], "REFERENCE_INVALID", Some("/variantId")),
        (vec![head("ACTIVE"), variant(of, "ACTIVE"), full()], "LIMIT_EXCEEDED", None),
    ] {
        script(vec![replies]);
        let pointers = pointer.map(str::to_owned).into_iter().collect();
        assert_eq!(call("createMedia", &path, Some(body())), Err((code.to_owned(), pointers)));
    }
    let log = script(vec![vec![head("ACTIVE"), variant(of, "ACTIVE"), none()], vec![StoreReply::Inserted(vec![true])]]);
    let made = call("createMedia", &path, Some(body())).expect("it is added");
    assert_eq!((&made["position"], &made["altText"]), (&json!(0), &Json::Null));
    let log = log.borrow();
    let told: Json = serde_json::from_str(&log.events[0].data).expect("data is JSON");
    assert_eq!(members(&told), ["altText", "id", "position", "productId", "status", "url", "variantId"]);
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
fn verify_finds_media_of_others() {
    let (right, wrong, of) = (Id(6, 1), Id(6, 2), Id(9, 9));
    let page = rows(vec![
        vec![right.put(), of.put(), Value::Null, text("ACTIVE")],
        vec![wrong.put(), of.put(), Id(8, 1).put(), text("ACTIVE")],
    ]);
    let variant = rows(vec![vec![Id(8, 1).put(), Id(9, 8).put()]]);
    let counts = rows(vec![vec![of.put(), Value::Integer(101)]]);
    script(vec![vec![page], vec![rows(vec![vec![of.put(), text("ACTIVE")]]), variant, counts]]);
    let findings = Catalog::verify(Some("media:".to_owned()));
    let found: Vec<_> =
        findings.findings.iter().map(|finding| (finding.invariant.as_str(), finding.resource)).collect();
    assert_eq!(found, [("media-product", Some(wrong.into())), ("media-count", Some(of.into()))]);
    assert_eq!(findings.next.as_deref(), Some("categories:"));
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
