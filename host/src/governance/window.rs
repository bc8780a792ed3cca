//! Windows of time that limits count in: the minute and the calendar month, UTC, by the database's clock.

use chrono::{DateTime, Datelike as _, Months, NaiveTime};

const MINUTE_MS: i64 = 60_000;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Span {
    Minute,
    Month,
}

impl Span {
    /// As the table of permits spells it.
    pub fn name(self) -> &'static str {
        match self {
            Span::Minute => "MINUTE",
            Span::Month => "MONTH",
        }
    }

    /// Where the window around an instant begins. Milliseconds since 1970.
    pub fn start(self, now: i64) -> i64 {
        match self {
            Span::Minute => now - now.rem_euclid(MINUTE_MS),
            Span::Month => month(now, 0),
        }
    }

    /// Where the window around an instant ends: the beginning of the next.
    pub fn end(self, now: i64) -> i64 {
        match self {
            Span::Minute => self.start(now) + MINUTE_MS,
            Span::Month => month(now, 1),
        }
    }
}

/// The first instant of the month `ahead` months after the one around `now`.
fn month(now: i64, ahead: u32) -> i64 {
    let day = DateTime::from_timestamp_millis(now).unwrap_or_default().date_naive();
    let first = day.with_day(1).unwrap_or(day);
    let first = first.checked_add_months(Months::new(ahead)).unwrap_or(first);
    first.and_time(NaiveTime::MIN).and_utc().timestamp_millis()
}

/// Whole seconds from one instant to another, at least 1: what `Retry-After` takes.
pub fn seconds_until(now: i64, end: i64) -> u32 {
    u32::try_from((end - now + 999) / 1000).unwrap_or(1).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> i64 {
        DateTime::parse_from_rfc3339(text).expect("a time").timestamp_millis()
    }

    #[test]
    fn windows_follow_the_calendar() {
        let cases = [
            (Span::Minute, "2026-03-31T23:59:59.999Z", "2026-03-31T23:59:00Z", "2026-04-01T00:00:00Z"),
            (Span::Minute, "2026-03-31T23:59:00Z", "2026-03-31T23:59:00Z", "2026-04-01T00:00:00Z"),
            (Span::Month, "2026-12-31T23:59:59.999Z", "2026-12-01T00:00:00Z", "2027-01-01T00:00:00Z"),
            (Span::Month, "2028-02-29T12:00:00Z", "2028-02-01T00:00:00Z", "2028-03-01T00:00:00Z"),
        ];
        for (span, now, start, end) in cases {
            assert_eq!((span.start(at(now)), span.end(at(now))), (at(start), at(end)), "{span:?} {now}");
        }
    }

    #[test]
    fn a_wait_is_never_nothing() {
        assert_eq!(seconds_until(0, 1), 1);
        assert_eq!(seconds_until(0, 1000), 1);
        assert_eq!(seconds_until(0, 1001), 2);
        assert_eq!(seconds_until(5, 0), 1);
    }
}
