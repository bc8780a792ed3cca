//! How far a reader may go who comes back for what is new, so that nothing is committed behind it.
//!
//! Rows carry their transaction's instant, in their ids too, and are seen once it commits: one that takes long commits rows that
//! sort before rows others have seen. A company's watermark is the begin of its oldest transaction that may write and goes on. On
//! PostgreSQL such a transaction takes a lock that bears the company's number before it takes its instant: one that held no lock
//! when the watermark was read has a later instant than that. SQLite has one writer and needs none.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::Instant;
use uuid::Uuid;

use super::{Cell, Error, Row, Session};

/// How long what was read serves: lists cost no statement of their own.
const SERVES: Duration = Duration::from_millis(100);

/// Instants are whole milliseconds: what was written in the clock's present one is not below the watermark yet.
const MILLISECOND: Duration = Duration::from_millis(1);

/// The first half of the locks' names: no other locks of the host have two halves.
const CLASS: i32 = 7_310_588;

/// The transaction whose company is `tenant`, an SQL expression, is under way until it ends. Nobody takes the lock alone, so nobody
/// waits for it.
pub fn sql_begin_writing(tenant: &str) -> String {
    // The last 32 bits of a company's id are random: two that share them wait for each other's news, no more.
    format!("pg_try_advisory_xact_lock_shared({CLASS}, ('x' || right({tenant}::text, 8))::bit(32)::int4)")
}

fn number(tenant: Uuid) -> i32 {
    let [.., a, b, c, d] = *tenant.as_bytes();
    i32::from_be_bytes([a, b, c, d])
}

/// The clock is read first: who holds no lock yet has an instant after it. Of other roles' transactions the begin is not shown, so
/// the hosts of a database use one role.
const READ: &str = "with clock as materialized (select clock_timestamp() as now),
writing as (
  select l.objid::int8 as company, date_trunc('milliseconds', min(a.xact_start)) as began
  from clock, pg_locks l join pg_stat_activity a on a.pid = l.pid
  where l.locktype = 'advisory' and l.objsubid = 2 and l.classid::int8 = $1 and clock.now is not null
    and l.database = (select oid from pg_database where datname = current_database())
  group by l.objid)
select date_trunc('milliseconds', clock.now), writing.company, writing.began from clock left join writing on true";

#[derive(Default)]
pub struct Watermark {
    known: Mutex<Known>,
    /// One reads it, and who waits meanwhile takes what that one read.
    reading: tokio::sync::Mutex<()>,
}

#[derive(Default)]
struct Known {
    /// When the last reading began.
    since: Option<Instant>,
    /// Result of that reading; none while it goes on, or if it failed.
    writing: Option<Writing>,
    /// When companies last wrote: all that have since the reading while it serves, and those of this millisecond.
    written: HashMap<Uuid, Instant>,
}

/// Transactions under way at an instant.
#[derive(Debug, Default)]
pub struct Writing {
    /// Milliseconds since 1970, by the database's clock.
    now: i64,
    /// When the oldest transaction of each company began, by the company's number.
    began: HashMap<i32, i64>,
}

impl Writing {
    fn watermark(&self, tenant: Uuid) -> i64 {
        self.began.get(&number(tenant)).map_or(self.now, |began| self.now.min(*began))
    }
}

impl Known {
    fn serves(&self) -> bool {
        self.since.is_some_and(|since| since.elapsed() < SERVES)
    }

    fn get(&self, tenant: Uuid) -> Option<i64> {
        let writing = self.writing.as_ref()?;
        (self.serves() && !self.written.contains_key(&tenant)).then(|| writing.watermark(tenant))
    }

    fn forget_older_writes(&mut self) {
        self.written.retain(|_, instant| instant.elapsed() < MILLISECOND);
    }
}

