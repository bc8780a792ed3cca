//! Brands, categories and manufacturers: codes, archive, replacement, and the tree of categories.

use serde_json::{Value as Json, json};
use stoa_tests::company::{product, with};
use stoa_tests::{Answer, Company, Database, company, on_both_databases};

on_both_databases![
    list_shows_active_unless_asked_otherwise,
    text_filter_finds_name_and_code,
    a_duplicate_names_the_lookup_in_the_way,
];

on_both_databases![
    rules:
    lives_through_create_read_replace_archive,
    code_follows_its_grammar,
    code_is_immutable,
    code_stays_reserved_after_archive,
    one_code_may_be_used_in_every_kind,
    archived_lookup_is_immutable,
    archived_lookup_is_refused_in_a_product,
    products_keep_an_archived_lookup,
    category_tree_has_no_cycle,
    category_tree_is_eight_deep,
    category_with_active_children_is_not_archived,
    category_parent_must_exist_and_be_active,
    parent_belongs_to_categories_alone,
    unknown_kind_is_refused,
];

/// The kinds that share one shape.
const KINDS: [&str; 3] = ["brands", "categories", "manufacturers"];

fn lookup(code: &str) -> Json {
    json!({ "name": format!("Name of {code}"), "code": code })
}

fn lives_through_create_read_replace_archive(database: Database) {
    let shop = company(database);
    for kind in KINDS {
        let made = shop.post(&format!("catalog/lookups/{kind}"), lookup("ACME")).is(201);
        assert_eq!((&made["code"], &made["name"]), (&json!("ACME"), &json!("Name of ACME")), "{made}");
        assert_eq!((&made["status"], &made["archivedAt"]), (&json!("ACTIVE"), &Json::Null), "{made}");
        assert_eq!(made["tenantId"], json!(shop.tenant), "{made}");
        assert_eq!(made["createdAt"], made["updatedAt"], "{made}");

        let path = format!("catalog/lookups/{kind}/{}", made.id());
        assert_eq!(shop.get(&path).is(200).body, made.body);

        let replaced = shop.put(&path, with(&lookup("ACME"), json!({ "name": "Acme Corporation" }))).is(200);
        assert_eq!(replaced["name"], "Acme Corporation");
        assert_eq!(replaced["createdAt"], made["createdAt"]);
        assert_eq!(shop.get(&path).is(200).body, replaced.body);

        let archived = shop.archive(&path).is(200);
        assert_eq!(archived["status"], "ARCHIVED");
        assert!(archived["archivedAt"].is_string(), "{archived}");
        assert_eq!(shop.get(&path).is(200).body, archived.body, "an archived lookup is still read by its id");
    }
}

fn code_follows_its_grammar(database: Database) {
    let shop = company(database);
    let long = format!("A{}", "B".repeat(63));
    for code in ["A", "A1", "A_B", "A.B", "A-B", "AB-", "A__..--", long.as_str()] {
        shop.post("catalog/lookups/brands", lookup(code)).is(201);
    }
    let too_long = format!("A{}", "B".repeat(64));
    for code in ["1A", "_A", "-A", ".A", "A B", "A/B", "A:B", "É", "AÉ", "A\u{430}", "", too_long.as_str()] {
        shop.post("catalog/lookups/brands", lookup(code)).refused(400, "VALIDATION_FAILED").at("/code");
    }
}

fn code_is_immutable(database: Database) {
    let shop = company(database);
    for kind in KINDS {
        let path = format!("catalog/lookups/{kind}");
        let id = shop.post(&path, lookup("FIRST")).is(201).id();
        shop.put(&format!("{path}/{id}"), lookup("OTHER")).refused(409, "IMMUTABLE_FIELD").at("/code");
        assert_eq!(shop.get(&format!("{path}/{id}")).is(200)["code"], "FIRST");
    }
}

fn code_stays_reserved_after_archive(database: Database) {
    let shop = company(database);
    for kind in KINDS {
        let path = format!("catalog/lookups/{kind}");
        let id = shop.post(&path, lookup("ONCE")).is(201).id();
        shop.post(&path, lookup("ONCE")).refused(409, "DUPLICATE");
        shop.archive(&format!("{path}/{id}")).is(200);
        shop.post(&path, lookup("ONCE")).refused(409, "DUPLICATE");
    }
}

fn one_code_may_be_used_in_every_kind(database: Database) {
    let shop = company(database);
    for kind in ["brands", "categories", "manufacturers", "units"] {
        shop.post(&format!("catalog/lookups/{kind}"), lookup("SAME")).is(201);
    }
}

