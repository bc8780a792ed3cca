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

/// The request of a form with these pairs.
fn send(schema: &Value, pairs: &Pairs) -> Sent {
    let site = site(schema);
    read(&site, site.operation("write").expect("an operation"), pairs, &CLOCK).expect("a request")
}

fn pairs(pairs: &[(&str, &str)]) -> Pairs {
    Pairs(pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect())
}

#[test]
fn a_value_that_is_filled_in_is_read_back() {
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
    let least = json!({"text": "x"});
    for (filled, sent) in [(&whole, &whole), (&least, &json!({"text": "x", "flag": true}))] {
        let (site, mut pairs) = (site(&schema), Pairs::default());
        let operation = site.operation("write").expect("an operation");
        fill(&Field::from_body(&site, operation, &[]).expect("a field"), Some(filled), "", &CLOCK, &mut pairs);
        assert_eq!(send(&schema, &pairs).body.as_ref(), Some(sent));
    }
}

#[test]
fn a_blank_field_is_left_out_or_null_or_left_to_the_host() {
    let text = json!({"type": "string"});
    let schema = object(
        json!({"free": text, "empty": {"type": ["string", "null"]}, "needed": text, "list": {"type": "array", "items": text}}),
        &["empty", "needed", "list"],
    );
    let sent = send(&schema, &pairs(&[("v/free", "  "), ("v/needed", "")]));
    assert_eq!(sent.body, Some(json!({"empty": null, "needed": "", "list": []})));
}

#[test]
fn a_blank_row_is_left_out_and_faults_find_the_rows_that_were_sent() {
    let line = json!({
        "quantity": {"type": "string", "x-normalize": ["decimal"]},
        "unitIds": {"type": "array", "items": {"type": "string", "format": "uuid"}},
        "gift": {"type": "boolean", "x-default": false},
    });
    let items = json!({"items": {"type": "array", "minItems": 1, "items": object(line, &["quantity"])}});
    let schema = object(items, &["items"]);
    let typed =
        [("n/items", "3"), ("v/items/0/quantity", "1"), ("v/items/1/quantity", " "), ("v/items/2/quantity", "x")];
    let sent = send(&schema, &pairs(&typed));
    let item = |quantity: &str| json!({"quantity": quantity, "gift": false});
    assert_eq!(sent.body, Some(json!({"items": [item("1"), item("x")]})));
    let at = |pointer: &str| ProblemItem {
        pointer: pointer.to_owned(),
        expected: Some(json!({"maxLength": 3})),
        ..ProblemItem::default()
    };
    let mut problem = Problem::new(StatusCode::BAD_REQUEST, "VALIDATION_FAILED", "No.");
    problem.items = vec![at("/items/1/quantity"), at("/items/1/unitIds/4"), at("/other")];
    let site = site(&schema);
    let faults =
        Faults::from_problem(&site, site.operation("write").expect("an operation"), &[], &problem, &sent.places, "");
    let places: Vec<Option<&str>> = faults.items.iter().map(|fault| fault.place.as_deref()).collect();
    assert_eq!(places, [Some("v/items/2/quantity"), Some("v/items/2/unitIds"), None]);
    assert!(faults.items.iter().all(|fault| fault.text.ends_with("Expected: at most 3 characters.")), "{faults:?}");
}

#[test]
fn a_schema_that_is_deep_or_unknown_is_json() {
    let mut schema = json!({"type": "string"});
    for _ in 0..9 {
        schema = object(json!({"in": schema}), &["in"]);
    }
    let site =
        site(&object(json!({"deep": schema, "either": {"oneOf": [{"type": "string"}, {"type": "integer"}]}}), &[]));
    let field = Field::from_body(&site, site.operation("write").expect("an operation"), &[]).expect("a field");
    let mut deepest = &field;
    while let Some(member) = deepest.members().first().copied() {
        deepest = member;
    }
    assert!(matches!(deepest.kind, Kind::Json));
    let Kind::Object(members) = &field.kind else { panic!("no object") };
    assert!(matches!(members.last().map(|member| &member.kind), Some(Kind::Json)));
}
