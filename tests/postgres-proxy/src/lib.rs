//! A proxy between a host and PostgreSQL, for suite and benchmark: what is said, in how many round trips, and how many a
//! request may take.

mod bounds;
mod proxy;
mod wire;

use serde::{Deserialize, Serialize};
use uuid::Uuid;

pub use bounds::{BOUNDS, Bound, find_bound};
pub use proxy::{Proxy, RoundTrips};

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
    /// A value as PostgreSQL writes it, and the name of its type.
    Written(String, String),
    /// SQL text of a value that no reader has to understand.
    Raw(String),
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Statement {
    /// With `$1` or `?1` for the values.
    pub sql: String,
    pub values: Vec<Value>,
}

/// A statement as it was prepared.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Shape {
    pub sql: String,
    /// Types of its parameters, as PostgreSQL names them.
    pub types: Vec<String>,
}

/// Statements that travel to the database in one message and are waited for. On SQLite: one statement.
pub type Exchange = Vec<Statement>;
