//! Refusals that several parts of the module answer alike.

use stoa_sdk::{Item, Problem, item};

/// 409: the record named at the pointer exists and cannot be used; `why`: ARCHIVED or OTHER_ENTITY.
pub fn unusable(pointer: &str, why: &str) -> Problem {
    Problem { code: "REFERENCE_INVALID".to_owned(), errors: vec![item(pointer, why)] }
}

/// 409: the unit is not in a state that allows it.
pub fn unit_unavailable(pointer: Option<&str>) -> Problem {
    match pointer {
        Some(pointer) => Problem::at("UNIT_UNAVAILABLE", pointer),
        None => Problem::of("UNIT_UNAVAILABLE"),
    }
}

/// 409: a line needs this many units and names that many.
pub fn unit_count_mismatch(pointer: &str, required: usize, identified: usize) -> Problem {
    let count = |count: usize| Some(u32::try_from(count).unwrap_or(u32::MAX).min(1_000));
    let error = Item {
        pointer: pointer.to_owned(),
        code: "UNIT_COUNT_MISMATCH".to_owned(),
        required: count(required),
        identified: count(identified),
    };
    Problem { code: "UNIT_COUNT_MISMATCH".to_owned(), errors: vec![error] }
}
