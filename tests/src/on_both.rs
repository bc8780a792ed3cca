//! How tests of the suite are listed: each is a function, named once in one of these macros. On both databases it runs
//! as `sqlite::name` and `postgres::name`. Behind `timed:` are tests that judge times, memory or counts of the
//! machine: they run one at a time, after all others (`cargo xtask test`). Behind `rules:` are tests of what a module
//! decides by itself: its bytes are the same on both databases, and `host/tests/store` compares what it relies on. A
//! whole run tries them on SQLite, `--all` on both.

use crate::record::Running;
use crate::{Database, shared_hosts};

/// Makes `#[test]` functions `sqlite::name` and `postgres::name` of functions `fn name(database: Database)`.
#[macro_export]
macro_rules! on_both_databases {
    (timed: $($rest:tt)*) => {
        mod timed {
            use super::*;
            $crate::on_both_databases![$($rest)*];
        }
    };
    (rules: $($rest:tt)*) => {
        mod rules {
            use super::*;
            $crate::on_both_databases![$($rest)*];
        }
    };
    ($($name:ident),* $(,)?) => {
        mod sqlite {
            $(#[test] fn $name() {
                $crate::on_both::run(concat!(module_path!(), "::", stringify!($name)), $crate::Database::Sqlite, super::$name)
            })*
        }
        mod postgres {
            $(#[test] fn $name() {
                $crate::on_both::run(concat!(module_path!(), "::", stringify!($name)), $crate::Database::Postgres, super::$name)
            })*
        }
    };
}

/// The same, once: of what is judged before a database is asked. On SQLite, where a host starts sooner.
#[macro_export]
macro_rules! on_one_database {
    (timed: $($rest:tt)*) => {
        mod timed {
            use super::*;
            $crate::on_one_database![$($rest)*];
        }
    };
    ($($name:ident),* $(,)?) => {
        mod once {
            $(#[test] fn $name() {
                $crate::on_both::run(concat!(module_path!(), "::", stringify!($name)), $crate::Database::Sqlite, super::$name)
            })*
        }
    };
}

/// Makes `#[test]` functions `alone::name` of functions `fn name()`, which choose their database themselves.
#[macro_export]
macro_rules! tests {
    (timed: $($rest:tt)*) => {
        mod timed {
            use super::*;
            $crate::tests![$($rest)*];
        }
    };
    ($($name:ident),* $(,)?) => {
        mod alone {
            $(#[test] fn $name() {
                $crate::on_both::run_alone(concat!(module_path!(), "::", stringify!($name)), super::$name)
            })*
        }
    };
}

/// Runs one test; if it fails, prints what the shared host of this database wrote meanwhile.
pub fn run(name: &'static str, database: Database, test: impl FnOnce(Database)) {
    let _running = Running::begin(without_crate(name), Some(database));
    let _watch = shared_hosts::watch_shared(database);
    test(database);
}

/// Runs one test that chooses its database itself.
pub fn run_alone(name: &'static str, test: impl FnOnce()) {
    let _running = Running::begin(without_crate(name), None);
    test();
}

/// As libtest names it.
fn without_crate(path: &'static str) -> &'static str {
    path.split_once("::").map_or(path, |(_, name)| name)
}
