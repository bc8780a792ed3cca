//! `GET /api-client/context`: what a key is, and how much of its limits is left.

use serde_json::{Value as Json, json};
use stoa_descriptor::{Audience, Route};

use super::routes::{array, object, permission, read, reference, text, time, uuid};
use super::{Call, Operation, Performed, shown};
use crate::database::{Cell, Session};
use crate::governance::window::Span;
use crate::pipeline::request::Caller;
use crate::problem::Problem;

pub fn routes() -> Vec<(Route, Operation)> {
    let route = Route {
        audience: Audience::ApiClient,
        access: permission("catalog.read"),
        ..read(
            "/api-client/context",
            "apiGetContext",
            "The company and the client of the key, with its scopes and limits.",
            reference("ApiClientContext"),
        )
    };
    vec![(route, Operation::ApiClientContext)]
}

pub fn schemas() -> Vec<(&'static str, Json)> {
    let count = json!({ "type": "integer", "minimum": 0 });
    let context = object(json!({
        "tenantId": uuid(), "apiClientId": uuid(), "name": text(), "environment": { "enum": ["test", "live"] },
        "scopes": array(text()), "entitlements": array(text()),
        "rateLimit": object(json!({ "requestsPerMinute": count })),
        "monthlyQuota": object(json!({ "limit": count, "used": count, "resetsAt": time() })),
    }));
    vec![("ApiClientContext", context)]
}

pub async fn answer(session: &mut Session, call: &Call<'_>) -> Performed {
    let Caller::Client(key) = &call.request.caller else { return Err(Problem::of("WRONG_IDENTITY_FAMILY").into()) };
    let rows = session
        .query(
            "select c.name, t.entitlements from stoa_api_client c join stoa_tenant t on t.id = c.tenant_id
             where c.tenant_id = $1 and c.id = $2",
            &[Cell::Id(key.tenant), Cell::Id(key.client)],
        )
        .await?;
    let row = rows.first().ok_or_else(|| Problem::of("UNAUTHENTICATED"))?;
    let entitlements: Json = serde_json::from_str(&row.text(1)?).unwrap_or_else(|_| json!([]));
    let scopes: Vec<&String> = call.opened.standing.iter().flat_map(|standing| &standing.permissions).collect();
    Ok(shown(json!({
        "tenantId": key.tenant,
        "apiClientId": key.client,
        "name": row.text(0)?,
        "environment": key.environment,
        "scopes": scopes,
        "entitlements": entitlements,
        "rateLimit": { "requestsPerMinute": key.requests_per_minute },
        "monthlyQuota": {
            "limit": key.monthly_quota,
            "used": call.platform.governor.used_of_month(key.tenant, key.client),
            "resetsAt": super::time(Span::Month.end(call.opened.now)),
        },
    })))
}
