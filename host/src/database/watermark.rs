//! How far a reader may go who comes back for what is new, so that nothing is committed behind it.
//!
//! Rows carry their transaction's instant, in their ids too, and are seen once it commits: one that takes long commits rows that
//! sort before rows others have seen. A company's watermark is the begin of its oldest transaction that may write and goes on. On
//! PostgreSQL such a transaction takes a lock that bears the company's number before it takes its instant: one that held no lock
//! when the watermark was read has a later instant than that. SQLite has one writer and needs none.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::{Instant, timeout, timeout_at};
use uuid::Uuid;

use super::{Cell, Error, Row, Session};

/// A reading serves callers who come until this long after its beginning: lists cost no statement of their own.
const SERVES: Duration = Duration::from_millis(100);

/// Longest that a reading may take, with its wait for a connection.
const LIMIT: Duration = Duration::from_secs(2);

/// Instants are whole milliseconds: rows written in the clock's present one are not below the watermark yet.
const MILLISECOND: Duration = Duration::from_millis(1);

/// The first half of the locks' names: no other locks of the host have two halves.
const CLASS: i32 = 7_310_588;

/// Why a write of a company is rejected while it moves to another place.
pub const ON_ITS_WAY: &str = "the company is on its way to another place";

/// The transaction whose company is `tenant`, an SQL expression, is under way until it ends. All take the lock as shared, so no
/// transaction waits for it.
pub fn sql_begin_writing(tenant: &str) -> String {
    // The last 32 bits of a company's id are random: two that share them wait for each other's news, no more.
    format!("pg_try_advisory_xact_lock_shared({CLASS}, ('x' || right({tenant}::text, 8))::bit(32)::int4)")
}

/// Both halves of the name of the lock that a company's writes share. For a command that has it exclusively, none is under way.
pub fn lock_of(tenant: Uuid) -> (i32, i32) {
    (CLASS, number(tenant))
}

fn number(tenant: Uuid) -> i32 {
    let [.., a, b, c, d] = *tenant.as_bytes();
    i32::from_be_bytes([a, b, c, d])
}

/// The clock is read first: a transaction that holds no lock yet has a later instant. PostgreSQL hides the begin of other roles'
/// transactions, so the hosts of a database use one role.
const READ: &str = "with clock as materialized (select clock_timestamp() as now),
writing as (
  select l.objid::int8 as company, date_trunc('milliseconds', min(a.xact_start)) as began
  from clock, pg_locks l join pg_stat_activity a on a.pid = l.pid
  where l.locktype = 'advisory' and l.objsubid = 2 and l.classid::int8 = $1 and clock.now is not null
    and l.database = (select oid from pg_database where datname = current_database())
  group by l.objid)
select date_trunc('milliseconds', clock.now), writing.company, writing.began from clock left join writing on true";

pub struct Watermark {
    known: Mutex<Known>,
    /// One caller reads at a time. All that wait meanwhile take the result of one reading, the next.
    reading: tokio::sync::Mutex<()>,
    /// Longest that a reading may take. A caller waits for the rest of one and for the next.
    limit: Duration,
}

impl Default for Watermark {
    fn default() -> Watermark {
        Watermark { known: Mutex::default(), reading: tokio::sync::Mutex::default(), limit: LIMIT }
    }
}

#[derive(Default)]
struct Known {
    /// When the latest reading began, which may go on.
    began: Option<Instant>,
    /// The last reading that has ended.
    last: Option<Reading>,
    /// When companies last wrote: all that the last reading may not have seen, and those of this millisecond.
    written: HashMap<Uuid, Instant>,
}

struct Reading {
    began: Instant,
    result: Result<Writing, Error>,
}

/// A caller that waits for a company's watermark.
struct Asked {
    tenant: Uuid,
    at: Instant,
    /// When the company had last written before that.
    last_write: Option<Instant>,
}

impl Reading {
    /// The result, if it serves the caller. It is as old as its beginning, however long it took.
    fn result_for(&self, asked: &Asked) -> Option<Result<i64, Error>> {
        match &self.result {
            // A failure is shared by those who have waited for it, and not kept for others.
            Err(error) => (self.began >= asked.at).then(|| Err(error.clone())),
            Ok(writing) => {
                let is_recent = asked.at < self.began + SERVES;
                let is_after_write = asked.last_write.is_none_or(|written| written + MILLISECOND <= self.began);
                (is_recent && is_after_write).then(|| Ok(writing.watermark(asked.tenant)))
            }
        }
    }
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
    /// Returns whether the latest reading may still serve a caller who comes now.
    fn serves(&self) -> bool {
        self.began.is_some_and(|began| began.elapsed() < SERVES)
    }

    fn end_reading(&mut self, reading: Reading) {
        self.written.retain(|_, written| *written + MILLISECOND > reading.began);
        self.last = Some(reading);
    }
}

