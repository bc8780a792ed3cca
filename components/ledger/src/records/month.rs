//! Calendar months, as columns hold them.

use std::fmt;

use stoa_sdk::descriptor::ColumnType;
use stoa_sdk::store::Value;
use stoa_sdk::{Date, Field};

/// A month of the calendar; its text is YYYY-MM, whose order is that of the months.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Month {
    year: u16,
    month: u8,
}

/// What the text must look like.
pub const MONTH_PATTERN: &str = "^([0-9]{3}[1-9]|[0-9]{2}[1-9][0-9]|[0-9][1-9][0-9]{2}|[1-9][0-9]{3})-(0[1-9]|1[0-2])$";

impl Month {
    pub fn of(day: Date) -> Month {
        Month { year: day.year(), month: day.month() }
    }

    /// None where it is no month.
    pub fn read(text: &str) -> Option<Month> {
        format!("{text}-01").parse().ok().map(Month::of)
    }

    pub fn next(self) -> Month {
        match self.month {
            12 => Month { year: self.year + 1, month: 1 },
            month => Month { month: month + 1, ..self },
        }
    }

    pub fn first_day(self) -> Option<Date> {
        format!("{self}-01").parse().ok()
    }

    /// None only beyond the calendar.
    pub fn last_day(self) -> Option<Date> {
        match self.next().first_day() {
            Some(next) => Date::from_days(next.days() - 1),
            None => format!("{self}-31").parse().ok(),
        }
    }
}

impl fmt::Display for Month {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04}-{:02}", self.year, self.month)
    }
}

impl Field for Month {
    type Plain = Self;
    const TYPE: ColumnType = ColumnType::Text;

    fn put(&self) -> Value {
        Value::Text(self.to_string())
    }

    fn take(value: Value) -> Option<Self> {
        match value {
            Value::Text(text) => Month::read(&text),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn months_follow_each_other() {
        let december = Month::read("2025-12").unwrap();
        assert_eq!(december.next().to_string(), "2026-01");
        assert_eq!(december.last_day().unwrap().to_string(), "2025-12-31");
        assert_eq!(Month::read("2024-02").unwrap().last_day().unwrap().to_string(), "2024-02-29");
        assert_eq!(Month::read("9999-12").unwrap().last_day().unwrap().to_string(), "9999-12-31");
        for wrong in ["", "2026", "2026-13", "2026-00", "2026-1", "2026-01-01", "0000-01"] {
            assert_eq!(Month::read(wrong), None, "{wrong}");
        }
    }
}
