//! The finishing statement: audit row with its subjects, outbox rows and stored response, in one message with the commit.

use serde_json::Value as Json;
use tokio_postgres::types::Type;
use uuid::Uuid;

use super::request::{Answer, Request, tenant_or_nil};
use crate::calendar;
use crate::database::postgres::{self, PgStatement};
use crate::database::{Cell, Error, Session, sqlite};
use crate::ids::Ids;
use crate::wit::events::Event;

/// Level of the stored answers' compression: the fastest.
const COMPRESSION: i32 = 1;

/// The records that a write leaves behind besides its own rows.
pub struct Finish<'a> {
    pub request: &'a Request,
    pub operation: &'a str,
    pub now: i64,
    /// The clock of a company that brings its past in.
    pub history_at: Option<i64>,
    /// The company of the audit entry: the path's, or the one that the request made.
    pub tenant: Uuid,
    pub resource_type: &'a str,
    pub resource: Option<Uuid>,
    pub subjects: &'a [Uuid],
    pub changed: &'a [String],
    pub detail: Option<&'a Json>,
    /// The extensions that took part: name and version.
    pub extensions: &'a [(String, String)],
    pub emitted: &'a [Event],
    pub answer: &'a Answer,
}

/// The row that is kept under an idempotency key; without a body it marks a credential that was delivered.
struct Stored {
    key: Uuid,
    body: Option<Vec<u8>>,
}

/// The rows of a finished request, as both databases write them.
struct Records<'a> {
    finish: &'a Finish<'a>,
    /// Id of the audit entry.
    entry: Uuid,
    audit: [Cell; 12],
    stored: Option<Stored>,
    /// The `traceparent` of who receives the events.
    trace: Option<String>,
}

/// Writes them, on PostgreSQL with the commit.
pub fn finish(session: &mut Session, finish: &Finish<'_>) -> Result<(), Error> {
    let mut ids = Ids::new(finish.now);
    let entry = ids.make();
    let trace = finish.request.trail.successor().filter(|_| !finish.emitted.is_empty()).map(|next| next.to_string());
    let records =
        Records { finish, entry, audit: make_audit_row(finish, entry), stored: compress_answer(finish)?, trace };
    match session {
        Session::Sqlite(connection) => finish_sqlite(connection, records, &mut ids),
        Session::Postgres(transaction) => finish_postgres(transaction, records, &mut ids),
    }
}

fn make_audit_row(finish: &Finish<'_>, entry: Uuid) -> [Cell; 12] {
    let request = finish.request;
    [
        Cell::Id(finish.tenant),
        Cell::Id(entry),
        Cell::Id(request.request_id),
        Cell::text(request.caller.actor_type()),
        Cell::text(request.caller.id().to_string()),
        Cell::text(finish.operation),
        Cell::text(finish.resource_type),
        Cell::Id(finish.resource.unwrap_or(finish.tenant)),
        Cell::optional(request.peer.map(|peer| peer.to_string()), Cell::Text),
        Cell::optional(request.user_agent.clone(), Cell::Text),
        Cell::text(metadata(finish)),
        Cell::Instant(finish.now),
    ]
}

fn compress_answer(finish: &Finish<'_>) -> Result<Option<Stored>, Error> {
    let Some(key) = finish.request.input.as_ref().ok().and_then(|input| input.key.as_ref()) else { return Ok(None) };
    let body = match finish.answer.credential {
        true => None,
        false => Some(zstd::encode_all(finish.answer.body.as_ref(), COMPRESSION).map_err(fault)?),
    };
    Ok(Some(Stored { key: key.id, body }))
}

fn finish_sqlite(connection: &rusqlite::Connection, records: Records<'_>, ids: &mut Ids) -> Result<(), Error> {
    let Records { finish, entry, audit, stored, trace } = records;
    sqlite::query(
        connection,
        "insert into stoa_audit (tenant_id, id, request_id, actor_type, actor_id, operation, resource_type,
           resource_id, ip_address, user_agent, metadata, created_at)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)",
        &audit,
    )?;
    for subject in finish.subjects {
        sqlite::query(
            connection,
            "insert into stoa_audit_subject (tenant_id, subject_id, audit_id) values ($1, $2, $3)",
            &[Cell::Id(finish.tenant), Cell::Id(*subject), Cell::Id(entry)],
        )?;
    }
    for event in finish.emitted {
        sqlite::query(
            connection,
            "insert into stoa_event (tenant_id, id, kind, resource_type, resource_id, resource_version, data,
               request_id, created_at, trace) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)",
            &[
                Cell::Id(finish.tenant),
                Cell::Id(ids.make()),
                Cell::text(&event.kind),
                Cell::text(&event.resource_type),
                Cell::Id(Uuid::from_u64_pair(event.resource.0, event.resource.1)),
                Cell::optional(event.version, Cell::Integer),
                Cell::text(&event.data),
                Cell::Id(finish.request.request_id),
                Cell::Instant(finish.now),
                Cell::optional(trace.clone(), Cell::Text),
            ],
        )?;
    }
    let Some(Stored { key, body }) = stored else { return Ok(()) };
    sqlite::query(
        connection,
        "update stoa_idempotency set status = $1, headers = $2, body = $3
         where tenant_id = $4 and actor_id = $5 and operation = $6 and key = $7",
        &[
            Cell::Integer(i64::from(finish.answer.status)),
            Cell::optional(finish.answer.etag.clone(), Cell::Text),
            Cell::optional(body, Cell::Bytes),
            Cell::Id(tenant_or_nil(finish.request.tenant)),
            Cell::Id(finish.request.caller.id()),
            Cell::text(finish.operation),
            Cell::Id(key),
        ],
    )?;
    Ok(())
}