impl Watermark {
    /// The company's watermark: milliseconds since 1970. It is read again where the last reading is old, or the company
    /// has written since.
    pub async fn get<F: Future<Output = Result<Writing, Error>>>(
        &self,
        tenant: Uuid,
        read: impl FnOnce() -> F,
    ) -> Result<i64, Error> {
        let last_write = self.lock().written.get(&tenant).copied();
        let asked = Asked { tenant, at: Instant::now(), last_write };
        if let Some(result) = self.find(&asked) {
            return result;
        }
        if let Some(instant) = last_write {
            tokio::time::sleep_until(instant + MILLISECOND).await;
        }
        let late = || Error::Unavailable("the watermark took too long to read".into());
        let lock = timeout_at(asked.at + self.limit * 2, self.reading.lock());
        let _reading = lock.await.map_err(|_| late())?;
        if let Some(result) = self.find(&asked) {
            return result;
        }
        let began = Instant::now();
        self.lock().began = Some(began);
        let result = timeout(self.limit, read()).await.unwrap_or_else(|_| Err(late()));
        let watermark = result.as_ref().map(|writing| writing.watermark(tenant)).map_err(Error::clone);
        self.lock().end_reading(Reading { began, result });
        watermark
    }

    /// Takes note that a write of the company was committed.
    pub fn note_write(&self, tenant: Uuid) {
        let mut known = self.lock();
        // The next list reads again in any case, and the table would only grow where no lists come.
        if !known.serves() {
            known.written.retain(|_, written| written.elapsed() < MILLISECOND);
        }
        known.written.insert(tenant, Instant::now());
    }

    fn find(&self, asked: &Asked) -> Option<Result<i64, Error>> {
        self.lock().last.as_ref()?.result_for(asked)
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
            // A transaction that has ended since has no known begin: its commit is visible.
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

    use futures_util::future::join_all;
    use tokio::sync::Semaphore;
    use tokio::time::sleep;

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

    /// A reading that ends once the gate lets it pass.
    async fn read_through(gate: &Semaphore, reads: &AtomicI64) -> Result<Writing, Error> {
        let read = reads.fetch_add(1, Ordering::Relaxed);
        gate.acquire().await.expect("an open gate").forget();
        Ok(nth(read))
    }

    #[tokio::test]
    async fn all_that_wait_take_one_reading_however_long_it_takes() {
        let (watermark, reads, gate) = (Watermark::default(), AtomicI64::new(0), Semaphore::new(0));
        let get = |tenant| watermark.get(Uuid::from_u128(tenant), || read_through(&gate, &reads));
        let later = async {
            // The reading under way is too old for them.
            sleep(SERVES).await;
            let open = async {
                gate.add_permits(1);
                // The next one takes longer than it serves those who come later.
                sleep(SERVES * 2).await;
                gate.add_permits(100);
            };
            tokio::join!(join_all((10..42).map(get)), open).0
        };
        let (first, later) = tokio::join!(get(1), later);
        assert_eq!(first.ok(), Some(2_000));
        assert!(later.iter().all(|result| matches!(result, Ok(2_001))), "{later:?}");
        assert_eq!(reads.load(Ordering::Relaxed), 2);
    }

    #[tokio::test]
    async fn a_reading_under_way_is_no_use_to_a_company_that_writes_meanwhile() {
        let (watermark, reads, gate) = (Watermark::default(), AtomicI64::new(0), Semaphore::new(0));
        let get = |tenant| watermark.get(Uuid::from_u128(tenant), || read_through(&gate, &reads));
        let writer = async {
            watermark.note_write(Uuid::from_u128(4));
            tokio::join!(get(4), async { gate.add_permits(100) }).0
        };
        let (other, writer) = tokio::join!(get(1), writer);
        assert_eq!((other.ok(), writer.ok()), (Some(2_000), Some(2_001)));
    }

    #[tokio::test]
    async fn a_reading_without_end_fails_once_for_all_that_wait() {
        let watermark = Watermark { limit: Duration::from_millis(50), ..Watermark::default() };
        let reads = AtomicI64::new(0);
        let reads = &reads;
        let read = move || async move {
            reads.fetch_add(1, Ordering::Relaxed);
            std::future::pending().await
        };
        let all = join_all((1..20).map(|tenant| watermark.get(Uuid::from_u128(tenant), read))).await;
        assert!(all.iter().all(|result| matches!(result, Err(Error::Unavailable(_)))), "{all:?}");
        // The first one's own, and one for all that came while it went on.
        assert_eq!(reads.load(Ordering::Relaxed), 2);
        assert_eq!(watermark.get(Uuid::from_u128(1), async || Ok(nth(7))).await.ok(), Some(2_007));
    }
}
