//! The version of a document, as callers state it, and the bodies of transitions that say little else.

use schemars::{JsonSchema, json_schema};
use serde::Deserialize;
use stoa_sdk::{Problem, Text};

/// The last version that can be stated. It is the last that the store writes, too.
pub const LAST: i64 = stoa_sdk::descriptor::LAST_VERSION;

/// The version that the caller believes to be current.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(transparent)]
pub struct ExpectedVersion(pub i64);

impl ExpectedVersion {
    /// Compares it with the row as it is locked. That the last version takes no change is the store's to say, of every
    /// change of every row.
    ///
    /// # Errors
    /// VERSION_CONFLICT.
    pub fn check(self, current: i64) -> Result<(), Problem> {
        if self.0 == current { Ok(()) } else { Err(Problem::new("VERSION_CONFLICT")) }
    }

    /// As [`check`](Self::check), where a body states several versions: the refusal points at the one that is stale.
    ///
    /// # Errors
    /// VERSION_CONFLICT at the pointer.
    pub fn check_at(self, current: i64, pointer: &str) -> Result<(), Problem> {
        self.check(current).map_err(|_| Problem::at("VERSION_CONFLICT", pointer))
    }
}

stoa_sdk::inline_schema!([] ExpectedVersion, |_| json_schema!({ "type": "integer", "minimum": 1, "maximum": LAST }));

/// Body of a transition that needs the expected version only.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Transition {
    #[allow(missing_docs, reason = "a comment would be the contract's")]
    pub expected_version: ExpectedVersion,
}

/// Body of a transition that needs a reason, such as a cancellation or rejection.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ReasonedTransition {
    /// The `version` of the record that you read.
    pub expected_version: ExpectedVersion,
    /// Reason, for the audit log.
    pub reason: Text<1, 1000>,
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::judge::admits;

    #[test]
    fn another_version_than_the_expected_is_a_conflict() {
        for (current, refusal) in [(3, None), (4, Some("VERSION_CONFLICT")), (2, Some("VERSION_CONFLICT"))] {
            let code = ExpectedVersion(3).check(current).err().map(|problem| problem.code);
            assert_eq!(code.as_deref(), refusal, "{current}");
        }
    }

    #[test]
    fn versions_that_cannot_be_are_faults_of_the_body() {
        // [E264]
        for (version, is_one) in [(json!(1), true), (json!(LAST), true), (json!(0), false), (json!("1"), false)] {
            assert_eq!(admits::<Transition>(&json!({ "expectedVersion": version })), is_one, "{version}");
        }
        assert!(!admits::<Transition>(&json!({ "expectedVersion": LAST + 1 })));
        assert!(!admits::<Transition>(&json!({ "expectedVersion": 1, "reason": "x" })));
        assert!(!admits::<ReasonedTransition>(&json!({ "expectedVersion": 1, "reason": "" })));
        assert!(admits::<ReasonedTransition>(&json!({ "expectedVersion": 1, "reason": "x" })));
    }
}
