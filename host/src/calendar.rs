//! A company's calendar: which day an instant falls on in its time zone, and when a day begins there.

use chrono::{DateTime, Days, NaiveDate, NaiveTime, TimeDelta, TimeZone as _, Utc};
use chrono_tz::Tz;

/// An instant (milliseconds since 1970) as the interface writes it.
pub fn time(ms: i64) -> String {
    DateTime::from_timestamp_millis(ms).unwrap_or_default().format("%Y-%m-%dT%H:%M:%S%.3fZ").to_string()
}

/// Returns whether the name is one of the IANA database's.
pub fn is_zone(name: &str) -> bool {
    name.parse::<Tz>().is_ok()
}

/// The calendar day of an instant (milliseconds since 1970) as `YYYY-MM-DD`.
pub fn day(instant: i64, zone: &str) -> String {
    DateTime::from_timestamp_millis(instant)
        .unwrap_or_default()
        .with_timezone(&parse_zone(zone))
        .format("%Y-%m-%d")
        .to_string()
}

/// The first instant of a day, in milliseconds since 1970. A day may begin after midnight, where clocks go forward.
pub fn begin(day: NaiveDate, zone: &str) -> i64 {
    let zone = parse_zone(zone);
    let midnight = day.and_time(NaiveTime::MIN);
    // A zone that changed sides of the date line skipped a whole day: nothing happened on it, the next one begins it.
    (0..=96)
        .filter_map(|quarters| midnight.checked_add_signed(TimeDelta::minutes(15 * quarters)))
        .find_map(|time| zone.from_local_datetime(&time).earliest())
        .map_or_else(|| midnight.and_utc().timestamp_millis(), |begin| begin.with_timezone(&Utc).timestamp_millis())
}

/// The first instant after a day.
pub fn end(day: NaiveDate, zone: &str) -> i64 {
    day.checked_add_days(Days::new(1)).map_or(i64::MAX, |next| begin(next, zone))
}

/// A zone that settings took once is still served by a build whose database lost its name.
fn parse_zone(zone: &str) -> Tz {
    zone.parse().unwrap_or(Tz::UTC)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> i64 {
        DateTime::parse_from_rfc3339(text).unwrap().timestamp_millis()
    }

    #[test]
    fn days_change_at_midnight_of_the_zone() {
        for (instant, zone, expected) in [
            ("2026-03-01T23:59:59.999Z", "UTC", "2026-03-01"),
            ("2026-03-02T00:00:00.000Z", "UTC", "2026-03-02"),
            ("2026-01-15T22:59:59.999Z", "Europe/Berlin", "2026-01-15"),
            ("2026-01-15T23:00:00.000Z", "Europe/Berlin", "2026-01-16"),
            ("2026-07-15T21:59:59.999Z", "Europe/Berlin", "2026-07-15"),
            ("2026-07-15T22:00:00.000Z", "Europe/Berlin", "2026-07-16"),
            ("2026-01-01T07:59:59.999Z", "America/Los_Angeles", "2025-12-31"),
            ("2026-01-01T08:00:00.000Z", "America/Los_Angeles", "2026-01-01"),
            ("2025-12-31T10:00:00.000Z", "Pacific/Kiritimati", "2026-01-01"),
            ("2026-01-01T00:00:00.000Z", "No/Such", "2026-01-01"),
        ] {
            assert_eq!(day(at(instant), zone), expected, "{instant} {zone}");
        }
    }

    #[test]
    fn a_day_runs_from_its_first_instant_to_the_next_one() {
        let date = |text: &str| text.parse::<NaiveDate>().unwrap();
        for (day, zone, first, after) in [
            ("2026-03-01", "UTC", "2026-03-01T00:00:00Z", "2026-03-02T00:00:00Z"),
            // 23 hours, and 25.
            ("2026-03-29", "Europe/Berlin", "2026-03-28T23:00:00Z", "2026-03-29T22:00:00Z"),
            ("2026-10-25", "Europe/Berlin", "2026-10-24T22:00:00Z", "2026-10-25T23:00:00Z"),
            // Midnight does not exist; and a day that was left out.
            ("2018-11-04", "America/Sao_Paulo", "2018-11-04T03:00:00Z", "2018-11-05T02:00:00Z"),
            ("2011-12-30", "Pacific/Apia", "2011-12-30T10:00:00Z", "2011-12-30T10:00:00Z"),
        ] {
            assert_eq!((begin(date(day), zone), end(date(day), zone)), (at(first), at(after)), "{day} {zone}");
        }
    }

    #[test]
    fn names_are_those_of_the_iana_database() {
        for name in ["UTC", "Europe/Berlin", "America/Argentina/Buenos_Aires", "Asia/Kolkata"] {
            assert!(is_zone(name), "{name}");
        }
        for name in ["", "Berlin", "europe/berlin", "+01:00", "Europe/Berlin ", "CEST"] {
            assert!(!is_zone(name), "{name}");
        }
    }
}
