//! Routes without a credential, answered by `http` itself: for the contract.

use serde_json::{Map, Value as Json, json};
use stoa_descriptor::{Access, Audience, Idempotency, Route};

/// The routes.
pub fn routes() -> Vec<Route> {
    let reference = |name: &str| json!({ "$ref": format!("#/$defs/{name}") });
    vec![
        read("/health", "getHealth", "Check that the process runs, without a database access", reference("Health")),
        read("/ready", "getReadiness", "Check that the host can serve requests", reference("Readiness")),
        read("/openapi.json", "getContract", "This contract", json!({ "type": "object" })),
        read(
            "/docs",
            "getReference",
            "Reference of the API, for readers",
            json!({ "type": "string", "contentMediaType": "text/html" }),
        ),
    ]
}

/// Schemas that they refer to.
pub fn schemas() -> Map<String, Json> {
    let status = json!({ "const": "ok", "description": "Always `ok`: any other state is an error." });
    let health = json!({
        "type": "object",
        "properties": { "status": status, "service": { "const": "api" } },
        "required": ["status", "service"],
    });
    let readiness = json!({
        "type": "object",
        "properties": { "status": status, "service": { "const": "api" }, "database": { "const": "ready" } },
        "required": ["status", "service", "database"],
    });
    Map::from_iter([("Health".to_owned(), health), ("Readiness".to_owned(), readiness)])
}

fn read(path: &str, operation: &str, summary: &str, response: Json) -> Route {
    Route {
        method: "GET".into(),
        path: path.into(),
        operation: operation.into(),
        summary: summary.into(),
        description: String::new(),
        audience: Audience::User,
        access: Access::Any(Vec::new()),
        idempotency: Idempotency::None,
        read_only: true,
        status: 200,
        path_schema: None,
        query: None,
        body: None,
        response,
        if_match: false,
        body_limit: 1 << 20,
        events: Vec::new(),
        problems: Vec::new(),
        item_codes: Vec::new(),
        reaches: Vec::new(),
        example: None,
        audit: None,
        cache_control: None,
        discloses_identifiers: false,
        csv: false,
        heavy: false,
        grows_with: None,
    }
}
