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

/// Refuses with an item of the refusal's own code at each pointer, if there is any.
///
/// # Errors
/// The code.
pub fn refuse_at(code: &str, pointers: Vec<String>) -> Result<(), Problem> {
    if pointers.is_empty() {
        return Ok(());
    }
    let errors = pointers.into_iter().map(|pointer| item(pointer, code)).collect();
    Err(Problem { code: code.to_owned(), errors })
}

/// Refuses what was asked of the record in the path while any of these holds; pairs of a reason's code and whether it does.
///
/// # Errors
/// ILLEGAL_STATE with every reason.
pub fn refuse_while(reasons: &[(&str, bool)]) -> Result<(), Problem> {
    let in_the_way: Vec<Item> =
        reasons.iter().filter(|(_, holds)| *holds).map(|(code, _)| item("/path/id", code)).collect();
    if in_the_way.is_empty() { Ok(()) } else { Err(illegal_state(in_the_way)) }
}

/// Refuses where a stated member that cannot change differs; pairs of pointer and whether it does.
///
/// # Errors
/// IMMUTABLE_FIELD with every such member.
pub fn check_fixed(members: &[(&str, bool)]) -> Result<(), Problem> {
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
pub fn list_changed<const COUNT: usize>(members: [(&'static str, bool); COUNT]) -> Vec<&'static str> {
    members.into_iter().filter(|(_, differs)| *differs).map(|(name, _)| name).collect()
}
