//! One request's scope in the store and how much of it is used up: shared by all modules that take part in it.

use std::collections::HashMap;
use std::time::Duration;

use uuid::Uuid;

use super::{Refused, excess};
use crate::ids::Ids;

/// How far a request may go (`store.md` 9).
#[derive(Debug, Clone, Copy)]
pub struct StoreLimits {
    pub calls_per_batch: usize,
    pub calls: usize,
    /// Rows of one insert, update, select or aggregate.
    pub rows_per_call: usize,
    /// Rows read and written in the request; as many again for each full page.
    pub rows: usize,
    /// Ids, keys, one-of values, lock names.
    pub keys: usize,
    pub nodes: usize,
    pub depth: usize,
    /// Conditions on rows of other collections, of one filter.
    pub has: usize,
    pub measures: usize,
    pub groups: usize,
    /// Rows that a search of text looks at.
    pub searched: usize,
    /// Bytes of one batch's replies, about.
    pub reply: usize,
}

impl Default for StoreLimits {
    fn default() -> StoreLimits {
        StoreLimits {
            calls_per_batch: 32,
            calls: 400,
            rows_per_call: 2_000,
            rows: 20_000,
            keys: 1_000,
            nodes: 64,
            depth: 4,
            has: 4,
            measures: 16,
            groups: 4,
            searched: 10_000,
            reply: 4 << 20,
        }
    }
}

/// Time that a request has left for calls of the store, each kind for itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CallTime {
    pub all: Duration,
    /// The part that calls may take which write nothing; never more than `all`.
    pub reads: Duration,
    /// Taken by calls that write nothing.
    pub read: Duration,
}

impl CallTime {
    /// The time that a call may take.
    pub(super) fn limit_of(&self, is_write: bool) -> Duration {
        if is_write { self.all } else { self.reads.min(self.all) }
    }

    /// A call has taken this time.
    pub(super) fn spend(&mut self, time: Duration, is_write: bool) {
        self.all = self.all.saturating_sub(time);
        if !is_write {
            self.reads = self.reads.saturating_sub(time);
            self.read += time;
        }
    }
}

/// Lives for one request (and one try of it).
#[derive(Debug)]
pub struct Scope {
    pub tenant: Uuid,
    /// The request's one instant by the company's clock, milliseconds since 1970: rows bear it.
    pub now_ms: i64,
    /// The same by the database's clock: ids are made of it.
    pub instant_ms: i64,
    /// A request that may not write or lock.
    pub read_only: bool,
    pub limits: StoreLimits,
    /// A failure has been reported: the request can only end in a problem.
    pub closed: bool,
    pub calls: usize,
    pub rows: usize,
    /// Rows inserted or updated.
    pub written: usize,
    /// Replies of as many rows as a call may answer, with more behind them: the request goes through what the company has, and
    /// how much that is was not the caller's to choose. Each buys a share more of the limits.
    pub full_pages: usize,
    /// Messages that waited for the database (PostgreSQL).
    pub round_trips: u32,
    /// Where the time of calls is the request's own (SQLite): what it has left.
    pub time: Option<CallTime>,
    pub(super) limit_hits: u32,
    /// Named locks held, by key; true: exclusive.
    pub(super) held: HashMap<i64, bool>,
    ids: Option<Ids>,
}

impl Scope {
    pub fn new(tenant: Uuid, now_ms: i64, read_only: bool) -> Scope {
        Scope {
            tenant,
            now_ms,
            instant_ms: now_ms,
            read_only,
            limits: StoreLimits::default(),
            closed: false,
            calls: 0,
            rows: 0,
            written: 0,
            full_pages: 0,
            round_trips: 0,
            time: None,
            limit_hits: 0,
            held: HashMap::new(),
            ids: None,
        }
    }

    /// Counts rows that a call writes.
    pub(super) fn count_written(&mut self, rows: usize) -> Result<(), Refused> {
        self.written += rows;
        match self.rows + self.written > self.most_rows() {
            true => Err(excess("rows of a request", self.most_rows())),
            false => Ok(()),
        }
    }

    /// Rows that the request may have read and written by now.
    pub fn most_rows(&self) -> usize {
        self.limits.rows.saturating_mul(1 + self.full_pages)
    }

    /// A UUIDv7 of the request's instant, above every one given before in this request and in those before it.
    pub fn new_id(&mut self) -> Uuid {
        let now = self.instant_ms;
        self.ids.get_or_insert_with(|| Ids::new(now)).make()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_that_reads_takes_of_both_times() {
        let second = Duration::from_secs(1);
        let mut time = CallTime { all: second * 5, reads: second * 2, read: Duration::ZERO };
        time.spend(second, false);
        time.spend(second * 2, true);
        assert_eq!((time.limit_of(true), time.limit_of(false)), (second * 2, second));
        time.spend(second * 3, false);
        assert_eq!(
            (time.limit_of(true), time.limit_of(false), time.read),
            (Duration::ZERO, Duration::ZERO, second * 4)
        );
    }
}
