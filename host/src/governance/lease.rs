//! Leases of permits: one row per subject counts what all hosts have taken of its window, so that together they never take more
//! than the limit, and a crash counts as used what a host still held.

use super::permits::{Bucket, Lease, Subject, Want};
use crate::database::{Cell, Error, Session};

/// How far ahead of the database's now a window may begin that is obeyed: another host read the clock a moment later. One that
/// begins later still is of a clock that once ran ahead, and is taken over: else no caller would get a permit until that time has
/// come.
const AHEAD_MS: i64 = 60_000;

/// `$5`: the limit, `$6`: how many are asked for, `$7`: the latest begin that is obeyed. A row of a later window gives none.
const LEASE: &str = "insert into stoa_permit (tenant_id, subject_id, scope, window_start, used, leased)
values ($1, $2, $3, $4, case when $6 < $5 then $6 else $5 end, case when $6 < $5 then $6 else $5 end)
on conflict (tenant_id, subject_id, scope) do update set
  leased = case
    when stoa_permit.window_start < excluded.window_start or stoa_permit.window_start > $7 then excluded.leased
    when stoa_permit.window_start > excluded.window_start or stoa_permit.used >= $5 then 0
    when stoa_permit.used + $6 > $5 then $5 - stoa_permit.used
    else $6 end,
  used = case
    when stoa_permit.window_start < excluded.window_start or stoa_permit.window_start > $7 then excluded.used
    when stoa_permit.window_start > excluded.window_start or stoa_permit.used >= $5 then stoa_permit.used
    when stoa_permit.used + $6 > $5 then $5
    else stoa_permit.used + $6 end,
  window_start = case
    when stoa_permit.window_start > excluded.window_start and stoa_permit.window_start <= $7 then stoa_permit.window_start
    else excluded.window_start end
returning window_start, leased, used";

/// Leases a block of a subject's window around `now`, which is the database's.
pub async fn lease(session: &mut Session, want: Want, ask: u64, now: i64) -> Result<Lease, Error> {
    let Subject { tenant, id, span } = want.subject;
    let count = |number: u64| Cell::Integer(i64::try_from(number).unwrap_or(i64::MAX));
    let rows = session
        .query(
            LEASE,
            &[
                Cell::Id(tenant),
                Cell::Id(id),
                Cell::text(span.name()),
                Cell::Instant(span.start(now)),
                count(want.limit),
                count(ask.max(1)),
                Cell::Instant(now + AHEAD_MS),
            ],
        )
        .await?;
    let row = rows.first().ok_or_else(|| Error::Fault("the lease gave no row".into()))?;
    let number = |index| u64::try_from(row.integer(index)?).map_err(|_| Error::Fault("negative permits".into()));
    Ok(Lease { window: row.instant(0)?, granted: number(1)?, taken: number(2)? })
}

/// Gives back what a host still holds as it stops.
pub async fn give_back(session: &mut Session, subject: Subject, bucket: &Bucket) -> Result<(), Error> {
    session
        .query(
            "update stoa_permit set used = used - $5
             where tenant_id = $1 and subject_id = $2 and scope = $3 and window_start = $4 and used >= $5",
            &[
                Cell::Id(subject.tenant),
                Cell::Id(subject.id),
                Cell::text(subject.span.name()),
                Cell::Instant(bucket.window),
                Cell::Integer(i64::try_from(bucket.left).unwrap_or(0)),
            ],
        )
        .await?;
    Ok(())
}
