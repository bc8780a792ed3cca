//! The hosts that all tests share, one for each database, and what they wrote while a test ran.

use std::sync::OnceLock;
use std::thread;

use crate::host::{Settings, tail};
use crate::{Database, Stoa};

/// Databases of the shared host on PostgreSQL: most of its companies are at another place than home.
const PLACES: usize = 3;

static LOGGED: [OnceLock<Option<Stoa>>; 2] = [OnceLock::new(), OnceLock::new()];

/// The host that all tests of this database share, unless a test kills or configures its own.
pub fn shared(database: Database) -> Stoa {
    static SQLITE: OnceLock<Result<Stoa, String>> = OnceLock::new();
    static POSTGRES: OnceLock<Result<Stoa, String>> = OnceLock::new();
    let slot = match database {
        Database::Sqlite => &SQLITE,
        Database::Postgres => &POSTGRES,
    };
    let started = slot.get_or_init(|| {
        if database == Database::Postgres && crate::postgres::server().is_none() {
            return Err(crate::postgres::MISSING.to_string());
        }
        let settings = Settings::default();
        let settings = if database == Database::Postgres { settings.places(PLACES) } else { settings };
        Stoa::try_start(database, settings)
    });
    LOGGED[database as usize].get_or_init(|| started.as_ref().ok().cloned());
    started.clone().unwrap_or_else(|said| panic!("the shared host did not start: {said}"))
}

/// Prints, if the test fails, what the shared host wrote to stderr since now.
pub(crate) fn watch_shared(database: Database) -> impl Drop {
    struct Watch(Database, usize);
    impl Drop for Watch {
        fn drop(&mut self) {
            let Some(Some(host)) = LOGGED[self.0 as usize].get() else { return };
            if thread::panicking() {
                let log = host.log();
                let log = tail(log.get(self.1..).unwrap_or(&log), 40);
                eprintln!("--- shared {:?} host, its stderr since the test began ---\n{log}", self.0);
            }
        }
    }
    let from = LOGGED[database as usize].get().and_then(Option::as_ref).map_or(0, Stoa::log_length);
    Watch(database, from)
}

/// The last lines that the shared host of this database wrote to stderr.
pub(crate) fn tail_of_shared(database: Database) -> String {
    let host = LOGGED[database as usize].get().and_then(Option::as_ref);
    host.map_or_else(String::new, |host| tail(&host.log(), 60))
}
