//! Refusals that every module writes: faults gathered and answered at once, and the reasons next to a state or a reference.

use stoa_sdk::store::Failure;
use stoa_sdk::{Bounds, Item, Problem, item};

/// Items of a refusal at most.
const MOST_ITEMS: usize = 200;

/// Refuses with every fault that was found, or goes on where there is none.
///
/// # Errors
/// This code with the faults, the first 200 of them.
pub fn refuse(code: &str, mut faults: Vec<Item>) -> Result<(), Problem> {
    if faults.is_empty() {
        return Ok(());
    }
    faults.truncate(MOST_ITEMS);
    Err(Problem { code: code.to_owned(), errors: faults })
}

/// Refuses a body with the faults that its schema cannot express, or goes on where there is none.
///
/// # Errors
/// VALIDATION_FAILED.
pub fn refuse_invalid(faults: Vec<Item>) -> Result<(), Problem> {
    refuse("VALIDATION_FAILED", faults)
}

/// Refuses a replacement that states another value at the pointer than the record has.
///
/// # Errors
/// IMMUTABLE_FIELD.
pub fn require_unchanged<T: PartialEq>(before: &T, stated: &T, pointer: &str) -> Result<(), Problem> {
    if before == stated { Ok(()) } else { Err(Problem::immutable(vec![pointer.to_owned()])) }
}

/// A fault with this code at each of these pointers of which it is true.
pub fn list_faults<'a>(code: &str, places: impl IntoIterator<Item = (&'a str, bool)>) -> Vec<Item> {
    places.into_iter().filter(|(_, is_wrong)| *is_wrong).map(|(pointer, _)| item(pointer, code)).collect()
}

/// The caller's problem for a clash with a unique key: DUPLICATE at the pointer, for `run(insert([&row])).map_err(..)`.
pub fn or_duplicate(pointer: &str) -> impl FnOnce(Failure) -> Problem {
    move |failure| match failure {
        Failure::Duplicate(_) => Problem::duplicate(pointer),
        other => other.into(),
    }
}

/// 400 with one fault.
pub fn invalid(pointer: impl Into<String>, code: &str) -> Problem {
    Problem::invalid(vec![item(pointer, code)])
}

/// 400: the value at the pointer is not within these bounds.
pub fn out_of_range(pointer: impl Into<String>, bounds: Bounds) -> Problem {
    Problem::invalid(vec![item(pointer, "RANGE").with_bounds(bounds)])
}

/// 409: the state does not allow the value at the pointer; the item's code says why.
pub fn illegal(pointer: impl Into<String>, code: &str) -> Problem {
    Problem { code: "ILLEGAL_STATE".to_owned(), errors: vec![item(pointer, code)] }
}

/// 409: the record named at the pointer exists and cannot be used; `why` is ARCHIVED, OTHER_ENTITY or a word of the module.
pub fn unusable(pointer: impl Into<String>, why: &str) -> Problem {
    Problem { code: "REFERENCE_INVALID".to_owned(), errors: vec![item(pointer, why)] }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_fault_is_no_refusal_and_many_are_cut() {
        assert!(refuse_invalid(Vec::new()).is_ok());
        let faults: Vec<Item> = (0..300).map(|nth| item(format!("/items/{nth}"), "NOT_FOUND")).collect();
        let problem = refuse("NOT_FOUND", faults).unwrap_err();
        assert_eq!((problem.code.as_str(), problem.errors.len()), ("NOT_FOUND", 200));
        assert_eq!(problem.errors[199].pointer, "/items/199");
    }

    #[test]
    fn a_clash_is_a_duplicate_and_what_else_fails_is_not() {
        let code = |failure| {
            let problem = or_duplicate("/code")(failure);
            (problem.code, problem.errors.into_iter().map(|error| error.pointer).collect::<Vec<_>>())
        };
        assert_eq!(code(Failure::Duplicate(Vec::new())), ("DUPLICATE".to_owned(), vec!["/code".to_owned()]));
        assert_eq!(code(Failure::Limit("rows".to_owned())), ("LIMIT_EXCEEDED".to_owned(), Vec::new()));
    }
}
