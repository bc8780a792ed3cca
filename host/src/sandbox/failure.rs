//! The failure of a module.

use std::fmt;
use std::time::Duration;

use crate::database;

/// Why a module gave no answer.
#[derive(Debug, Clone)]
pub enum Failure {
    /// The database ended the request: run it again or answer 503.
    Database(database::Error),
    /// A time is used up, and which: 503.
    Deadline(String),
    /// A limit was passed, and which: 500.
    Limit(String),
    /// A trap, or an answer that breaks the contract: 500. For the log.
    Fault(String),
    /// No instance could be had: 503.
    Exhausted,
    /// The caller lacks what a service needs, PERMISSION_DENIED or SCOPE_DENIED: no failure of a module.
    Denied(&'static str),
}

impl Failure {
    /// The time of this name is used up.
    pub fn from_time(name: &str, most: Duration) -> Failure {
        Failure::Deadline(format!("{name}: {} ms", most.as_millis()))
    }

    /// The limit of this name is passed.
    pub fn from_limit(name: &str, most: impl fmt::Display) -> Failure {
        Failure::Limit(format!("{name}: {most}"))
    }

    /// The limit of this name is passed, which counts bytes.
    pub fn from_size(name: &str, most: usize) -> Failure {
        Failure::from_limit(name, show_bytes(most))
    }

    /// The failure with the operation that it happened in, for those who read it.
    pub fn in_operation(self, operation: &str) -> Failure {
        let place = |what: String| format!("{what}, in {operation}");
        match self {
            Failure::Deadline(what) => Failure::Deadline(place(what)),
            Failure::Limit(what) => Failure::Limit(place(what)),
            Failure::Fault(what) => Failure::Fault(place(what)),
            Failure::Database(_) | Failure::Exhausted | Failure::Denied(_) => self,
        }
    }

    /// The kind of a failure that is a module's own, as its journal names it. The database's troubles and an exhausted
    /// pool are not.
    pub fn kind(&self) -> Option<&'static str> {
        match self {
            Failure::Deadline(_) => Some("time"),
            Failure::Limit(_) => Some("limit"),
            Failure::Fault(_) => Some("fault"),
            Failure::Database(_) | Failure::Exhausted | Failure::Denied(_) => None,
        }
    }

    /// The code of the problem that a caller gets for it.
    pub fn code(&self) -> &'static str {
        match self {
            Failure::Deadline(_) | Failure::Exhausted => "MODULE_UNAVAILABLE",
            _ => "MODULE_FAILED",
        }
    }
}

/// For logs and operators.
impl fmt::Display for Failure {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Database(error) => write!(out, "{error}"),
            Failure::Deadline(what) => write!(out, "a time is used up: {what}"),
            Failure::Limit(what) => write!(out, "a limit is passed: {what}"),
            Failure::Fault(what) => out.write_str(what),
            Failure::Exhausted => out.write_str("no instance was free"),
            Failure::Denied(code) => out.write_str(code),
        }
    }
}

fn show_bytes(bytes: usize) -> String {
    match bytes {
        _ if bytes.is_multiple_of(1 << 20) => format!("{} MiB", bytes >> 20),
        _ if bytes.is_multiple_of(1 << 10) => format!("{} KiB", bytes >> 10),
        _ => format!("{bytes} bytes"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_names_its_limit_its_number_and_its_operation() {
        for (failure, text) in [
            (
                Failure::from_time("guest time", Duration::from_millis(500)),
                "a time is used up: guest time: 500 ms, in sell",
            ),
            (Failure::from_size("memory", 64 << 20), "a limit is passed: memory: 64 MiB, in sell"),
            (Failure::from_size("answer", 1536), "a limit is passed: answer: 1536 bytes, in sell"),
            (Failure::from_limit("ids of one call", 2_000), "a limit is passed: ids of one call: 2000, in sell"),
            (Failure::Fault("it lies".into()), "it lies, in sell"),
            (Failure::Exhausted, "no instance was free"),
        ] {
            assert_eq!(failure.in_operation("sell").to_string(), text);
        }
    }
}
