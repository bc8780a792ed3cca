//! Days, months and periods as documents use them.

mod month;
mod period;

pub use month::Month;
pub use period::{Period, in_effect};

use stoa_sdk::{Bounds, Date, Problem};

use crate::refusal::{invalid, out_of_range};

/// The day after; none after the last day of the calendar.
pub fn day_after(day: Date) -> Option<Date> {
    Date::from_days(day.days() + 1)
}

/// The day this many days later, such as the day an invoice is due; none beyond the calendar.
pub fn days_after(day: Date, count: i64) -> Option<Date> {
    Date::from_days(day.days().checked_add(count)?)
}

/// Refuses a range whose last day lies before its first.
///
/// # Errors
/// VALIDATION_FAILED with RANGE at `/query/to`.
pub fn check_range(from: Option<Date>, to: Option<Date>) -> Result<(), Problem> {
    match (from, to) {
        (Some(from), Some(to)) if from > to => Err(out_of_range("/query/to", Bounds::minimum(from))),
        _ => Ok(()),
    }
}

/// The day on which a document takes effect: the stated one, which is at most tomorrow (somewhere it is tomorrow already), else
/// today.
///
/// # Errors
/// VALIDATION_FAILED with DATE_IN_FUTURE at the pointer.
pub fn effective_day(stated: Option<Date>, today: Date, pointer: &str) -> Result<Date, Problem> {
    match stated {
        Some(day) if day.days() > today.days() + 1 => Err(invalid(pointer, "DATE_IN_FUTURE")),
        Some(day) => Ok(day),
        None => Ok(today),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn day(text: &str) -> Date {
        text.parse().unwrap()
    }

    #[test]
    fn days_follow_each_other_to_the_end_of_the_calendar() {
        assert_eq!(day_after(day("2024-02-28")), Some(day("2024-02-29")));
        assert_eq!(day_after(day("9999-12-31")), None);
        assert_eq!(days_after(day("2026-01-31"), 30), Some(day("2026-03-02")));
        assert_eq!(days_after(day("2026-01-31"), i64::MAX), None);
    }

    #[test]
    fn a_range_ends_on_its_first_day_or_later() {
        let (first, last) = (day("2026-01-31"), day("2026-02-01"));
        for (from, to) in [(None, None), (Some(first), None), (Some(first), Some(first)), (Some(first), Some(last))] {
            assert!(check_range(from, to).is_ok(), "{from:?} {to:?}");
        }
        let refused = check_range(Some(last), Some(first)).unwrap_err();
        assert_eq!(refused, out_of_range("/query/to", Bounds::minimum(last)));
        assert_eq!(Bounds::after(last).minimum, Some(day("2026-02-02").into()));
    }

    #[test]
    fn a_document_takes_effect_at_most_tomorrow() {
        let today = day("2026-01-31");
        for (stated, expected) in [
            (None, Some("2026-01-31")),
            (Some("1999-01-01"), Some("1999-01-01")),
            (Some("2026-02-01"), Some("2026-02-01")),
            (Some("2026-02-02"), None),
        ] {
            let effective = effective_day(stated.map(day), today, "/paidOn");
            assert_eq!(effective.as_ref().ok().copied(), expected.map(day), "{stated:?}");
            if let Err(problem) = effective {
                assert_eq!(
                    (problem.errors[0].pointer.as_str(), problem.errors[0].code.as_str()),
                    ("/paidOn", "DATE_IN_FUTURE")
                );
            }
        }
    }
}
