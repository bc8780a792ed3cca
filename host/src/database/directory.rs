//! The directory of companies: which place has a company's rows. The home server keeps it (`stoa_company_place`) for every company
//! that is not at home; each host remembers what it has read. A place whose company has moved away says so, and the host asks again;
//! hosts also read three times a second what has changed, so that work which reads no company's row follows soon.

use std::num::NonZeroUsize;
use std::sync::{Mutex, MutexGuard, PoisonError};

use lru::LruCache;
use uuid::Uuid;

use super::{Cell, Error, Row, Session};

/// Companies whose place a host remembers.
const CACHED: NonZeroUsize = NonZeroUsize::new(100_000).unwrap();
/// Changes that are read at a time. More of them are read with the next look.
const CHANGES: i64 = 1_000;

pub struct Directory {
    known: Mutex<Known>,
}

struct Known {
    /// Number of the company's server.
    servers: LruCache<Uuid, usize>,
    /// When the newest change was made that has been read: milliseconds since 1970, by the home server's clock.
    read_until: Option<i64>,
}

impl Default for Directory {
    fn default() -> Directory {
        Directory { known: Mutex::new(Known { servers: LruCache::new(CACHED), read_until: None }) }
    }
}

/// A company's place, and when it got there.
pub(super) struct Placed {
    pub company: Uuid,
    pub place: String,
    pub changed_at: i64,
}

impl Directory {
    pub fn find(&self, company: Uuid) -> Option<usize> {
        self.lock().servers.get(&company).copied()
    }

    pub fn remember(&self, company: Uuid, server: usize) {
        self.lock().servers.put(company, server);
    }

    pub fn forget(&self, company: Uuid) {
        self.lock().servers.pop(&company);
    }

    /// The instant behind which changes are to be read.
    pub fn read_until(&self) -> Option<i64> {
        self.lock().read_until
    }

    pub fn note_read(&self, until: i64) {
        self.lock().read_until = Some(until);
    }

    fn lock(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Name of the company's place, which has none while it is at home.
pub(super) async fn read_place(session: &mut Session, company: Uuid) -> Result<Option<String>, Error> {
    let sql = "select place from stoa_company_place where tenant_id = $1";
    let rows = session.query(sql, &[Cell::Id(company)]).await?;
    rows.first().map(|row| row.text(0)).transpose()
}

/// The companies whose place was written at this instant or later, the oldest change first, and the clock. Two changes of one
/// millisecond may commit one after the other, so that the last instant is read again.
pub(super) async fn read_changes(session: &mut Session, since: Option<i64>) -> Result<(Vec<Placed>, i64), Error> {
    let now = session.now().await?;
    let Some(since) = since else { return Ok((Vec::new(), now)) };
    let sql = format!(
        "select tenant_id, place, changed_at from stoa_company_place where changed_at >= $1 order by changed_at limit {CHANGES}"
    );
    let rows = session.query_composed(sql, &[Cell::Instant(since)]).await?;
    let read = |row: &Row| Ok(Placed { company: row.id(0)?, place: row.text(1)?, changed_at: row.instant(2)? });
    Ok((rows.iter().map(read).collect::<Result<Vec<Placed>, Error>>()?, now))
}

/// Writes that a new company is at a place, in a transaction at home.
pub async fn insert_place(session: &mut Session, company: Uuid, place: &str, now: i64) -> Result<(), Error> {
    let sql = "insert into stoa_company_place (tenant_id, place, changed_at) values ($1, $2, $3)";
    session.query(sql, &[Cell::Id(company), Cell::text(place), Cell::Instant(now)]).await?;
    Ok(())
}

/// Companies by place, of those that are not at home, and the number of those at home.
pub(super) async fn count_companies(session: &mut Session) -> Result<(Vec<(String, i64)>, i64), Error> {
    let rows = session.query("select place, count(*) from stoa_company_place group by place", &[]).await?;
    let elsewhere = rows.iter().map(|row| Ok((row.text(0)?, row.integer(1)?))).collect::<Result<Vec<_>, Error>>()?;
    let rows = session.query("select count(*) from stoa_tenant", &[]).await?;
    let home = rows.first().map_or(Ok(0), |row| row.integer(0))?;
    Ok((elsewhere, home))
}
