//! Days: the company's today, and the days on which entries may be dated.

use stoa_sdk::host::fault;
use stoa_sdk::{Date, Problem, facts};

use crate::rules::refusal::invalid;

/// The tenant's calendar day at the instant of the request.
pub fn today() -> Date {
    let today = facts().today;
    today.parse().unwrap_or_else(|_| fault("the host's calendar day is none"))
}

/// The day after; none after the last day of the calendar.
pub fn day_after(day: Date) -> Option<Date> {
    Date::from_days(day.days() + 1)
}

/// The day an entry is dated: the stated one, which is at most tomorrow, else today.
///
/// # Errors
/// DATE_IN_FUTURE at the pointer.
pub fn entry_day(stated: Option<Date>, pointer: &str) -> Result<Date, Problem> {
    let today = today();
    match stated {
        Some(day) if day.days() > today.days() + 1 => Err(invalid(pointer, "DATE_IN_FUTURE")),
        Some(day) => Ok(day),
        None => Ok(today),
    }
}

/// A day that a caller of a service states.
pub fn read_day(text: &str) -> Date {
    text.parse().unwrap_or_else(|_| fault("a caller's date is none"))
}

/// Refuses a range whose last day lies before its first.
///
/// # Errors
/// VALIDATION_FAILED at `/query/to`.
pub fn check_range(from: Option<Date>, to: Option<Date>) -> Result<(), Problem> {
    match (from, to) {
        (Some(from), Some(to)) if from > to => Err(invalid("/query/to", "RANGE")),
        _ => Ok(()),
    }
}
