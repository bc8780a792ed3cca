//! The events and deliveries that wait, for the metrics. Two statements by index, each with a bound.

use uuid::Uuid;

use crate::database::{Cell, Error, Row, Session};

/// Rows that one look counts.
const MOST: usize = 1_000;

/// Waiting deliveries and events, and for how long they wait.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Backlog {
    /// Lanes with a delivery that is due and that no relay has taken.
    pub lanes: i64,
    /// Milliseconds since the first of them was due.
    pub lanes_ms: i64,
    /// Companies with events that are not yet deliveries.
    pub companies: i64,
    /// Age of the oldest of these events, in milliseconds.
    pub companies_ms: i64,
}

/// Looks at one shard.
pub async fn read(session: &mut Session) -> Result<Backlog, Error> {
    let now = session.now().await?;
    let sql = format!(
        "select count(*), min(due.due_at) from (
           select due_at from stoa_webhook_lane where due_at <= $1 order by due_at limit {MOST}) due"
    );
    let (lanes, due) = count(session, sql, Cell::Instant(now)).await?;
    let sql = format!(
        "select count(*), min(behind.since) from (
           select (select e.created_at from stoa_event e where e.tenant_id = c.tenant_id and e.id > c.last_event
                   order by e.id limit 1) as since
           from stoa_webhook_cursor c
           where c.tenant_id > $1 and (select e.id from stoa_event e
             where e.tenant_id = c.tenant_id and e.id > c.last_event order by e.id limit 1) is not null
           order by c.tenant_id limit {MOST}) behind"
    );
    let (companies, since) = count(session, sql, Cell::Id(Uuid::nil())).await?;
    let age = |instant: Option<i64>| instant.map_or(0, |instant| now.saturating_sub(instant).max(0));
    Ok(Backlog { lanes, lanes_ms: age(due), companies, companies_ms: age(since) })
}

/// A count, and the first instant of what was counted.
async fn count(session: &mut Session, sql: String, value: Cell) -> Result<(i64, Option<i64>), Error> {
    let rows = session.query_composed(sql, &[value]).await?;
    let row = rows.first().ok_or_else(|| Error::Fault("a count gave no row".into()))?;
    Ok((row.integer(0)?, row.optional(1, Row::instant)?))
}
