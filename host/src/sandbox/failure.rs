//! The failure of a module.

use std::fmt;

use crate::database;

/// Why a module gave no answer.
#[derive(Debug, Clone)]
pub enum Failure {
    /// The database ended the request: run it again or answer 503.
    Database(database::Error),
    /// Guest time is used up: 503.
    Deadline,
    /// A limit was passed: 500.
    Limit(String),
    /// A trap, or an answer that breaks the contract: 500. For the log.
    Fault(String),
    /// No instance could be had: 503.
    Exhausted,
    /// The caller lacks what a service needs, PERMISSION_DENIED or SCOPE_DENIED: no failure of a module.
    Denied(&'static str),
}

impl Failure {
    /// The code of the problem that a caller gets for it.
    pub fn code(&self) -> &'static str {
        match self {
            Failure::Deadline | Failure::Exhausted => "MODULE_UNAVAILABLE",
            _ => "MODULE_FAILED",
        }
    }
}

/// For logs and operators.
impl fmt::Display for Failure {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{self:?}")
    }
}
