//! The statements that the real service sends to its database, recorded while it answers, so that the limits it is held
//! against run the very same statements: nothing here can fall behind a change of the host, the store or a module.

mod pattern;
pub mod pgbench;
pub mod sqlite;

pub use pattern::{Part, Pattern, Shape, short};
pub use stoa_postgres_proxy::{Exchange, Proxy, Statement, Value};
