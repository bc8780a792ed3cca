//! What the real service says to its database, taken down while it answers, so that the limits it is held against run the very
//! same statements: nothing here can fall behind a change of the host, the store or a module.

mod pattern;
pub mod pgbench;
pub mod proxy;
pub mod sqlite;
mod wire;

use serde::{Deserialize, Serialize};
use uuid::Uuid;

pub use pattern::{Part, Pattern, Shape};

/// A value as it was bound.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Value {
    /// With the name of its type, on PostgreSQL.
    Null(String),
    Id(Uuid),
    Text(String),
    Boolean(bool),
    Integer(i64),
    /// Microseconds since 1970.
    Instant(i64),
    Bytes(Vec<u8>),
    /// With the name of the elements' type, on PostgreSQL.
    List(String, Vec<Value>),
    /// SQL text of a value that nobody has to understand.
    Raw(String),
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Statement {
    /// With `$1` or `?1` for the values.
    pub sql: String,
    pub values: Vec<Value>,
}

/// What travels to the database in one message and is waited for. On SQLite: one statement.
pub type Exchange = Vec<Statement>;
