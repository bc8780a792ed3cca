//! `GET /tenants/{tenantId}/api-clients/{clientId}/usage`: how many of a client's requests were admitted and refused, by day.

use std::collections::BTreeMap;

use chrono::{DateTime, Days, NaiveDate};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::operation::{PlatformOperation, on_session};
use super::page::Items;
use super::reply::answer;
use super::values::Integer;
use super::{Call, Performed, api_clients};
use crate::database::{Cell, Error, Session};
use crate::problem::{Item, Problem};

/// Days shown where none are asked for, and most that are.
const USUAL: u64 = 30;
const MOST: i64 = 366;

pub const OPERATIONS: &[PlatformOperation] = &[PlatformOperation::read(
    "/tenants/{tenantId}/api-clients/{clientId}/usage",
    "getApiClientUsage",
    on_session!(get),
)
.summary("Admitted and rejected requests by day, without empty days")
.needs(&["api.manage"])
.query::<GetApiClientUsage>()
.answers::<Items<ApiUsageDay>>()];

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct GetApiClientUsage {
    /// First day (UTC). Omitted: 29 days before `to`.
    from: Option<NaiveDate>,
    /// Last day (UTC). Omitted: today.
    to: Option<NaiveDate>,
}

#[derive(Serialize, JsonSchema)]
struct ApiUsageDay {
    day: NaiveDate,
    #[schemars(with = "Integer", range(min = 0))]
    admitted: i64,
    denied: Denied,
}

// By the code that they were refused with.
#[derive(Default, Serialize, JsonSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
#[schemars(inline)]
struct Denied {
    #[schemars(with = "Integer", range(min = 0))]
    rate_limited: i64,
    #[schemars(with = "Integer", range(min = 0))]
    quota_exceeded: i64,
    #[schemars(with = "Integer", range(min = 0))]
    public_api_disabled: i64,
}

async fn get(session: &mut Session, call: &Call<'_>) -> Performed {
    let (tenant, client) = (call.tenant()?, call.path_id("clientId")?);
    let query: GetApiClientUsage = call.query()?;
    let today = DateTime::from_timestamp_millis(call.opened.now).unwrap_or_default().date_naive();
    let to = query.to.unwrap_or(today);
    let from = query.from.or_else(|| to.checked_sub_days(Days::new(USUAL - 1))).unwrap_or(to);
    let days = json!({ "minimum": 1, "maximum": MOST, "counted": "DAYS" });
    if from > to || (to - from).num_days() >= MOST {
        return Err(Problem::new("VALIDATION_FAILED")
            .with(vec![Item::new("/query/from", "RANGE").with_expected(days)])
            .into());
    }
    api_clients::require(session, tenant, client).await?;
    let rows = session
        .query(
            "select day, result, reason, requests from stoa_api_usage
             where tenant_id = $1 and client_id = $2 and day >= $3 and day <= $4 order by day",
            &[Cell::Id(tenant), Cell::Id(client), Cell::text(from.to_string()), Cell::text(to.to_string())],
        )
        .await?;
    let mut days: BTreeMap<NaiveDate, ApiUsageDay> = BTreeMap::new();
    for row in &rows {
        let day = row.text(0)?.parse().map_err(|_| Error::Fault("a day that the calendar does not have".into()))?;
        let usage = days.entry(day).or_insert_with(|| ApiUsageDay { day, admitted: 0, denied: Denied::default() });
        let requests = row.integer(3)?;
        match (row.text(1)?.as_str(), row.text(2)?.as_str()) {
            ("ADMITTED", _) => usage.admitted = requests,
            (_, "RATE_LIMITED") => usage.denied.rate_limited = requests,
            (_, "QUOTA_EXCEEDED") => usage.denied.quota_exceeded = requests,
            (_, "PUBLIC_API_DISABLED") => usage.denied.public_api_disabled = requests,
            (_, reason) => return Err(Error::Fault(format!("usage refused for the reason {reason}")).into()),
        }
    }
    answer(&Items { items: days.into_values().collect() })
}
