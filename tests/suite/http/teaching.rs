//! Refusals say the rule that was not met, and which names there are; values that were sent are never repeated.

use serde_json::{Value as Json, json};
use stoa_tests::company::{product, with};
use stoa_tests::{Answer, Database, company, on_one_database};

// Checked before a request reaches the database, or independent of it.
on_one_database![a_refusal_says_the_rule, an_unknown_name_hears_those_that_are_known];

/// The rule that was not met at a place.
#[track_caller]
fn rule_at(answer: &Answer, pointer: &str) -> Json {
    let item = answer.errors().iter().find(|item| item["pointer"] == pointer);
    item.unwrap_or_else(|| panic!("no fault at {pointer:?}: {answer}"))["expected"].clone()
}

fn a_refusal_says_the_rule(database: Database) {
    let shop = company(database);
    let body = with(&product(""), json!({ "slug": "Not A Slug", "productType": "Good", "variants": 7 }));
    let answer = shop.post("catalog/products", body).refused(400, "VALIDATION_FAILED");
    assert_eq!(rule_at(&answer, "/name"), json!({ "minLength": 1 }));
    assert_eq!(rule_at(&answer, "/productType"), json!({ "enum": ["GOOD", "SERVICE"] }));
    assert_eq!(rule_at(&answer, "/variants"), json!({ "type": "array" }));
    assert!(rule_at(&answer, "/slug")["pattern"].is_string(), "{answer}");
    let missing = shop.post("catalog/products", json!({})).refused(400, "VALIDATION_FAILED");
    assert_eq!(rule_at(&missing, "/name"), Json::Null, "that it is required says the code");
    let junk: Vec<Json> = (0..600).map(Json::from).collect();
    let much = with(&product("P"), json!({ "attributes": { "junk": junk } }));
    let answer = shop.post("catalog/products", much).refused(400, "VALIDATION_FAILED");
    assert_eq!(rule_at(&answer, "/attributes"), json!({ "x-maxValues": 500 }));
    let limit = shop.list("catalog/products", &[("limit", "1000")]).refused(400, "VALIDATION_FAILED");
    assert_eq!(rule_at(&limit, "/query/limit"), json!({ "maximum": 100 }));
}

fn an_unknown_name_hears_those_that_are_known(database: Database) {
    let shop = company(database);
    let body = with(&product("P"), json!({ "product_type": "secret-value" }));
    let answer = shop.post("catalog/products", body).refused(400, "VALIDATION_FAILED");
    let reported = rule_at(&answer, "");
    assert_eq!(reported["nearest"][0], "productType", "{answer}");
    assert!(reported["members"].as_array().is_some_and(|names| names.contains(&json!("unitOfMeasure"))), "{answer}");
    assert!(!answer.body.to_string().contains("product_type"), "the caller's own name: {answer}");
    assert!(!answer.body.to_string().contains("secret"), "the caller's own value: {answer}");
    let query = shop.list("catalog/products", &[("categoryid", "x"), ("nothing-like-it", "1")]);
    let query = query.refused(400, "UNKNOWN_QUERY_PARAMETER");
    let reported = rule_at(&query, "/query");
    assert_eq!(reported["nearest"], json!(["categoryId"]), "{query}");
    assert!(reported["members"].as_array().is_some_and(|names| names.contains(&json!("cursor"))), "{query}");
}
