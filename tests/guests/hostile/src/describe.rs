//! The hostile module's descriptor: lawful, or it would not be let in.

use serde_json::json;

/// Codes by which the module reports what the store answered to a attack.
const CODES: &[(&str, &str)] = &[
    ("HOSTILE_ALLOWED", "The store did what it must refuse."),
    ("HOSTILE_DUPLICATE", "The store found a duplicate."),
    ("HOSTILE_CHANGE", "The store refused a change."),
    ("HOSTILE_RANGE", "The store refused a value."),
    ("HOSTILE_CLOSED", "The store was closed."),
    ("HOSTILE_LIMIT", "The store named a limit."),
    ("HOSTILE_MISUSE", "The store named a misuse."),
    ("HOSTILE_UNKNOWN", "There is no such mode."),
];

/// A code that no route lists.
const UNLISTED: (&str, &str) = ("HOSTILE_UNLISTED", "No route lists it.");

pub fn descriptor() -> String {
    let codes: Vec<&str> = CODES.iter().map(|(code, _)| *code).collect();
    let problems: Vec<_> = CODES
        .iter()
        .chain([&UNLISTED])
        .map(|(code, detail)| json!({ "code": code, "status": 409, "detail": detail }))
        .collect();
    let mode = json!({
        "type": "object",
        "properties": { "mode": { "type": "string", "pattern": "^[a-z0-9-]{1,64}$" } },
        "required": ["mode"],
    });
    let response = json!({
        "type": "object",
        "properties": { "done": { "type": "boolean" }, "seen": { "type": "integer" } },
        "required": ["done"],
        "additionalProperties": false,
    });
    let body = json!({
        "type": "object",
        "properties": { "text": { "type": "string", "maxLength": 200, "default": "" } },
        "additionalProperties": false,
    });
    let noted = json!({
        "type": "object",
        "properties": { "x": { "type": "string" } },
        "additionalProperties": false,
    });
    json!({
        "name": "hostile",
        "version": "1.0.0",
        "description": "Attacks for the test suite.",
        "permissions": [{ "code": "hostile.run", "description": "Run attacks." }],
        "events": [
            {
                "code": "hostile.noted",
                "description": "A note was made.",
                "resourceType": "HOSTILE_NOTE",
                "data": noted,
                "example": { "x": "A note." },
            },
            {
                "code": "hostile.unlisted",
                "description": "No route lists it.",
                "resourceType": "HOSTILE_NOTE",
                "data": noted,
                "example": { "x": "A note." },
            },
        ],
        "problems": problems,
        "routes": [
            {
                "method": "POST",
                "path": "/tenants/{tenantId}/hostile/{mode}",
                "operation": "commitAttack",
                "summary": "Commit a attack in a write",
                "audience": "user",
                "access": { "all": ["hostile.run"] },
                "idempotency": "optional",
                "readOnly": false,
                "status": 201,
                "pathSchema": mode,
                "body": body,
                "response": response,
                "bodyLimit": 1_048_576,
                "events": ["hostile.noted"],
                "problems": codes,
                "audit": "HOSTILE_NOTE",
            },
            {
                "method": "GET",
                "path": "/tenants/{tenantId}/hostile/{mode}",
                "operation": "readAttack",
                "summary": "Commit a attack in a read",
                "audience": "user",
                "access": { "all": ["hostile.run"] },
                "idempotency": "none",
                "readOnly": true,
                "status": 200,
                "pathSchema": mode,
                "response": response,
                "bodyLimit": 0,
                "problems": codes,
            },
        ],
        "collections": [
            {
                "name": "note",
                "kind": "record",
                "columns": [
                    { "name": "label", "type": "text" },
                    { "name": "amount", "type": { "decimal": { "precision": 18, "scale": 6 } }, "nullable": true },
                    { "name": "day", "type": "date", "nullable": true },
                    { "name": "moment", "type": "timestamp", "nullable": true },
                    { "name": "number", "type": "integer", "default": 0 },
                    { "name": "data", "type": "json", "nullable": true },
                ],
                "unique": [{ "name": "label", "columns": ["label"] }],
                "counters": ["number"],
            },
            {
                "name": "entry",
                "kind": "ledger",
                "columns": [
                    { "name": "label", "type": "text" },
                    { "name": "number", "type": "integer", "nullable": true },
                ],
                "unique": [{ "name": "label", "columns": ["label"] }],
            },
        ],
    })
    .to_string()
}
