//! The published contract at work: reading what a caller sent, judging it by the operation's schema, and publishing that same
//! schema as OpenAPI. Pure functions: nothing here reads a socket, a file or a clock.
//!
//! Compiled once a generation: [`Schema`] (a body), [`Parameters`] (path and query). Per request: `parameters.path`,
//! `parameters.query`, `idempotency_key::demand`, `schema.read`, `fingerprint::compute`. Every refusal is a
//! [`crate::problem::Problem`] whose items name places and kinds, never what the caller typed.

pub mod bounds;
pub mod canonical;
pub mod csv;
mod expected;
pub mod explain;
pub mod fingerprint;
pub mod format;
pub mod growth;
pub mod idempotency_key;
pub mod json;
pub mod location;
pub mod normalize;
pub mod openapi;
pub mod parameters;
pub mod pointer;
pub mod refs;
pub mod schema;
pub mod tree;
pub mod weight;

pub use self::csv::Csv;
pub use idempotency_key::IdempotencyKey;
pub use parameters::Parameters;
pub use schema::{Judged, Schema};
