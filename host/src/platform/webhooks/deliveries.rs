//! Deliveries: one event for one endpoint, with its attempts; and sending again what has ended.

use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value as Json, json};
use stoa_descriptor::schemas::never_null;
use uuid::Uuid;

use super::super::conditions::Conditions;
use super::super::page::{Limit, Page};
use super::super::reply::{answer, answer_about};
use super::super::values::{Instant, Integer, drop_type, text_enum};
use super::super::{Call, Performed};
use super::endpoints::{self, WebhookStatus};
use crate::database::{Cell, Error, Row, Session};
use crate::events::{Attempt, lock_lane, wake_lane};
use crate::ids::{Ids, first_of};
use crate::pipeline::outcome::{Done, Refused};
use crate::problem::Problem;

/// Deliveries that one call begins again.
const MOST: usize = 1_000;

text_enum! {
    /// How far a delivery is.
    pub enum DeliveryStatus { Pending => "PENDING", Succeeded => "SUCCEEDED", Failed => "FAILED", Cancelled => "CANCELLED" }
}

text_enum! {
    /// How a delivery ended.
    pub enum EndStatus { Succeeded => "SUCCEEDED", Failed => "FAILED", Cancelled => "CANCELLED" }
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ListDeliveries {
    /// Id of the last item of the previous page.
    cursor: Option<Uuid>,
    #[serde(default)]
    limit: Limit,
    status: Option<DeliveryStatus>,
    /// Only deliveries of this event kind.
    #[schemars(length(min = 1, max = 64))]
    kind: Option<String>,
    /// Inclusive start of the creation.
    #[schemars(with = "Option<Instant>")]
    from: Option<DateTime<Utc>>,
    /// Inclusive end of the creation.
    #[schemars(with = "Option<Instant>")]
    to: Option<DateTime<Utc>>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(inline)]
pub struct Range {
    /// Inclusive start of the creation.
    #[schemars(with = "Instant")]
    from: DateTime<Utc>,
    /// Inclusive end of the creation.
    #[schemars(with = "Instant")]
    to: DateTime<Utc>,
    /// Only deliveries of this event kind.
    #[schemars(length(min = 1, max = 64), transform = never_null)]
    kind: Option<String>,
    /// Final states to include. Omitted: all of them.
    #[schemars(transform = never_null, transform = drop_type)]
    status: Option<EndStatus>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Delivery {
    pub id: Uuid,
    event_id: Uuid,
    kind: String,
    status: DeliveryStatus,
    /// Attempts that ended, at most five.
    attempts: Vec<DeliveryAttempt>,
    /// Earliest instant of the next attempt; null unless the delivery is PENDING.
    next_attempt_at: Option<Instant>,
    created_at: Instant,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
struct DeliveryAttempt {
    at: Instant,
    #[schemars(with = "Integer", range(min = 0))]
    duration_ms: i64,
    /// HTTP status of the response; null if none arrived.
    #[schemars(with = "Option<Integer>")]
    response_status: Option<u16>,
    /// Reason that no response arrived: NAME_NOT_RESOLVED, ADDRESS_NOT_ALLOWED, CONNECTION_FAILED, TLS_FAILED, INVALID_ANSWER,
    /// TIMED_OUT or INTERRUPTED. New reasons are added: accept unknown ones.
    error: Option<String>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Redelivered {
    delivery_id: Uuid,
}

#[derive(Serialize, JsonSchema)]
pub struct RedeliveredRange {
    /// Number of new deliveries.
    #[schemars(with = "Integer", range(min = 0, max = 1000))]
    count: usize,
}

pub const COLUMNS: &str = "id, event_id, kind, status, attempts, next_attempt_at, created_at";

impl Delivery {
    /// From `COLUMNS`.
    pub fn read(row: &Row) -> Result<Delivery, Error> {
        let attempts: Vec<Attempt> =
            serde_json::from_str(&row.text(4)?).map_err(|error| Error::Fault(error.to_string()))?;
        let attempts = attempts.into_iter().map(|attempt| DeliveryAttempt {
            at: Instant(attempt.at),
            duration_ms: attempt.duration_ms,
            response_status: attempt.response_status,
            error: attempt.error,
        });
        Ok(Delivery {
            id: row.id(0)?,
            event_id: row.id(1)?,
            kind: row.text(2)?,
            status: DeliveryStatus::read(row, 3)?,
            attempts: attempts.collect(),
            next_attempt_at: row.optional(5, Row::instant)?.map(Instant),
            created_at: Instant(row.instant(6)?),
        })
    }
}

pub async fn list(session: &mut Session, call: &Call<'_>) -> Performed {
    let webhook = endpoints::read(session, call, false).await?;
    let query: ListDeliveries = call.query()?;
    let mut wanted = Conditions::new("tenant_id", call.tenant()?);
    wanted.and("endpoint_id = ?", Cell::Id(webhook.id));
    wanted.and_some("status = ?", query.status.map(DeliveryStatus::as_str), Cell::text);
    wanted.and_some("kind = ?", query.kind, Cell::Text);
    wanted.and_some("created_at >= ?", query.from, instant);
    wanted.and_some("created_at <= ?", query.to, instant);
    wanted.and_some("id > ?", query.cursor, Cell::Id);
    wanted.and_some("id < ?", call.watermark.map(first_of), Cell::Id);
    let rows = wanted.value(Cell::Integer(query.limit.rows()));
    let sql = format!("select {COLUMNS} from stoa_webhook_delivery where {} order by id limit {rows}", wanted.sql());
    let rows = session.query_composed(sql, wanted.values()).await?;
    let deliveries = rows.iter().map(Delivery::read).collect::<Result<_, Error>>()?;
    answer(&Page::new(query.limit, deliveries, |delivery: &Delivery| delivery.id))
}

fn instant(time: DateTime<Utc>) -> Cell {
    Cell::Instant(time.timestamp_millis())
}

/// Locks an endpoint, which must be able to take deliveries, and its lane.
async fn lock_taker(session: &mut Session, tenant: Uuid, endpoint: Uuid) -> Result<(), Refused> {
    let lock = if matches!(session, Session::Postgres(_)) { " for update" } else { "" };
    let sql = format!("select status from stoa_webhook_endpoint where tenant_id = $1 and id = $2{lock}");
    let rows = session.query_composed(sql, &[Cell::Id(tenant), Cell::Id(endpoint)]).await?;
    let row = rows.first().ok_or_else(|| Problem::new("NOT_FOUND"))?;
    match WebhookStatus::read(row, 0)? {
        WebhookStatus::Active => {}
        WebhookStatus::Disabled => return Err(Problem::new("ILLEGAL_STATE").into()),
        WebhookStatus::Archived => return Err(Problem::new("ARCHIVED").into()),
    }
    Ok(lock_lane(session, tenant, endpoint).await?)
}

pub async fn redeliver(session: &mut Session, call: &Call<'_>) -> Performed {
    let (tenant, id) = (call.tenant()?, call.path_id("deliveryId")?);
    let endpoint = endpoints::read(session, call, false).await?.id;
    let delivery_id = send_again(session, tenant, call.opened.now, endpoint, id).await?;
    let done = answer_about(delivery_id, &Redelivered { delivery_id })?;
    Ok(Done { subjects: vec![endpoint], ..done })
}

/// Makes a new delivery of the event of one that has ended; returns its id.
pub async fn send_again(
    session: &mut Session,
    tenant: Uuid,
    now: i64,
    endpoint: Uuid,
    delivery: Uuid,
) -> Result<Uuid, Refused> {
    let rows = session
        .query(
            "select d.status, d.event_id, d.kind, e.id from stoa_webhook_delivery d
             left join stoa_event e on e.tenant_id = $1 and e.id = d.event_id
             where d.tenant_id = $1 and d.endpoint_id = $2 and d.id = $3",
            &[Cell::Id(tenant), Cell::Id(endpoint), Cell::Id(delivery)],
        )
        .await?;
    let row = rows.first().ok_or_else(|| Problem::new("NOT_FOUND"))?;
    lock_taker(session, tenant, endpoint).await?;
    // While it is under way, or once its event is no longer kept.
    if DeliveryStatus::read(row, 0)? == DeliveryStatus::Pending || row.is_null(3) {
        return Err(Problem::new("ILLEGAL_STATE").into());
    }
    let made = insert(session, tenant, now, endpoint, &[(row.id(1)?, row.text(2)?)]).await?;
    Ok(made.first().copied().ok_or_else(|| Error::Fault("a delivery was not made".into()))?)
}

pub async fn redeliver_range(session: &mut Session, call: &Call<'_>) -> Performed {
    let tenant = call.tenant()?;
    let Range { from, to, kind, status } = call.body()?;
    let endpoint = call.path_id("webhookId")?;
    lock_taker(session, tenant, endpoint).await?;
    let mut wanted = Conditions::new("d.tenant_id", tenant);
    wanted.and("d.endpoint_id = ?", Cell::Id(endpoint));
    wanted.and("d.created_at >= ?", instant(from));
    wanted.and("d.created_at <= ?", instant(to));
    wanted.and_some("d.kind = ?", kind, Cell::Text);
    match status {
        Some(status) => wanted.and("d.status = ?", Cell::text(status.as_str())),
        None => wanted.and("d.status <> ?", Cell::text(DeliveryStatus::Pending.as_str())),
    }
    // An event goes out once, however often it went out before; one with a pending delivery is not sent again meanwhile.
    let sql = format!(
        "select distinct e.id, e.kind from stoa_webhook_delivery d
         join stoa_event e on e.tenant_id = $1 and e.id = d.event_id
         where {} and not exists (
           select 1 from stoa_webhook_delivery p
           where p.tenant_id = $1 and p.endpoint_id = d.endpoint_id and p.event_id = d.event_id and p.status = 'PENDING')
         order by e.id limit {}",
        wanted.sql(),
        MOST + 1
    );
    let rows = session.query_composed(sql, wanted.values()).await?;
    if rows.len() > MOST {
        return Err(Problem::limit_exceeded(MOST, "EVENTS").into());
    }
    let events = rows.iter().map(|row| Ok((row.id(0)?, row.text(1)?))).collect::<Result<Vec<_>, Error>>()?;
    let count = insert(session, tenant, call.opened.now, endpoint, &events).await?.len();
    Ok(Done { subjects: vec![endpoint], ..answer_about(endpoint, &RedeliveredRange { count })? })
}

/// New deliveries of these events, due now. Their ids.
async fn insert(
    session: &mut Session,
    tenant: Uuid,
    now: i64,
    endpoint: Uuid,
    events: &[(Uuid, String)],
) -> Result<Vec<Uuid>, Error> {
    let mut ids = Ids::new(now);
    let made: Vec<Uuid> = events.iter().map(|_| ids.make()).collect();
    let rows: Vec<Json> =
        events.iter().zip(&made).map(|((event, kind), id)| json!([id.simple(), event.simple(), kind])).collect();
    let sql = match session {
        Session::Sqlite(_) => {
            "insert into stoa_webhook_delivery (tenant_id, id, endpoint_id, event_id, kind, status, next_attempt_at,
               created_at)
             select $1, unhex(e.value ->> 0), $3, unhex(e.value ->> 1), e.value ->> 2, 'PENDING', $4, $4
             from json_each($2) as e"
        }
        Session::Postgres(_) => {
            "insert into stoa_webhook_delivery (tenant_id, id, endpoint_id, event_id, kind, status, next_attempt_at,
               created_at)
             select $1, (e ->> 0)::uuid, $3, (e ->> 1)::uuid, e ->> 2, 'PENDING', $4, $4
             from jsonb_array_elements($2::jsonb) as e"
        }
    };
    let values = [Cell::Id(tenant), Cell::text(Json::Array(rows).to_string()), Cell::Id(endpoint), Cell::Instant(now)];
    session.query(sql, &values).await?;
    wake_lane(session, tenant, endpoint, now).await?;
    Ok(made)
}
