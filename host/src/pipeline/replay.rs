//! A key that was used before: the same answer for the same request, a refusal for any other.

use serde_json::json;

use super::request::{Answer, Key, Request, tenant_or_nil};
use crate::calendar;
use crate::database::{Cell, Error, Session};
use crate::problem::{Item, Problem};

/// A key answers for a day; then it is refused, never run again.
const WINDOW_MS: i64 = 24 * 60 * 60 * 1000;
/// A v7 key older than this is refused by its own time, so that nothing need be kept of it.
const LONGEST_MS: i64 = 7 * WINDOW_MS;

/// Rejects a v7 key by its own time: one that is too old to be looked at, and one so far ahead that its row would be
/// purged before its time refuses it. The item says that the time is at fault, and the times that are accepted now.
pub fn check_time(key: &Key, now: i64) -> Result<(), Problem> {
    let code = match key.made_at {
        Some(made_at) if now.saturating_sub(made_at) > LONGEST_MS => "IDEMPOTENCY_KEY_EXPIRED",
        Some(made_at) if made_at.saturating_sub(now) > WINDOW_MS => "IDEMPOTENCY_KEY_INVALID",
        _ => return Ok(()),
    };
    let (earliest, latest) = (calendar::time(now - LONGEST_MS), calendar::time(now + WINDOW_MS));
    let item = Item::new("/header/Idempotency-Key", "RANGE");
    Err(Problem::new(code).with(vec![item.with_expected(json!({ "minimum": earliest, "maximum": latest }))]))
}

/// The stored answer. `Ok(None)`: the row is gone, the key is free again.
pub async fn answer(
    session: &mut Session,
    request: &Request,
    key: &Key,
    now: i64,
) -> Result<Option<Result<Answer, Problem>>, Error> {
    let (tenant, actor) = (tenant_or_nil(request.tenant), request.caller.id());
    let operation = &request.operation.route.operation;
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

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    const NOW: i64 = 1_800_000_000_000;

    fn outcome(made_at: Option<i64>) -> Result<(), Problem> {
        check_time(&Key { id: Uuid::nil(), fingerprint: [0; 32], made_at }, NOW)
    }

    #[test]
    fn a_v7_key_outside_the_times_receives_them() {
        for made_at in [None, Some(NOW - LONGEST_MS), Some(NOW), Some(NOW + WINDOW_MS)] {
            assert_eq!(outcome(made_at), Ok(()), "{made_at:?}");
        }
        for (made_at, code) in [
            (0, "IDEMPOTENCY_KEY_EXPIRED"),
            (NOW - LONGEST_MS - 1, "IDEMPOTENCY_KEY_EXPIRED"),
            (NOW + WINDOW_MS + 1, "IDEMPOTENCY_KEY_INVALID"),
            (i64::MAX, "IDEMPOTENCY_KEY_INVALID"),
        ] {
            let problem = outcome(Some(made_at)).expect_err("outside");
            let expected = json!({ "minimum": "2027-01-08T08:00:00.000Z", "maximum": "2027-01-16T08:00:00.000Z" });
            let item = Item::new("/header/Idempotency-Key", "RANGE").with_expected(expected);
            assert_eq!((&*problem.code, &problem.errors), (code, &vec![item]), "{made_at}");
        }
    }
}
