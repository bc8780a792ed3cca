//! What one request brings to the store and how much of it is used up: shared by all modules that take part in it.

use std::collections::HashMap;

use uuid::Uuid;

use crate::ids::Ids;

/// Rows that a request may read more for each that it writes.
const READ_FOR_WRITTEN: usize = 4;

/// How far a request may go (`store.md` 9).
#[derive(Debug, Clone, Copy)]
pub struct StoreLimits {
    pub calls_per_batch: usize,
    pub calls: usize,
    /// Rows of one insert, update, select or aggregate.
    pub rows_per_call: usize,
    /// Rows read in the request.
    pub rows: usize,
    /// Ids, keys, one-of values, lock names.
    pub keys: usize,
    pub nodes: usize,
    pub depth: usize,
    pub has: usize,
    pub measures: usize,
    pub groups: usize,
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
            has: 2,
            measures: 16,
            groups: 4,
            reply: 4 << 20,
        }
    }
}

/// Lives for one request (and one try of it).
#[derive(Debug)]
pub struct Scope {
    pub tenant: Uuid,
    /// The request's one instant, milliseconds since 1970.
    pub now_ms: i64,
    /// A request that may not write or lock.
    pub read_only: bool,
    pub limits: StoreLimits,
    /// A failure has been told: the request can only end in a problem.
    pub closed: bool,
    pub calls: usize,
    pub rows: usize,
    /// Rows inserted or updated.
    pub written: usize,
    /// Statements that waited for the database (PostgreSQL).
    pub round_trips: u32,
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
            read_only,
            limits: StoreLimits::default(),
            closed: false,
            calls: 0,
            rows: 0,
            written: 0,
            round_trips: 0,
            limit_hits: 0,
            held: HashMap::new(),
            ids: None,
        }
    }

    /// Rows that it may have read by now. Work that reads a page and writes one goes on for as many as there are; what only reads
    /// stays bounded.
    pub fn rows_allowed(&self) -> usize {
        self.limits.rows.saturating_add(self.written.saturating_mul(READ_FOR_WRITTEN))
    }

    /// A UUIDv7 of the request's instant, above every one given before in this request and in those before it.
    pub fn new_id(&mut self) -> Uuid {
        let now = self.now_ms;
        self.ids.get_or_insert_with(|| Ids::new(now)).make()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_writes_may_read_on() {
        let mut scope = Scope::new(Uuid::nil(), 0, false);
        assert_eq!(scope.rows_allowed(), scope.limits.rows);
        scope.written = 2_000;
        assert_eq!(scope.rows_allowed(), scope.limits.rows + 8_000);
    }
}
