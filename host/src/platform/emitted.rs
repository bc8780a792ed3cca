//! `/events`: what was emitted, for thirty days. A receiver that missed deliveries catches up here: nothing is
//! committed behind a reader that goes on from the last id it read.

use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};
use stoa_descriptor::schemas::never_null;
use uuid::Uuid;

use super::conditions::Conditions;
use super::operation::{PlatformOperation, on_session};
use super::page::{Limit, Page};
use super::reply::answer;
use super::values::{Instant, Integer};
use super::webhooks::SCOPE;
use super::{Call, Performed};
use crate::database::{Cell, Error, Row, Session};
use crate::events::body::{COLUMNS, OutboxEvent};
use crate::ids::first_of;
use crate::problem::Problem;

const SUMMARY: &str = "Events of the last thirty days, oldest first";
const READ_ON: &str = "A page ends before events of transactions that are still open. Continue from the last `id` and you miss \
    nothing. If `nextCursor` is null there are no more events now: ask again later with the last `id` as `cursor`.";

pub const OPERATIONS: &[PlatformOperation] = &[
    PlatformOperation::read("/tenants/{tenantId}/events", "listEvents", on_session!(list).news())
        .summary(SUMMARY)
        .description(READ_ON)
        .needs(&["api.manage"])
        .query::<ListEvents>()
        .answers::<Page<EmittedEvent>>(),
    PlatformOperation::read("/api-client/events", "apiListEvents", on_session!(list).news())
        .summary(SUMMARY)
        .description(READ_ON)
        .machine(&[SCOPE])
        .query::<ListEvents>()
        .answers::<Page<EmittedEvent>>(),
    PlatformOperation::read("/tenants/{tenantId}/events/{eventId}", "getEvent", on_session!(get))
        .summary("An event")
        .needs(&["api.manage"])
        .answers::<EmittedEvent>(),
    PlatformOperation::read("/api-client/events/{eventId}", "apiGetEvent", on_session!(get))
        .summary("An event")
        .machine(&[SCOPE])
        .answers::<EmittedEvent>(),
];

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct ListEvents {
    /// Id of the last item that you read.
    cursor: Option<Uuid>,
    #[serde(default)]
    limit: Limit,
    #[schemars(length(min = 1, max = 64))]
    kind: Option<String>,
    resource_id: Option<Uuid>,
    /// Inclusive start.
    #[schemars(with = "Option<Instant>")]
    from: Option<DateTime<Utc>>,
    /// Inclusive end.
    #[schemars(with = "Option<Instant>")]
    to: Option<DateTime<Utc>>,
}

/// The event as delivered to endpoints, without the company.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct EmittedEvent {
    id: Uuid,
    kind: String,
    resource: EventResource,
    /// Data of the event; its schema depends on `kind`.
    data: Map<String, Json>,
    occurred_at: Instant,
    request_id: Uuid,
}

#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
struct EventResource {
    #[serde(rename = "type")]
    resource_type: String,
    id: Uuid,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Integer>", transform = never_null)]
    version: Option<i64>,
}

impl EmittedEvent {
    fn read(tenant: Uuid, row: &Row) -> Result<EmittedEvent, Error> {
        let event = OutboxEvent::read(tenant, row, 0)?;
        Ok(EmittedEvent {
            id: event.id,
            kind: event.kind,
            resource: EventResource { resource_type: event.resource_type, id: event.resource, version: event.version },
            data: serde_json::from_str(&event.data).map_err(|error| Error::Fault(error.to_string()))?,
            occurred_at: Instant(event.occurred_at),
            request_id: event.request,
        })
    }
}

async fn list(session: &mut Session, call: &Call<'_>) -> Performed {
    let tenant = call.tenant()?;
    let query: ListEvents = call.query()?;
    let mut wanted = Conditions::new("e.tenant_id", tenant);
    wanted.and_some("e.kind = ?", query.kind, Cell::Text);
    wanted.and_some("e.resource_id = ?", query.resource_id, Cell::Id);
    // An event's id is made of its instant, which the index has.
    wanted.and_some("e.id >= ?", query.from, |from| Cell::Id(first_of(from.timestamp_millis())));
    wanted.and_some("e.id < ?", query.to, |to| Cell::Id(first_of(to.timestamp_millis().saturating_add(1))));
    wanted.and_some("e.id > ?", query.cursor, Cell::Id);
    wanted.and_some("e.id < ?", call.watermark.map(first_of), Cell::Id);
    let rows = wanted.value(Cell::Integer(query.limit.rows()));
    let sql = format!("select {COLUMNS} from stoa_event e where {} order by e.id limit {rows}", wanted.sql());
    let rows = session.query_composed(sql, wanted.values()).await?;
    let events = rows.iter().map(|row| EmittedEvent::read(tenant, row)).collect::<Result<_, Error>>()?;
    answer(&Page::new(query.limit, events, |event: &EmittedEvent| event.id))
}

async fn get(session: &mut Session, call: &Call<'_>) -> Performed {
    let (tenant, id) = (call.tenant()?, call.path_id("eventId")?);
    let sql = format!("select {COLUMNS} from stoa_event e where e.tenant_id = $1 and e.id = $2");
    let rows = session.query_composed(sql, &[Cell::Id(tenant), Cell::Id(id)]).await?;
    let row = rows.first().ok_or_else(|| Problem::new("NOT_FOUND"))?;
    answer(&EmittedEvent::read(tenant, row)?)
}
