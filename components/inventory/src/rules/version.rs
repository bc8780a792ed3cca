//! The version of a document or unit, as callers state it.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;
use stoa_sdk::Problem;

/// The last version that can be stated, and so the last that is written.
pub const LAST: i64 = 2_147_483_646;

/// The version that the caller believes to be current.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(transparent)]
pub struct ExpectedVersion(pub i64);

impl ExpectedVersion {
    /// Compares it with the row as it stands locked.
    ///
    /// # Errors
    /// VERSION_CONFLICT.
    pub fn check(self, current: i64) -> Result<(), Problem> {
        if self.0 == current { writable(current) } else { Err(Problem::of("VERSION_CONFLICT")) }
    }
}

/// Whether a record of this version takes one more change.
///
/// # Errors
/// LIMIT_EXCEEDED.
pub fn writable(current: i64) -> Result<(), Problem> {
    if current < LAST { Ok(()) } else { Err(Problem::limit_exceeded()) }
}

impl JsonSchema for ExpectedVersion {
    fn schema_name() -> Cow<'static, str> {
        "ExpectedVersion".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "integer", "minimum": 1, "maximum": LAST })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_version_takes_no_change() {
        assert!(ExpectedVersion(3).check(3).is_ok());
        assert_eq!(ExpectedVersion(3).check(4).unwrap_err().code, "VERSION_CONFLICT");
        assert_eq!(ExpectedVersion(LAST).check(LAST).unwrap_err().code, "LIMIT_EXCEEDED");
        assert_eq!(ExpectedVersion(1).check(LAST).unwrap_err().code, "VERSION_CONFLICT");
    }
}
