//! The rules of forms on a small contract.

use http::StatusCode;
use serde_json::{Value, json};

use super::field::{Field, Kind};
use super::read::{Sent, fill};
use super::*;
use crate::call::{Problem, ProblemItem};
use crate::clock::Clock;
use crate::host::Contract;
use crate::site::Site;

const CLOCK: Clock = Clock { zone: chrono_tz::Europe::Berlin };

/// A site with one operation `write`, whose body has this schema.
fn site(body: &Value) -> Site {
    let content = |schema: &Value| json!({"content": {"application/json": {"schema": schema}}});
    let write = json!({
        "operationId": "write", "tags": ["goods"], "summary": "Write", "security": [{"UserBearer": []}],
        "requestBody": content(body), "responses": {"200": content(&json!({}))},
    });
    let contract =
        json!({"paths": {"/tenants/{tenantId}/goods": {"post": write}}, "components": {"schemas": {"ItemCode": {}}}});
    Site::read(&Contract { etag: "1".to_owned(), bytes: contract.to_string().into() }).expect("a site")
}

fn object(members: Value, required: &[&str]) -> Value {
    json!({"type": "object", "additionalProperties": false, "properties": members, "required": required})
}

/// The body that a form of this value sends.
fn send(schema: &Value, value: &Value) -> Sent {
    let site = site(schema);
    let operation = site.operation("write").expect("an operation");
    let mut pairs = Pairs::default();
    fill(&Field::of_body(&site, operation, &[]).expect("a field"), Some(value), "", &CLOCK, &mut pairs);
    read(&site, operation, &pairs, &CLOCK).expect("a request")
}

/// The body of a form with these pairs.
fn type_in(schema: &Value, pairs: &[(&str, &str)]) -> Result<Sent, Faults> {
    let site = site(schema);
    let pairs = pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    read(&site, site.operation("write").expect("an operation"), &Pairs(pairs), &CLOCK)
}

fn lines() -> Value {
    let line = object(
        json!({
            "quantity": {"type": "string", "x-normalize": ["decimal"]},
            "unitIds": {"type": "array", "items": {"type": "string", "format": "uuid"}},
            "gift": {"type": "boolean", "x-default": false},
        }),
        &["quantity"],
    );
    object(json!({"items": {"type": "array", "minItems": 1, "items": line}}), &["items"])
}

#[test]
fn what_is_filled_in_is_read_back() {
    let branch = |value: &str, member: &str| {
        let mut branch = object(json!({"kind": {"const": value}}), &["kind", member]);
        branch["properties"][member] = json!({"type": "string"});
        branch
    };
    let members = json!({
        "text": {"type": "string"}, "price": {"type": "string", "x-normalize": ["decimal"]}, "count": {"type": ["integer", "null"]},
        "flag": {"type": "boolean", "x-default": true}, "perhaps": {"type": ["boolean", "null"]},
        "one": {"enum": ["A", "B"]}, "some": {"type": "array", "items": {"enum": ["A", "B"]}},
        "names": {"type": "array", "items": {"type": "string"}}, "day": {"type": "string", "format": "date"},
        "at": {"type": "string", "format": "date-time"}, "until": {"type": "string", "format": "date-time"},
        "free": {"type": "object"}, "inner": object(json!({"text": {"type": "string"}}), &[]),
        "rows": {"type": "array", "items": object(json!({"text": {"type": "string"}}), &[])},
        "command": {"oneOf": [branch("first", "text"), branch("second", "other")]},
    });
    let whole = json!({
        "text": "two\nlines", "price": "1.50", "count": 7, "flag": false, "perhaps": true, "one": "B", "some": ["A", "B"],
        "names": ["x", "y"], "day": "2026-01-15", "at": "2026-07-15T11:30:00Z", "until": "2026-10-25T01:30:00Z",
        "free": {"a": [1, null]}, "inner": {"text": "x"}, "rows": [{"text": "x"}, {"text": "y"}],
        "command": {"kind": "second", "other": "x"},
    });
    let schema = object(members, &["text"]);
    assert_eq!(send(&schema, &whole).body, Some(whole));
    let least = json!({"text": "x"});
    assert_eq!(send(&schema, &least).body, Some(json!({"text": "x", "flag": true})));
}

