//! Calendar days.

use std::fmt;
use std::str::FromStr;

use schemars::json_schema;

use crate::instant::{civil, days};

/// A day of the Gregorian calendar, year 0001 to 9999; its text is YYYY-MM-DD, whose order is that of the days.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Date {
    year: u16,
    month: u8,
    day: u8,
}

/// The pattern of the text; that the day exists is checked when it is read.
pub const PATTERN: &str =
    "^([0-9]{3}[1-9]|[0-9]{2}[1-9][0-9]|[0-9][1-9][0-9]{2}|[1-9][0-9]{3})-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])$";

parse_error! {
    /// The text names no day.
    pub struct NotADate: "a day as YYYY-MM-DD is expected"
}

impl fmt::Display for Date {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04}-{:02}-{:02}", self.year, self.month, self.day)
    }
}

impl FromStr for Date {
    type Err = NotADate;

    fn from_str(text: &str) -> Result<Date, NotADate> {
        parse(text.as_bytes()).ok_or(NotADate)
    }
}

fn parse(text: &[u8]) -> Option<Date> {
    let [y1, y2, y3, y4, b'-', m1, m2, b'-', d1, d2] = text else { return None };
    let number = |digits: &[u8]| {
        digits.iter().try_fold(0u16, |sum, digit| digit.is_ascii_digit().then(|| sum * 10 + u16::from(digit - b'0')))
    };
    let year = number(&[*y1, *y2, *y3, *y4])?;
    let month = u8::try_from(number(&[*m1, *m2])?).ok()?;
    let day = u8::try_from(number(&[*d1, *d2])?).ok()?;
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let days = match month {
        4 | 6 | 9 | 11 => 30,
        2 if leap => 29,
        2 => 28,
        1..=12 => 31,
        _ => return None,
    };
    (year > 0 && (1..=days).contains(&day)).then_some(Date { year, month, day })
}

impl Date {
    /// 1 to 9999.
    pub const fn year(self) -> u16 {
        self.year
    }

    /// 1 to 12.
    pub const fn month(self) -> u8 {
        self.month
    }

    /// Days since 1970-01-01; the difference of two days is the number of nights between them.
    pub fn days(self) -> i64 {
        days(i64::from(self.year), i64::from(self.month), i64::from(self.day))
    }

    /// The day that this many days follow 1970-01-01; None beyond the years 0001 to 9999.
    pub fn from_days(days: i64) -> Option<Date> {
        let (year, month, day) = civil(days);
        let year = u16::try_from(year).ok().filter(|year| (1..=9999).contains(year))?;
        Some(Date { year, month: u8::try_from(month).ok()?, day: u8::try_from(day).ok()? })
    }
}

json_text!([] Date);

inline_schema!([] Date, |_| json_schema!({ "type": "string", "format": "date", "pattern": PATTERN }));

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_that_exist() {
        for text in ["2026-01-31", "2024-02-29", "2000-02-29", "0001-01-01", "9999-12-31"] {
            assert_eq!(text.parse::<Date>().unwrap().to_string(), text);
        }
        for text in
            ["", "2026-02-29", "1900-02-29", "2026-04-31", "2026-13-01", "2026-00-10", "2026-1-01", "0000-01-01"]
        {
            assert_eq!(text.parse::<Date>(), Err(NotADate), "{text}");
        }
        let (last, first): (Date, Date) = ("2025-12-31".parse().unwrap(), "2026-01-01".parse().unwrap());
        assert_eq!((last.days() + 1, Date::from_days(last.days() + 1)), (first.days(), Some(first)));
        assert_eq!((Date::from_days(-800_000), Date::from_days(3_000_000)), (None, None));
        assert!("2025-12-31".parse::<Date>().unwrap() < "2026-01-01".parse().unwrap());
    }
}
