//! Clocks: this machine's against the database's, and times in the database that no clock has reached.

use super::{DAY_MS, Diagnosis, Notes};
use crate::database::{Cell, Error, Session};

/// A difference that is looked at, and one by which hosts take each other's rate limits for wrong.
const LOOK_MS: i64 = 1_000;
const WRONG_MS: i64 = 60_000;

pub async fn examine(session: &mut Session, notes: &Notes) {
    notes.note("clock.database", difference(session).await);
    notes.note("clock.purge", purge(session).await);
    notes.note("clock.limits", limits(session).await);
}

async fn difference(session: &mut Session) -> Result<Diagnosis, Error> {
    if matches!(session, Session::Sqlite(_)) {
        return Ok(Diagnosis::skip("SQLite has the clock of this machine"));
    }
    let before = chrono::Utc::now().timestamp_millis();
    let server = session.now().await?;
    let here = before.midpoint(chrono::Utc::now().timestamp_millis());
    let apart = (server - here).abs();
    let says = format!("the clocks of this machine and of the database are {apart} ms apart");
    Ok(match apart {
        0..=LOOK_MS => Diagnosis::pass(says),
        ..=WRONG_MS => Diagnosis::warn(says),
        _ => Diagnosis::fail(says),
    })
}

async fn purge(session: &mut Session) -> Result<Diagnosis, Error> {
    let now = session.now().await?;
    let rows = session.query("select seen_at from stoa_clock where id = 1", &[]).await?;
    let seen = rows.first().map(|row| row.instant(0)).transpose()?;
    Ok(match seen {
        None => Diagnosis::pass("no host has purged yet"),
        Some(seen) if seen > now + WRONG_MS => Diagnosis::fail("the purge has seen a time that has not come yet"),
        Some(seen) if seen < now - DAY_MS => Diagnosis::warn("no host has purged for a day"),
        Some(_) => Diagnosis::pass("old answers are purged"),
    })
}

async fn limits(session: &mut Session) -> Result<Diagnosis, Error> {
    let ahead = session.now().await? + WRONG_MS;
    let sql = "select count(*) from (
                 select 1 from stoa_permit where scope = 'MINUTE' and window_start > $1 limit 1000) n";
    let rows = session.query(sql, &[Cell::Instant(ahead)]).await?;
    Ok(match rows.first().map_or(Ok(0), |row| row.integer(0))? {
        0 => Diagnosis::pass("rate limits are counted in the present"),
        count => Diagnosis::warn(format!("{count} rate limits are counted in a minute that has not come yet")),
    })
}