/// [C13] and the rule that archived records are immutable.
fn archived_lookup_is_immutable(database: Database) {
    let shop = company(database);
    for kind in KINDS {
        let path = format!("catalog/lookups/{kind}");
        let id = shop.post(&path, lookup("GONE")).is(201).id();
        let archived = shop.archive(&format!("{path}/{id}")).is(200);
        shop.put(&format!("{path}/{id}"), lookup("GONE")).refused(409, "ARCHIVED");
        shop.archive(&format!("{path}/{id}")).refused(409, "ARCHIVED");
        assert_eq!(shop.get(&format!("{path}/{id}")).is(200).body, archived.body);
    }
}

fn list_shows_active_unless_asked_otherwise(database: Database) {
    let shop = company(database);
    for kind in KINDS {
        let path = format!("catalog/lookups/{kind}");
        let kept = shop.post(&path, lookup("KEPT")).is(201).id();
        let gone = shop.post(&path, lookup("GONE")).is(201).id();
        shop.archive(&format!("{path}/{gone}")).is(200);
        assert_eq!(shop.get(&path).is(200).ids(), [kept.as_str()]);
        assert_eq!(shop.list(&path, &[("status", "ACTIVE")]).is(200).ids(), [kept.as_str()]);
        assert_eq!(shop.list(&path, &[("status", "ARCHIVED")]).is(200).ids(), [gone.as_str()]);
        shop.list(&path, &[("status", "active")]).refused(400, "VALIDATION_FAILED").at("/query/status");
    }
}

fn text_filter_finds_name_and_code(database: Database) {
    let shop = company(database);
    let path = "catalog/lookups/brands";
    let apple = shop.post(path, json!({ "name": "Apple", "code": "FRUIT" })).is(201).id();
    let pear = shop.post(path, json!({ "name": "Birne", "code": "PEAR" })).is(201).id();
    let found = |text: &str| shop.list(path, &[("text", text)]).is(200).ids();
    assert_eq!(found("app"), [apple.as_str()]);
    assert_eq!(found("APPLE"), [apple.as_str()]);
    assert_eq!(found("pear"), [pear.as_str()]);
    assert_eq!(found("i"), [apple, pear]);
    assert!(found("nothing of the kind").is_empty());
}

/// A product names a category, a brand and a manufacturer.
fn reference(kind: &str) -> &'static str {
    match kind {
        "brands" => "brandId",
        "categories" => "categoryId",
        _ => "manufacturerId",
    }
}

fn archived_lookup_is_refused_in_a_product(database: Database) {
    let shop = company(database);
    for kind in KINDS {
        let path = format!("catalog/lookups/{kind}");
        let id = shop.post(&path, lookup("GONE")).is(201).id();
        shop.archive(&format!("{path}/{id}")).is(200);
        let member = reference(kind);
        let pointer = format!("/{member}");
        let body = with(&product("P"), json!({ member: id }));
        shop.post("catalog/products", body).refused(409, "REFERENCE_INVALID").at(&pointer);
        let missing = with(&product("P"), json!({ member: uuid::Uuid::now_v7() }));
        shop.post("catalog/products", missing).refused(404, "NOT_FOUND").at(&pointer);
    }
}

fn products_keep_an_archived_lookup(database: Database) {
    let shop = company(database);
    for kind in KINDS {
        let path = format!("catalog/lookups/{kind}");
        let id = shop.post(&path, lookup("USED")).is(201).id();
        let member = reference(kind);
        let body = with(&product(&format!("Keeps {kind}")), json!({ member: id }));
        let product = shop.post("catalog/products", body.clone()).is(201).id();
        shop.archive(&format!("{path}/{id}")).is(200);
        let path = format!("catalog/products/{product}");
        assert_eq!(shop.get(&path).is(200)[member], json!(id));
        let changed = with(&body, json!({ "description": "changed since" }));
        assert_eq!(shop.put(&path, changed).is(200)[member], json!(id), "a product keeps its archived lookup");
    }
}

fn category(shop: &Company, code: &str, parent: Option<&str>) -> stoa_tests::Answer {
    shop.post("catalog/lookups/categories", with(&lookup(code), json!({ "parentId": parent })))
}

fn category_tree_has_no_cycle(database: Database) {
    let shop = company(database);
    let a = category(&shop, "A", None).is(201).id();
    let b = category(&shop, "B", Some(&a)).is(201).id();
    let c = category(&shop, "C", Some(&b)).is(201).id();
    for (code, id, parent) in [("A", &a, &a), ("A", &a, &b), ("A", &a, &c), ("B", &b, &c)] {
        let body = with(&lookup(code), json!({ "parentId": parent }));
        let answer = shop.put(&format!("catalog/lookups/categories/{id}"), body);
        answer.refused(409, "ILLEGAL_STATE").at("/parentId");
    }
    assert_eq!(shop.get(&format!("catalog/lookups/categories/{a}")).is(200)["parentId"], Json::Null);
    let moved = shop.put(&format!("catalog/lookups/categories/{c}"), with(&lookup("C"), json!({ "parentId": a })));
    assert_eq!(moved.is(200)["parentId"], json!(a));
    let reset = shop.put(&format!("catalog/lookups/categories/{c}"), lookup("C")).is(200);
    assert_eq!(reset["parentId"], Json::Null, "an omitted parent returns to its default");
}

