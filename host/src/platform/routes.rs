//! The host's own routes, declared like a module's: each file beside this one states its own, with the schemas they refer to.

use std::sync::Arc;

use serde_json::{Map, Value as Json, json};
use stoa_descriptor::{Access, Audience, Idempotency, Route};

use super::{
    Operation, api_clients, api_keys, api_usage, audit_list, checklist, client_context, company_settings, context,
    current_user, iam, onboarding,
};
use crate::sandbox::Module;

/// Every operation of the host that takes the pipeline's road.
pub fn routes(modules: &[Arc<Module>]) -> Vec<(Route, Operation)> {
    [
        current_user::routes(),
        context::routes(),
        onboarding::routes(modules),
        api_clients::routes(modules),
        api_keys::routes(),
        api_usage::routes(),
        client_context::routes(),
        checklist::routes(),
        company_settings::routes(),
        iam::routes(modules),
        audit_list::routes(modules),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// Schemas that the host's routes refer to.
pub fn schemas() -> Map<String, Json> {
    [
        public_schemas(),
        current_user::schemas(),
        context::schemas(),
        onboarding::schemas(),
        api_clients::schemas(),
        api_keys::schemas(),
        api_usage::schemas(),
        client_context::schemas(),
        checklist::schemas(),
        company_settings::schemas(),
        iam::schemas(),
        audit_list::schemas(),
    ]
    .into_iter()
    .flatten()
    .map(|(name, schema)| (name.to_string(), schema))
    .collect()
}

/// Routes without a credential, answered by `http` itself: for the contract.
pub fn public_routes() -> Vec<Route> {
    vec![
        read("/health", "getHealth", "Whether the process runs; never touches the database.", reference("Health")),
        read("/ready", "getReadiness", "Whether requests can be answered.", reference("Readiness")),
        read("/openapi.json", "getContract", "This document.", json!({ "type": "object" })),
        read(
            "/docs",
            "getReference",
            "A reference for people.",
            json!({ "type": "string", "contentMediaType": "text/html" }),
        ),
    ]
}

fn public_schemas() -> Vec<(&'static str, Json)> {
    let ready = json!({ "status": { "const": "ok" }, "service": { "const": "api" }, "database": { "const": "ready" } });
    vec![
        ("Health", object(json!({ "status": { "const": "ok" }, "service": { "const": "api" } }))),
        ("Readiness", object(ready)),
    ]
}

/// A read of any signed-in user; callers state what differs.
pub fn read(path: &str, operation: &str, summary: &str, response: Json) -> Route {
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
        audit: None,
        cache_control: None,
        discloses_identifiers: false,
    }
}

/// A page of `items`; `filters` are its query parameters besides `cursor` and `limit`.
pub fn list(path: &str, operation: &str, summary: &str, item: &str, filters: Json) -> Route {
    let mut query = json!({
        "cursor": { "type": "string", "format": "uuid", "description": "The last id of the page before." },
        "limit": { "type": "integer", "minimum": 1, "maximum": 100, "default": 50 },
    });
    if let (Some(query), Json::Object(filters)) = (query.as_object_mut(), filters) {
        query.extend(filters);
    }
    let page = object(json!({
        "items": { "type": "array", "items": reference(item) },
        "nextCursor": { "type": ["string", "null"], "format": "uuid" },
    }));
    Route { query: Some(json!({ "type": "object", "properties": query })), ..read(path, operation, summary, page) }
}

/// A write with a required key, audited as `resource_type`; callers state what differs.
pub fn write(method: &str, path: &str, operation: &str, summary: &str, body: Json, response: Json) -> Route {
    Route {
        method: method.into(),
        idempotency: Idempotency::Required,
        read_only: false,
        status: if method == "POST" { 201 } else { 200 },
        body: Some(body),
        ..read(path, operation, summary, response)
    }
}

pub fn reference(name: &str) -> Json {
    json!({ "$ref": format!("#/$defs/{name}") })
}

/// An answer's object: every member is always there.
pub fn object(properties: Json) -> Json {
    let required: Vec<String> =
        properties.as_object().map(|members| members.keys().cloned().collect()).unwrap_or_default();
    json!({ "type": "object", "properties": properties, "required": required })
}

/// A body's object: unknown members are refused.
pub fn body(properties: Json, required: &[&str]) -> Json {
    json!({ "type": "object", "properties": properties, "required": required, "additionalProperties": false })
}

pub fn array(items: Json) -> Json {
    json!({ "type": "array", "items": items })
}

pub fn uuid() -> Json {
    json!({ "type": "string", "format": "uuid" })
}

pub fn time() -> Json {
    json!({ "type": "string", "format": "date-time" })
}

pub fn text() -> Json {
    json!({ "type": "string" })
}

/// One permission that the caller must hold.
pub fn permission(code: &str) -> Access {
    Access::All(vec![code.into()])
}
