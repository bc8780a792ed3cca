//! The host's own routes, declared like a module's.

use serde_json::{Map, Value as Json, json};
use stoa_descriptor::{Access, Audience, Idempotency, Route};

use super::Operation;
use crate::modules::Module;

/// Every operation of the host that takes the pipeline's road.
pub fn routes(modules: &[Module]) -> Vec<(Route, Operation)> {
    vec![
        (
            read("/auth/me", "getCurrentUser", "The caller's own user record.", reference("CurrentUser")),
            Operation::CurrentUser,
        ),
        (
            read(
                "/tenants/{tenantId}/context",
                "getTenantContext",
                "The company and the caller's membership, roles and permissions in it.",
                reference("TenantContext"),
            ),
            Operation::TenantContext,
        ),
        (create_company(modules), Operation::CreateCompany),
    ]
}

/// Routes without a credential, answered by `http` itself: for the contract.
pub fn public_routes() -> Vec<Route> {
    vec![
        read("/health", "getHealth", "Whether the process runs; never touches the database.", reference("Health")),
        read("/ready", "getReadiness", "Whether requests can be answered.", reference("Readiness")),
        read("/openapi.json", "getContract", "This document.", json!({ "type": "object" })),
    ]
}

fn reference(name: &str) -> Json {
    json!({ "$ref": format!("#/$defs/{name}") })
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
        audit: None,
        cache_control: None,
        discloses_identifiers: false,
    }
}

fn create_company(modules: &[Module]) -> Route {
    Route {
        method: "POST".into(),
        idempotency: Idempotency::Required,
        read_only: false,
        status: 201,
        body: Some(company_schema(modules)),
        audit: Some("TENANT".into()),
        description: "One transaction over every module's defaults: all of it or nothing. The caller becomes OWNER."
            .into(),
        ..read("/onboarding/companies", "createCompany", "Make a company.", reference("CreatedCompany"))
    }
}

/// The host's members and those that the modules read.
fn company_schema(modules: &[Module]) -> Json {
    let mut properties = json!({
        "name": { "type": "string", "minLength": 1, "maxLength": 200, "x-normalize": ["trim"] },
        "countryCode": {
            "type": ["string", "null"], "pattern": "^[A-Z]{2}$", "default": null,
            "description": "ISO 3166-1 alpha-2."
        },
        "currencyCode": {
            "type": "string", "pattern": "^[A-Z]{3}$", "description": "ISO 4217: the company's default currency."
        },
        "withDefaults": {
            "type": "boolean", "default": true, "description": "Whether modules make their usual first records."
        },
    });
    let mut required = vec![json!("name"), json!("currencyCode")];
    for schema in modules.iter().filter_map(|module| module.descriptor.onboarding.as_ref()) {
        if let (Some(own), Some(theirs)) = (properties.as_object_mut(), schema["properties"].as_object()) {
            own.extend(theirs.iter().map(|(name, schema)| (name.clone(), schema.clone())));
        }
        required.extend(schema["required"].as_array().into_iter().flatten().cloned());
    }
    json!({ "type": "object", "properties": properties, "required": required, "additionalProperties": false })
}

/// Schemas that the host's routes refer to.
pub fn schemas() -> Map<String, Json> {
    let uuid = json!({ "type": "string", "format": "uuid" });
    let time = json!({ "type": "string", "format": "date-time" });
    let text = json!({ "type": "string" });
    let object = |properties: Json| {
        let required: Vec<String> =
            properties.as_object().map(|members| members.keys().cloned().collect()).unwrap_or_default();
        json!({ "type": "object", "properties": properties, "required": required })
    };
    let list = |items: Json| json!({ "type": "array", "items": items });
    let schemas = [
        ("Health", object(json!({ "status": { "const": "ok" }, "service": { "const": "api" } }))),
        (
            "Readiness",
            object(
                json!({ "status": { "const": "ok" }, "service": { "const": "api" }, "database": { "const": "ready" } }),
            ),
        ),
        (
            "CurrentUser",
            object(json!({
                "id": uuid, "subject": text, "email": text, "emailVerified": { "type": "boolean" },
                "displayName": { "type": ["string", "null"] },
                "memberships": list(reference("UserMembership")),
                "createdAt": time, "updatedAt": time,
            })),
        ),
        (
            "UserMembership",
            object(json!({
                "tenantId": uuid, "tenantName": text, "membershipId": uuid,
                "status": { "enum": ["ACTIVE", "SUSPENDED"] }, "roles": list(text.clone()),
            })),
        ),
        (
            "TenantContext",
            object(json!({
                "tenant": object(json!({
                    "id": uuid, "name": text, "status": { "enum": ["ACTIVE", "SUSPENDED"] },
                    "entitlements": list(text.clone()),
                })),
                "membership": object(json!({
                    "id": uuid, "status": { "enum": ["ACTIVE", "SUSPENDED"] },
                    "roles": list(object(json!({ "id": uuid, "code": text, "name": text }))),
                })),
                "permissions": list(text.clone()),
            })),
        ),
        (
            "CreatedCompany",
            object(json!({
                "tenantId": uuid, "membershipId": uuid,
                "created": list(object(json!({ "module": text, "resourceType": text, "id": uuid }))),
            })),
        ),
    ];
    schemas.into_iter().map(|(name, schema)| (name.to_string(), schema)).collect()
}