impl Watermark {
    /// The company's watermark: milliseconds since 1970. Read anew where it is old or the company has written since.
    pub async fn get<F: Future<Output = Result<Writing, Error>>>(
        &self,
        tenant: Uuid,
        read: impl FnOnce() -> F,
    ) -> Result<i64, Error> {
        if let Some(watermark) = self.lock().get(tenant) {
            return Ok(watermark);
        }
        let last_write = self.lock().written.get(&tenant).copied();
        if let Some(instant) = last_write {
            tokio::time::sleep_until(instant + MILLISECOND).await;
        }
        let _reading = self.reading.lock().await;
        {
            let mut known = self.lock();
            if let Some(watermark) = known.get(tenant) {
                return Ok(watermark);
            }
            known.forget_older_writes();
            known.since = Some(Instant::now());
            known.writing = None;
        }
        let writing = read().await?;
        let watermark = writing.watermark(tenant);
        self.lock().writing = Some(writing);
        Ok(watermark)
    }

    /// Takes note that a write of the company was committed.
    pub fn note_write(&self, tenant: Uuid) {
        let mut known = self.lock();
        // The next list reads anew in any case, and where nobody lists the table would only grow.
        if !known.serves() {
            known.forget_older_writes();
        }
        known.written.insert(tenant, Instant::now());
    }

    fn lock(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Reads what is under way from the database, which is PostgreSQL.
pub async fn read(session: &mut Session) -> Result<Writing, Error> {
    let mut writing = Writing::default();
    for row in session.query(READ, &[Cell::Integer(i64::from(CLASS))]).await? {
        writing.now = row.instant(0)?;
        if let Some(company) = row.optional(1, Row::integer)? {
            // The server shows a lock's name without a sign.
            let number = u32::try_from(company).map_err(|_| Error::Fault("a lock of no name".into()))?.cast_signed();
            // A transaction that has ended since has no known begin: what it committed is seen.
            if let Some(began) = row.optional(2, Row::instant)? {
                writing.began.insert(number, began);
            }
        }
    }
    Ok(writing)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicI64, Ordering};

    use super::*;

    /// Result of the `n`th reading: company 2 has been writing since 1,000.
    fn nth(n: i64) -> Writing {
        Writing { now: 2_000 + n, began: [(2, 1_000)].into() }
    }

    #[tokio::test]
    async fn is_read_once_for_all_and_again_after_a_write_of_the_company() {
        let watermark = Watermark::default();
        let reads = AtomicI64::new(0);
        let get = async |tenant: u128| {
            let read = async || Ok(nth(reads.fetch_add(1, Ordering::Relaxed)));
            watermark.get(Uuid::from_u128(tenant), read).await.unwrap_or(-1)
        };
        assert_eq!([get(1).await, get(2).await, get(3).await], [2_000, 1_000, 2_000]);
        watermark.note_write(Uuid::from_u128(1));
        assert_eq!([get(3).await, get(1).await, get(1).await], [2_000, 2_001, 2_001]);
        tokio::time::sleep(SERVES).await;
        assert_eq!([get(3).await, get(2).await], [2_002, 1_000]);
    }

    #[tokio::test]
    async fn the_millisecond_of_a_write_has_passed_when_it_is_read() {
        let (watermark, tenant) = (Watermark::default(), Uuid::from_u128(1));
        for is_read_before in [false, true] {
            if is_read_before {
                watermark.get(tenant, async || Ok(nth(0))).await.expect("a watermark");
            }
            let written = Instant::now();
            watermark.note_write(tenant);
            let age = async || Ok(Writing { now: written.elapsed().as_micros() as i64, ..Writing::default() });
            // A reading of another company in the same millisecond is no use to this one.
            watermark.get(Uuid::from_u128(2), age).await.expect("a watermark");
            let waited = watermark.get(tenant, age).await.expect("a watermark");
            assert!(waited >= 1_000, "read {waited} microseconds after the write");
        }
    }

    #[tokio::test]
    async fn a_failure_is_not_kept() {
        let watermark = Watermark::default();
        let tenant = Uuid::from_u128(1);
        let failed = watermark.get(tenant, async || Err(Error::Unavailable(String::new()))).await;
        assert!(failed.is_err());
        assert_eq!(watermark.get(tenant, async || Ok(nth(7))).await.ok(), Some(2_007));
    }
}