fn category_tree_is_eight_deep(database: Database) {
    let shop = company(database);
    let mut chain: Vec<String> = Vec::new();
    for depth in 1..=8 {
        let parent = chain.last().cloned();
        chain.push(category(&shop, &format!("D{depth}"), parent.as_deref()).is(201).id());
    }
    category(&shop, "D9", chain.last().map(String::as_str)).refused(409, "ILLEGAL_STATE").at("/parentId");

    // Moving a tree below a deep category does not get around it.
    let top = category(&shop, "TOP", None).is(201).id();
    category(&shop, "BELOW", Some(&top)).is(201);
    let body = with(&lookup("TOP"), json!({ "parentId": chain[6] }));
    shop.put(&format!("catalog/lookups/categories/{top}"), body).refused(409, "ILLEGAL_STATE").at("/parentId");
    let body = with(&lookup("TOP"), json!({ "parentId": chain[5] }));
    shop.put(&format!("catalog/lookups/categories/{top}"), body).is(200);
}

fn category_with_active_children_is_not_archived(database: Database) {
    let shop = company(database);
    let parent = category(&shop, "PARENT", None).is(201).id();
    let child = category(&shop, "CHILD", Some(&parent)).is(201).id();
    shop.archive(&format!("catalog/lookups/categories/{parent}"))
        .refused(409, "ILLEGAL_STATE")
        .fault("", "ACTIVE_CHILDREN");
    shop.archive(&format!("catalog/lookups/categories/{child}")).is(200);
    shop.archive(&format!("catalog/lookups/categories/{parent}")).is(200);
}

fn category_parent_must_exist_and_be_active(database: Database) {
    let shop = company(database);
    let missing = uuid::Uuid::now_v7().to_string();
    category(&shop, "A", Some(&missing)).refused(404, "NOT_FOUND").at("/parentId");
    let gone = category(&shop, "GONE", None).is(201).id();
    shop.archive(&format!("catalog/lookups/categories/{gone}")).is(200);
    category(&shop, "A", Some(&gone)).refused(409, "REFERENCE_INVALID").at("/parentId");
}

fn parent_belongs_to_categories_alone(database: Database) {
    let shop = company(database);
    for kind in ["brands", "manufacturers", "units"] {
        let body = with(&lookup("A"), json!({ "parentId": uuid::Uuid::now_v7() }));
        let answer = shop.post(&format!("catalog/lookups/{kind}"), body);
        answer.refused(400, "VALIDATION_FAILED").fault("/parentId", "NOT_ALLOWED");
    }
    let body = with(&lookup("A"), json!({ "decimalPlaces": 2 }));
    let answer = shop.post("catalog/lookups/brands", body);
    answer.refused(400, "VALIDATION_FAILED").fault("/decimalPlaces", "NOT_ALLOWED");
    let brand = shop.brand("B");
    category(&shop, "C", Some(&brand)).refused(404, "NOT_FOUND").at("/parentId");
}

fn unknown_kind_is_refused(database: Database) {
    let shop = company(database);
    for kind in ["colours", "Brands", "brand", "..%2fproducts", "%00"] {
        let answer = shop.get(&format!("catalog/lookups/{kind}"));
        answer.refused(400, "VALIDATION_FAILED").fault("/path/kind", "FORMAT");
    }
}

/// A key reads only active lookups, and learns of no other.
fn a_duplicate_names_the_lookup_in_the_way(database: Database) {
    let shop = company(database);
    let machine = shop.machine(&["catalog.read", "catalog.write"]);
    let brands = "catalog/lookups/brands";
    let id = shop.brand("TAKEN");
    let named = |refused: Answer| refused.refused(409, "DUPLICATE").at("/code").errors()[0]["conflictsWith"].clone();
    assert_eq!(named(shop.post(brands, lookup("TAKEN"))), json!(id));
    assert_eq!(named(machine.post(brands, lookup("TAKEN"))), json!(id));
    shop.archive(&format!("{brands}/{id}")).is(200);
    assert_eq!(named(shop.post(brands, lookup("TAKEN"))), json!(id));
    assert_eq!(named(machine.post(brands, lookup("TAKEN"))), Json::Null);
}