#[test]
fn a_blank_field_is_left_out_or_null_or_left_to_the_host() {
    let text = json!({"type": "string"});
    let schema = object(
        json!({"free": text, "empty": {"type": ["string", "null"]}, "needed": text, "list": {"type": "array", "items": text}}),
        &["empty", "needed", "list"],
    );
    let sent = type_in(&schema, &[("v/free", "  "), ("v/needed", "")]).expect("a request");
    assert_eq!(sent.body, Some(json!({"empty": null, "needed": "", "list": []})));
}

#[test]
fn nothing_is_judged_before_the_host() {
    let schema =
        object(json!({"price": {"type": "string", "x-normalize": ["decimal"]}, "count": {"type": "integer"}}), &[]);
    let sent = type_in(&schema, &[("v/price", "1,5"), ("v/count", "007")]).expect("a request");
    assert_eq!(sent.body, Some(json!({"price": "1,5", "count": "007"})));
}

#[test]
fn a_blank_row_is_left_out_and_faults_find_the_rows_that_were_sent() {
    let pairs =
        [("n/items", "3"), ("v/items/0/quantity", "1"), ("v/items/1/quantity", " "), ("v/items/2/quantity", "x")];
    let sent = type_in(&lines(), &pairs).expect("a request");
    let item = |quantity: &str| json!({"quantity": quantity, "gift": false});
    assert_eq!(sent.body, Some(json!({"items": [item("1"), item("x")]})));
    let at = |pointer: &str| ProblemItem {
        pointer: pointer.to_owned(),
        code: "FORMAT".to_owned(),
        required: None,
        identified: None,
        expected: Some(json!({"maxLength": 3})),
        conflicts_with: None,
    };
    let mut problem = Problem::new(StatusCode::BAD_REQUEST, "VALIDATION_FAILED", "No.");
    problem.items = vec![at("/items/1/quantity"), at("/items/1/unitIds/4"), at("/other")];
    let site = site(&lines());
    let faults = Faults::of(&site, site.operation("write").expect("an operation"), &[], &problem, &sent.places, "");
    let places: Vec<Option<&str>> = faults.items.iter().map(|fault| fault.place.as_deref()).collect();
    assert_eq!(places, [Some("v/items/2/quantity"), Some("v/items/2/unitIds"), None]);
    assert!(faults.items.iter().all(|fault| fault.text.ends_with("Expected: at most 3 characters.")), "{faults:?}");
}

#[test]
fn a_text_that_is_no_json_is_a_fault_of_its_field() {
    let schema = object(json!({"free": {"type": "object"}}), &[]);
    let faults = type_in(&schema, &[("v/free", "{")]).expect_err("a fault");
    assert!(faults.at("v/free").next().is_some(), "{faults:?}");
}

#[test]
fn the_version_of_the_record_is_sent_and_not_asked() {
    let schema = object(json!({"expectedVersion": {"type": "integer"}}), &["expectedVersion"]);
    let sent = type_in(&schema, &[("version", "3"), ("key", "k"), ("etag", "\"e\"")]).expect("a request");
    assert_eq!(sent.body, Some(json!({"expectedVersion": 3})));
    assert_eq!((sent.key.as_deref(), sent.etag.as_deref()), (Some("k"), Some("\"e\"")));
}

#[test]
fn a_schema_that_is_deep_or_unknown_is_json() {
    let mut schema = json!({"type": "string"});
    for _ in 0..9 {
        schema = object(json!({"in": schema}), &["in"]);
    }
    let site =
        site(&object(json!({"deep": schema, "either": {"oneOf": [{"type": "string"}, {"type": "integer"}]}}), &[]));
    let field = Field::of_body(&site, site.operation("write").expect("an operation"), &[]).expect("a field");
    let mut deepest = &field;
    while let Some(member) = deepest.members().first().copied() {
        deepest = member;
    }
    assert!(matches!(deepest.kind, Kind::Json));
    let Kind::Object(members) = &field.kind else { panic!("no object") };
    assert!(matches!(members.last().map(|member| &member.kind), Some(Kind::Json)));
}
