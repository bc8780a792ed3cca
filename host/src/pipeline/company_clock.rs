//! The clock of a company that brings its past in: it shows the time that its people set (`stoa_tenant.history_at`),
//! and its modules take it for the time. Every other company has the database's clock.

use uuid::Uuid;

use super::facts::of_system;
use crate::calendar;
use crate::database::{Cell, Error, Row, Session};
use crate::sandbox::RequestFacts;

const READ: &str = "select history_at from stoa_tenant where id = $1";
const HOLD: &str = "select history_at from stoa_tenant where id = $1 for share";

/// The time of the clock, milliseconds since 1970; none: the company has the database's clock.
pub async fn read(session: &mut Session, tenant: Uuid) -> Result<Option<i64>, Error> {
    first(&session.query(READ, &[Cell::Id(tenant)]).await?)
}

/// The same, and no other transaction moves the clock before this one ends: a commit after a move bears a time after it.
/// SQLite has one writer as it is.
pub async fn hold(session: &mut Session, tenant: Uuid) -> Result<Option<i64>, Error> {
    let sql = if matches!(session, Session::Postgres(_)) { HOLD } else { READ };
    first(&session.query(sql, &[Cell::Id(tenant)]).await?)
}

fn first(rows: &[Row]) -> Result<Option<i64>, Error> {
    rows.first().map_or(Ok(None), |row| row.optional(0, Row::instant))
}

/// Facts of the deployment when it acts in a company by itself. `actor`: `system:...`; `clock`: the time of the company's clock.
pub fn system_facts(actor: &str, tenant: Uuid, request: Uuid, now: i64, clock: Option<i64>) -> RequestFacts {
    let facts = of_system(actor, tenant, request, now);
    match clock {
        Some(time) => facts.at(time, calendar::day(time, "UTC")),
        None => facts,
    }
}