const POSTGRES: &str = "with audit as (
  insert into stoa_audit (tenant_id, id, request_id, actor_type, actor_id, operation, resource_type, resource_id, ip_address,
    user_agent, metadata, created_at)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)),
subjects as (
  insert into stoa_audit_subject (tenant_id, subject_id, audit_id)
  select $1, subject, $2 from unnest($13::uuid[]) as subject),
outbox as (
  insert into stoa_event (tenant_id, id, kind, resource_type, resource_id, resource_version, data, request_id, created_at,
    trace)
  select $1, e.id, e.kind, e.resource_type, e.resource_id, e.version, e.data, $3, $12, $26
  from unnest($14::uuid[], $15::text[], $16::text[], $17::uuid[], $18::bigint[], $19::text[])
    as e(id, kind, resource_type, resource_id, version, data))
update stoa_idempotency set status = $20, headers = $21, body = $22
where tenant_id = $23 and actor_id = $24 and operation = $6 and key = $25";

/// Goes with the commit, in one message.
fn finish_postgres(transaction: &mut postgres::Transaction, records: Records<'_>, ids: &mut Ids) -> Result<(), Error> {
    let Records { finish, audit, stored, trace, .. } = records;
    let events = finish.emitted;
    let column = |read: fn(&Event) -> String| events.iter().map(read).collect::<Vec<String>>();
    let resource = |event: &Event| Uuid::from_u64_pair(event.resource.0, event.resource.1);
    let (key, body) = stored.map_or((None, None), |stored| (Some(stored.key), stored.body));
    let statement = PgStatement::of_cells(POSTGRES, &audit)?
        .bind(Type::UUID_ARRAY, finish.subjects.to_vec())
        .bind(Type::UUID_ARRAY, events.iter().map(|_| ids.make()).collect::<Vec<_>>())
        .bind(Type::TEXT_ARRAY, column(|event| event.kind.clone()))
        .bind(Type::TEXT_ARRAY, column(|event| event.resource_type.clone()))
        .bind(Type::UUID_ARRAY, events.iter().map(resource).collect::<Vec<_>>())
        .bind(Type::INT8_ARRAY, events.iter().map(|event| event.version).collect::<Vec<_>>())
        .bind(Type::TEXT_ARRAY, column(|event| event.data.clone()))
        .bind(Type::INT8, i64::from(finish.answer.status))
        .bind(Type::TEXT, finish.answer.etag.clone())
        .bind(Type::BYTEA, body)
        .bind(Type::UUID, tenant_or_nil(finish.request.tenant))
        .bind(Type::UUID, finish.request.caller.id())
        .bind(Type::UUID, key)
        .bind(Type::TEXT, trace);
    transaction.put_off(statement);
    Ok(())
}

fn metadata(finish: &Finish<'_>) -> String {
    let mut metadata = serde_json::json!({ "result": "SUCCESS", "responseCode": finish.answer.status });
    if !finish.changed.is_empty() {
        metadata["changed"] = finish.changed.into();
    }
    if let Some(detail) = finish.detail {
        metadata["detail"] = detail.clone();
    }
    if !finish.extensions.is_empty() {
        metadata["extensions"] = list_extensions(finish.extensions);
    }
    if let Some(time) = finish.history_at {
        metadata["historyAt"] = calendar::time(time).into();
    }
    metadata.to_string()
}

/// Extensions as an audit entry names them.
pub fn list_extensions(extensions: &[(String, String)]) -> Json {
    extensions.iter().map(|(name, version)| serde_json::json!({ "module": name, "version": version })).collect()
}

fn fault(error: impl std::fmt::Display) -> Error {
    Error::Fault(error.to_string())
}
