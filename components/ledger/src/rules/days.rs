//! Ranges of days, and the day of an id.

use stoa_sdk::{Date, Id, today};

/// The day on which an id of version 7 was made, read from the id; the last of the calendar for a later one.
pub fn day_of_id(id: Id) -> Date {
    const MILLIS: u64 = 86_400_000;
    /// 9999-12-31.
    const LAST: i64 = 2_932_896;
    let days = i64::try_from((id.0 >> 16) / MILLIS).unwrap_or(LAST);
    Date::from_days(days.min(LAST)).unwrap_or_else(today)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_stand_at_the_day_on_which_they_were_made() {
        for (id, expected) in [
            (Id(0, 0), "1970-01-01"),
            (Id(1_767_225_600_000 << 16, 7), "2026-01-01"),
            (Id((1_767_225_600_000 - 1) << 16 | 0x7fff, u64::MAX), "2025-12-31"),
            (Id(u64::MAX, u64::MAX), "9999-12-31"),
        ] {
            assert_eq!(day_of_id(id).to_string(), expected);
        }
    }
}
