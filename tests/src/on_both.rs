//! The same test on both databases: listed once, run as `sqlite::name` and `postgres::name`.

use crate::{Database, host};

/// Makes `#[test]` functions `sqlite::name` and `postgres::name` of functions `fn name(database: Database)`.
#[macro_export]
macro_rules! on_both_databases {
    ($($(#[$attribute:meta])* $name:ident),* $(,)?) => {
        mod sqlite {
            $(#[test] $(#[$attribute])* fn $name() { $crate::on_both::run($crate::Database::Sqlite, super::$name) })*
        }
        mod postgres {
            $(#[test] $(#[$attribute])* fn $name() { $crate::on_both::run($crate::Database::Postgres, super::$name) })*
        }
    };
}

/// The same, once: of what is judged before a database is asked. On SQLite, where a host starts sooner.
#[macro_export]
macro_rules! on_one_database {
    ($($name:ident),* $(,)?) => {
        mod once {
            $(#[test] fn $name() { $crate::on_both::run($crate::Database::Sqlite, super::$name) })*
        }
    };
}

/// Runs one test; if it fails, prints what the shared host of this database wrote meanwhile.
pub fn run(database: Database, test: impl FnOnce(Database)) {
    let _watch = host::watch_shared(database);
    test(database);
}
