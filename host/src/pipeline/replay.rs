//! A key that was used before: the same answer for the same request, a refusal for any other.

use uuid::Uuid;

use super::request::{Answer, Key};
use crate::database::{Cell, Error, Session};
use crate::problem::Problem;

/// A key answers for a day; then it is refused, never run again.
const WINDOW_MS: i64 = 24 * 60 * 60 * 1000;
/// A v7 key older than this is refused by its own time, so that nothing need be kept of it.
const LONGEST_MS: i64 = 7 * WINDOW_MS;

/// Whether a v7 key is too old to be looked at.
pub fn expired_by_its_time(key: &Key, now: i64) -> bool {
    key.made_at.is_some_and(|made_at| now - made_at > LONGEST_MS)
}

/// Whether a v7 key claims a time so far ahead that its row would be purged before its time refuses it.
pub fn made_in_the_future(key: &Key, now: i64) -> bool {
    key.made_at.is_some_and(|made_at| made_at - now > WINDOW_MS)
}

/// The stored answer. `Ok(None)`: the row is gone, the key is free again.
pub async fn answer(
    session: &mut Session,
    tenant: Uuid,
    actor: Uuid,
    operation: &str,
    key: &Key,
    now: i64,
) -> Result<Option<Result<Answer, Problem>>, Error> {
    let rows = session
        .query(
            "select fingerprint, created_at, status, headers, body, kept
             from stoa_idempotency
             where tenant_id = $1 and actor_id = $2 and operation = $3 and key = $4",
            &[Cell::Id(tenant), Cell::Id(actor), Cell::text(operation), Cell::Id(key.id)],
        )
        .await?;
    let Some(row) = rows.first() else { return Ok(None) };
    if now - row.instant(1)? > WINDOW_MS {
        return Ok(Some(Err(Problem::new("IDEMPOTENCY_KEY_EXPIRED"))));
    }
    if row.bytes(0)? != key.fingerprint {
        return Ok(Some(Err(Problem::new("IDEMPOTENCY_KEY_REUSED"))));
    }
    // Its age says that it is young, and yet it was purged: by a clock that once ran ahead.
    if row.is_null(4) && !row.boolean(5)? {
        return Ok(Some(Err(Problem::new("IDEMPOTENCY_KEY_EXPIRED"))));
    }
    if row.is_null(4) {
        return Ok(Some(Err(Problem::new("CREDENTIAL_ALREADY_DELIVERED"))));
    }
    let status = u16::try_from(row.integer(2)?).map_err(|_| Error::Fault("a stored status".into()))?;
    let body = zstd::decode_all(row.bytes(4)?).map_err(|error| Error::Fault(format!("a stored answer: {error}")))?;
    let etag = row.optional(3, crate::database::Row::text)?;
    Ok(Some(Ok(Answer { status, body: body.into(), etag, replayed: true, credential: false })))
}
