//! The connections through which the suite looks into a host's database, kept from look to look: one of its own for
//! each would cost PostgreSQL a process, and SQLite the reading of the whole schema.

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use sqlx::PgPool;
use sqlx::postgres::PgPoolOptions;

use crate::host::RUNTIME;

/// How long a look waits for a writer.
pub const PATIENCE: Duration = Duration::from_secs(10);

/// Connections to the database of one host: as many tests look at once.
const AT_ONCE: u32 = 8;

#[derive(Default)]
pub struct Looks {
    /// By the database's address.
    postgres: Mutex<HashMap<String, PgPool>>,
    sqlite: Mutex<Vec<rusqlite::Connection>>,
}

impl Looks {
    /// The connections to this database. One that a server has lost is made again.
    pub fn postgres(&self, url: &str) -> PgPool {
        let mut known = self.postgres.lock().unwrap_or_else(PoisonError::into_inner);
        let connect = || {
            let _runtime = RUNTIME.enter();
            PgPoolOptions::new().max_connections(AT_ONCE).connect_lazy(url).expect("an address of a database")
        };
        known.entry(url.to_owned()).or_insert_with(connect).clone()
    }

    /// Looks into this file, which is not changed.
    pub fn sqlite<T>(&self, file: &Path, look: impl FnOnce(&rusqlite::Connection) -> T) -> T {
        let kept = self.free().pop();
        let connection = kept.unwrap_or_else(|| {
            let connection = rusqlite::Connection::open_with_flags(file, rusqlite::OpenFlags::SQLITE_OPEN_READ_ONLY)
                .unwrap_or_else(|error| panic!("cannot open {}: {error}", file.display()));
            connection.busy_timeout(PATIENCE).expect("a busy timeout");
            connection
        });
        let seen = look(&connection);
        self.free().push(connection);
        seen
    }

    /// Closes the connections: a host that ends, or whose file is replaced, must be its only user.
    pub fn leave_sqlite(&self) {
        self.free().clear();
    }

    fn free(&self) -> std::sync::MutexGuard<'_, Vec<rusqlite::Connection>> {
        self.sqlite.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
