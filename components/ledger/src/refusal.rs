//! Refusals that several operations share.

use stoa_sdk::{Item, Problem, item};

/// A request body that says nothing: archiving.
#[derive(serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EmptyBody {}

/// 409: the state does not allow it; each item says what stands in the way.
pub fn illegal_state(errors: Vec<Item>) -> Problem {
    Problem { code: "ILLEGAL_STATE".to_owned(), errors }
}

/// 409 with one reason.
pub fn illegal(pointer: impl Into<String>, code: &str) -> Problem {
    illegal_state(vec![item(pointer, code)])
}

/// 400 with one fault.
pub fn invalid(pointer: impl Into<String>, code: &str) -> Problem {
    Problem::invalid(vec![item(pointer, code)])
}

/// Refuses where a stated member that cannot change differs; pairs of pointer and whether it does.
///
/// # Errors
/// IMMUTABLE_FIELD with every such member.
pub fn fixed(members: &[(&str, bool)]) -> Result<(), Problem> {
    let differing: Vec<String> =
        members.iter().filter(|(_, differs)| *differs).map(|(pointer, _)| (*pointer).to_owned()).collect();
    if differing.is_empty() { Ok(()) } else { Err(Problem::immutable(differing)) }
}

/// Whether a member that may be left out is stated with another value.
pub fn differs<T: PartialEq>(stated: Option<&T>, stored: &T) -> bool {
    stated.is_some_and(|stated| stated != stored)
}

/// Refuses a stale version.
///
/// # Errors
/// VERSION_CONFLICT.
pub fn expect_version(stated: i64, current: i64) -> Result<(), Problem> {
    if stated == current { Ok(()) } else { Err(Problem::of("VERSION_CONFLICT")) }
}

/// The names of the members that changed.
pub fn changed<const COUNT: usize>(members: [(&'static str, bool); COUNT]) -> Vec<&'static str> {
    members.into_iter().filter(|(_, differs)| *differs).map(|(name, _)| name).collect()
}
