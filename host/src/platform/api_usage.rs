//! `GET /tenants/{tenantId}/api-clients/{clientId}/usage`: how many of a client's requests were admitted and refused, by day.

use std::collections::BTreeMap;

use chrono::{DateTime, Days, NaiveDate};
use serde_json::{Value as Json, json};
use stoa_descriptor::Route;

use super::routes::{array, object, permission, read, reference};
use super::{Call, Operation, Performed, shown};
use crate::database::{Cell, Session};
use crate::problem::{Item, Problem};

/// Days shown where none are asked for, and most that are.
const USUAL: u64 = 30;
const MOST: i64 = 366;

pub fn routes() -> Vec<(Route, Operation)> {
    let day = |text: &str| json!({ "type": "string", "format": "date", "description": text });
    let query = json!({ "type": "object", "properties": {
        "from": day("First day, UTC. 29 days before `to` where it is left out."),
        "to": day("Last day, UTC. Today where it is left out."),
    } });
    let route = Route {
        access: permission("api.manage"),
        query: Some(query),
        ..read(
            "/tenants/{tenantId}/api-clients/{clientId}/usage",
            "getApiClientUsage",
            "Requests by day, admitted and refused. Days without any are left out.",
            object(json!({ "items": array(reference("ApiUsageDay")) })),
        )
    };
    vec![(route, Operation::GetApiClientUsage)]
}

pub fn schemas() -> Vec<(&'static str, Json)> {
    let count = json!({ "type": "integer", "minimum": 0 });
    let denied = object(json!({ "RATE_LIMITED": count, "QUOTA_EXCEEDED": count, "PUBLIC_API_DISABLED": count }));
    let day = json!({ "type": "string", "format": "date" });
    vec![("ApiUsageDay", object(json!({ "day": day, "admitted": count, "denied": denied })))]
}

pub async fn answer(session: &mut Session, call: &Call<'_>) -> Performed {
    let (tenant, client) = (call.tenant()?, call.path_id("clientId")?);
    let today = DateTime::from_timestamp_millis(call.opened.now).unwrap_or_default().date_naive();
    let day = |name: &str| call.query(name).and_then(|day| day.parse::<NaiveDate>().ok());
    let to = day("to").unwrap_or(today);
    let from = day("from").or_else(|| to.checked_sub_days(Days::new(USUAL - 1))).unwrap_or(to);
    if from > to || (to - from).num_days() >= MOST {
        return Err(Problem::of("VALIDATION_FAILED").with(vec![Item::new("/query/from", "RANGE")]).into());
    }
    let known = "select 1 from stoa_api_client where tenant_id = $1 and id = $2";
    if session.query(known, &[Cell::Id(tenant), Cell::Id(client)]).await?.is_empty() {
        return Err(Problem::of("NOT_FOUND").into());
    }
    let rows = session
        .query(
            "select day, result, reason, requests from stoa_api_usage
             where tenant_id = $1 and client_id = $2 and day >= $3 and day <= $4 order by day",
            &[Cell::Id(tenant), Cell::Id(client), Cell::text(from.to_string()), Cell::text(to.to_string())],
        )
        .await?;
    let mut days: BTreeMap<String, Json> = BTreeMap::new();
    for row in &rows {
        let (day, result, reason) = (row.text(0)?, row.text(1)?, row.text(2)?);
        let entry = days.entry(day.clone()).or_insert_with(|| {
            let denied = json!({ "RATE_LIMITED": 0, "QUOTA_EXCEEDED": 0, "PUBLIC_API_DISABLED": 0 });
            json!({ "day": day, "admitted": 0, "denied": denied })
        });
        match result.as_str() {
            "ADMITTED" => entry["admitted"] = row.integer(3)?.into(),
            _ => entry["denied"][reason] = row.integer(3)?.into(),
        }
    }
    Ok(shown(json!({ "items": days.into_values().collect::<Vec<_>>() })))
}
