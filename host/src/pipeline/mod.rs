//! The life of a request, from "who may call" to the answer. Nothing else begins work on the database for a caller.
//!
//! ```text
//! draft:  a large write on SQLite, while other companies write, on a snapshot              before the transaction
//! open:   BEGIN, membership and permissions on live rows, `now`, the idempotency claim     one statement
//! reported:   a fault of the request that was found before is answered here
//! run:    the module (or the platform's own operation), inside the transaction
//! finish: audit row with its subjects, outbox rows, stored response                        one statement
//! COMMIT, then the answer
//! ```

pub mod company_clock;
mod draft;
pub mod facts;
pub mod finish;
pub mod opening;
pub mod outcome;
pub mod replay;
pub mod request;
pub mod run;
pub mod runner;
mod transact;
mod trial;
pub mod user_agent;
pub mod words;

use crate::database::Prepare;
use crate::store;

pub use request::{Answer, Input, Key, Request};
pub use run::{heavy_kind, run};
pub use runner::{Host, OpenedCall, Runner};

/// The preparation of every connection before its first request.
pub fn prepare() -> Prepare {
    Prepare { postgres: opening::postgres_prepared(), sqlite: store::register_sqlite }
}
