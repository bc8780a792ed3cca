//! `GET /api-client/context`: what a key is, and how much of its limits is left.

use schemars::JsonSchema;
use serde::Serialize;
use uuid::Uuid;

use super::operation::{PlatformOperation, on_session};
use super::reply::answer;
use super::values::{Instant, Integer};
use super::{Call, Performed};
use crate::database::{Cell, Session};
use crate::governance::window::Span;
use crate::identity::Environment;
use crate::pipeline::request::Caller;
use crate::problem::Problem;

pub const OPERATIONS: &[PlatformOperation] =
    &[PlatformOperation::read("/api-client/context", "apiGetContext", on_session!(get))
        .summary("Company and API client of the key, with scopes and limits")
        .machine(&["catalog.read"])
        .answers::<ApiClientContext>()];

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct ApiClientContext {
    tenant_id: Uuid,
    api_client_id: Uuid,
    name: String,
    #[schemars(with = "Environment")]
    environment: String,
    scopes: Vec<String>,
    entitlements: Vec<String>,
    rate_limit: RateLimit,
    monthly_quota: MonthlyQuota,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
struct RateLimit {
    #[schemars(with = "Integer", range(min = 0))]
    requests_per_minute: u64,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
struct MonthlyQuota {
    #[schemars(with = "Integer", range(min = 0))]
    limit: u64,
    /// Requests of this month (UTC), according to the database. Each host reserves permits in advance, `requestsPerMinute` / 50
    /// at a time and at least one. Permits that another host still holds, or held when it crashed, count as used.
    #[schemars(with = "Integer", range(min = 0))]
    used: u64,
    resets_at: Instant,
}

async fn get(session: &mut Session, call: &Call<'_>) -> Performed {
    let Caller::Client(key) = &call.request.caller else { return Err(Problem::new("WRONG_IDENTITY_FAMILY").into()) };
    let rows = session
        .query(
            "select c.name, t.entitlements, coalesce(p.used, 0)
             from stoa_api_client c join stoa_tenant t on t.id = $1
             left join stoa_permit p
               on p.tenant_id = $1 and p.subject_id = c.id and p.scope = $3 and p.window_start = $4
             where c.tenant_id = $1 and c.id = $2",
            &[
                Cell::Id(key.tenant),
                Cell::Id(key.client),
                Cell::text(Span::Month.name()),
                Cell::Instant(Span::Month.start(call.opened.now)),
            ],
        )
        .await?;
    let row = rows.first().ok_or_else(|| Problem::new("UNAUTHENTICATED"))?;
    let leased = u64::try_from(row.integer(2)?).unwrap_or(0);
    answer(&ApiClientContext {
        tenant_id: key.tenant,
        api_client_id: key.client,
        name: row.text(0)?,
        environment: key.environment.clone(),
        scopes: call.opened.standing.iter().flat_map(|standing| standing.permissions.iter()).cloned().collect(),
        entitlements: serde_json::from_str(&row.text(1)?).unwrap_or_default(),
        rate_limit: RateLimit { requests_per_minute: key.requests_per_minute },
        monthly_quota: MonthlyQuota {
            limit: key.monthly_quota,
            used: call.platform.governor.used_of_month(key.tenant, key.client, leased),
            resets_at: Instant(Span::Month.end(call.opened.now)),
        },
    })
}
