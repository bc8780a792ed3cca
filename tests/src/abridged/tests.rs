//! A small contract with one of everything: what its texts say, and that nothing of it is left out.

use serde_json::json;

use super::*;

fn document() -> Json {
    let page = json!({ "type": "object", "required": ["items"], "properties": {
        "items": { "type": "array", "items": { "$ref": "#/components/schemas/Card" } },
        "next": { "type": ["string", "null"], "format": "uuid", "description": "Where the next page begins." },
    } });
    let card = json!({ "type": "object", "additionalProperties": false, "required": ["code"], "properties": {
        "code": { "type": "string", "minLength": 1, "maxLength": 64, "default": "A" },
        "kind": { "enum": ["GIFT", "BONUS"], "type": "string" },
    } });
    let list = json!({
        "operationId": "listCards", "summary": "Cards", "description": "All of them.", "tags": ["cards"],
        "security": [{ "UserBearer": [] }], "x-stoa-access": { "all": ["cards.read"] }, "x-later": 1,
        "parameters": [
            { "$ref": "#/components/parameters/TenantId" },
            { "in": "query", "name": "limit", "required": false, "schema": { "type": "integer", "minimum": 1, "maximum": 100 } },
        ],
        "responses": {
            "200": {
                "content": { "application/json": { "schema": { "$ref": "#/components/schemas/CardPage" } } },
                "headers": { "ETag": { "$ref": "#/components/headers/ETag" } }, "description": "OK",
            },
            "404": { "$ref": "#/components/responses/NotFound" },
            "409": { "description": "No. Codes: `SPENT`.", "content": { "application/problem+json": {
                "schema": { "$ref": "#/components/schemas/ProblemDetails" },
            } } },
        },
    });
    let ping = json!({ "operationId": "ping", "summary": "Alive", "tags": ["platform"], "responses": { "200": {
        "content": { "application/json": { "schema": { "$ref": "#/components/schemas/ProblemDetails" } } },
    } } });
    json!({
        "openapi": "3.1.0",
        "info": { "title": "Stoa", "version": "1", "x-stoa-build": "a" },
        "paths": { "/cards": { "get": list }, "/ping": { "get": ping } },
        "webhooks": { "cards.card.created": { "post": { "tags": ["cards"], "summary": "A card was created." } } },
        "components": {
            "schemas": { "CardPage": page, "Card": card, "ProblemDetails": { "type": "object" } },
            "responses": { "NotFound": { "description": "None." } },
        },
    })
}

#[test]
fn a_module_reads_its_own_operations_and_schemas() {
    let texts = texts(&document());
    assert_eq!(texts.keys().collect::<Vec<_>>(), ["cards", "platform", "shared"]);
    let lines: Vec<&str> = texts["cards"].lines().map(|line| line.split("  #").next().unwrap_or_default()).collect();
    assert_eq!(
        lines,
        [
            "GET /cards",
            "  listCards  Cards",
            "  access   UserBearer; all cards.read",
            "  takes    TenantId",
            "  query    limit?                   integer 1..100",
            "  answer   200 CardPage +ETag",
            "  codes    409 SPENT",
            "  refusals 404",
            "  x-later  1",
            "",
            "POST webhook cards.card.created",
            "            A card was created.",
            "",
            "Card closed",
            "  code                     string 1..64 = \"A\"",
            "  kind?                    GIFT|BONUS",
            "",
            "CardPage",
            "  items                    [Card]",
            "  next?                    uuid|null",
            "",
        ]
    );
    assert!(texts["shared"].contains("ProblemDetails = object"), "a name of two modules belongs to neither");
}

/// Every change in the document changes a text; but for what differs from build to build.
#[test]
fn nothing_is_left_out() {
    let document = document();
    let before = texts(&document);
    let mut pointers = Vec::new();
    leaves(&document, String::new(), &mut pointers);
    assert!(pointers.len() > 45, "{} leaves", pointers.len());
    for pointer in pointers {
        let mut changed = document.clone();
        *changed.pointer_mut(&pointer).expect("a leaf") = json!("changed");
        let fleeting = ["/info/version", "/info/x-stoa-build"].contains(&pointer.as_str());
        assert_eq!(texts(&changed) == before, fleeting, "{pointer}");
    }
}

fn leaves(value: &Json, pointer: String, into: &mut Vec<String>) {
    let step = |name: &str| format!("{pointer}/{}", name.replace('~', "~0").replace('/', "~1"));
    match value {
        Json::Object(members) if !members.is_empty() => {
            members.iter().for_each(|(name, value)| leaves(value, step(name), into));
        }
        Json::Array(items) if !items.is_empty() => {
            items.iter().enumerate().for_each(|(n, value)| leaves(value, step(&n.to_string()), into));
        }
        _ => into.push(pointer),
    }
}
