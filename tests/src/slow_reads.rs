//! Reads that last: a view replaces a table, and its rows wait.

use crate::held::Held;
use crate::{Company, Database};

/// The lock that a slow read waits for on PostgreSQL.
const LOCK: u32 = 7_731;

impl Company {
    /// Has the company's reads of a table last from its first row on: on PostgreSQL until the lock that is returned is
    /// dropped, on SQLite, where a reader waits for nothing, until their time is over. Nothing is written to the table
    /// any more.
    pub fn slow_down(&self, table: &str) -> Option<Held> {
        let wait = match self.host.database() {
            Database::Sqlite => {
                "(with recursive n(i) as (select 1 union all select i + 1 from n where i < 1000000000000)
                select count(*) from n) > 0"
                    .to_string()
            }
            // It asks again and again: a statement that waits for a lock ends after three seconds.
            Database::Postgres => format!(
                "(with recursive asked(free) as (
                    select pg_try_advisory_xact_lock_shared({LOCK})
                    union all
                    select pg_try_advisory_xact_lock_shared({LOCK})
                    from asked, lateral pg_sleep(case when free then 0.0 else 0.05 end) where not free)
                select bool_or(free) from asked)"
            ),
        };
        self.change(&format!("alter table {table} rename to quick"));
        self.change(&format!("create view {table} as select quick.* from quick where not ({{tenant}}) or {wait}"));
        (self.host.database() == Database::Postgres)
            .then(|| self.hold(&format!("select pg_advisory_xact_lock({LOCK})")))
    }
}
