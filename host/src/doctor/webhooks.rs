//! Webhooks: the keys of their secrets, receivers that fail, and deliveries that are late.

use super::{Diagnosis, Notes};
use crate::database::{Cell, Error, Session};
use crate::deployment::development;
use crate::keyring::KeyRing;
use crate::settings::Settings;

const MINUTE_MS: i64 = 60_000;
/// How long a receiver may fail before an operator should look.
const FAILING_MS: i64 = 60 * MINUTE_MS;
/// How late a delivery, or an event without its deliveries, may be.
const LATE_MS: i64 = 5 * MINUTE_MS;

pub async fn examine(session: &mut Session, settings: &Settings, notes: &Notes) {
    notes.note("webhooks.failing", judge_failures(session).await);
    notes.note("webhooks.late", late(session).await);
    notes.note("webhooks.events", events(session).await);
    // A --dev host makes a key where there is none: this check does not.
    let has_key = settings.encryption_key.is_some() || development::encryption_key_file(&settings.data_dir).exists();
    let keys = if has_key { settings.key_ring().ok() } else { None };
    notes.note("webhooks.keys", stored_keys(session, keys).await);
}

/// Counts at most a thousand rows, from an instant on or without one.
async fn count(session: &mut Session, sql: &'static str, before: Option<i64>) -> Result<i64, Error> {
    let rows = match before {
        Some(instant) => session.query(sql, &[Cell::Instant(instant)]).await?,
        None => session.query(sql, &[]).await?,
    };
    rows.first().map_or(Ok(0), |row| row.integer(0))
}

async fn judge_failures(session: &mut Session) -> Result<Diagnosis, Error> {
    let since = session.now().await? - FAILING_MS;
    let failing = "select count(*) from (select 1 from stoa_webhook_lane where failing_since < $1 limit 1000) n";
    let failing = count(session, failing, Some(since)).await?;
    let disabled = "select count(*) from (select 1 from stoa_webhook_endpoint where status = 'DISABLED' limit 1000) n";
    let disabled = count(session, disabled, None).await?;
    Ok(match (failing, disabled) {
        (0, 0) => Diagnosis::pass("every receiver accepts its deliveries"),
        _ => Diagnosis::warn(format!("{failing} endpoints fail for over an hour, {disabled} are disabled")),
    })
}

async fn late(session: &mut Session) -> Result<Diagnosis, Error> {
    let since = session.now().await? - LATE_MS;
    let sql = "select count(*) from (select 1 from stoa_webhook_lane where due_at < $1 limit 1000) n";
    Ok(match count(session, sql, Some(since)).await? {
        0 => Diagnosis::pass("deliveries are sent in time"),
        count => Diagnosis::fail(format!("{count} endpoints have deliveries that are due for over five minutes")),
    })
}

async fn events(session: &mut Session) -> Result<Diagnosis, Error> {
    let since = session.now().await? - LATE_MS;
    let sql = "select count(*) from (
                 select (select e.created_at from stoa_event e where e.tenant_id = c.tenant_id and e.id > c.last_event
                         order by e.id limit 1) as oldest
                 from stoa_webhook_cursor c limit 1000) n
               where n.oldest < $1";
    Ok(match count(session, sql, Some(since)).await? {
        0 => Diagnosis::pass("every event has its deliveries"),
        count => Diagnosis::warn(format!("{count} companies have events of over five minutes without deliveries")),
    })
}

async fn stored_keys(session: &mut Session, keys: Option<KeyRing>) -> Result<Diagnosis, Error> {
    let Some(keys) = keys else { return Ok(Diagnosis::skip("see settings.key")) };
    let rows = session.query("select distinct key_id from stoa_webhook_endpoint limit 100", &[]).await?;
    let ids = rows.iter().map(|row| row.text(0)).collect::<Result<Vec<String>, Error>>()?;
    let missing: Vec<String> = ids.into_iter().filter(|id| !keys.holds(id)).collect();
    Ok(Diagnosis::fail_if_any(&missing, "keys of stored secrets are missing", "every stored secret can be decrypted"))
}
