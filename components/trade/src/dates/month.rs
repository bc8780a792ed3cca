//! Calendar months: what journals are closed by and reports are grouped by.

use std::fmt;
use std::str::FromStr;

use schemars::json_schema;
use stoa_sdk::descriptor::ColumnType;
use stoa_sdk::store::Value;
use stoa_sdk::{Column, Date, Field, Filter, all};

/// A month of the calendar; its text is YYYY-MM, whose order is that of the months.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Month {
    year: u16,
    month: u8,
}

/// The pattern of the text.
pub const PATTERN: &str = "^([0-9]{3}[1-9]|[0-9]{2}[1-9][0-9]|[0-9][1-9][0-9]{2}|[1-9][0-9]{3})-(0[1-9]|1[0-2])$";

impl Month {
    /// The month in which the day is.
    pub fn from_day(day: Date) -> Month {
        Month { year: day.year(), month: day.month() }
    }

    /// None where it is not a month.
    pub fn read(text: &str) -> Option<Month> {
        format!("{text}-01").parse().ok().map(Month::from_day)
    }

    /// The month after; beyond the calendar it has no days.
    pub fn next(self) -> Month {
        match self.month {
            12 => Month { year: self.year + 1, month: 1 },
            month => Month { month: month + 1, ..self },
        }
    }

    /// Filters by a column's day: those within the month.
    pub fn days_of(self, column: Column<Date>) -> Filter {
        let first = self.first_day().map(|day| column.ge(day));
        all(first.into_iter().chain(self.last_day().map(|day| column.le(day))))
    }

    /// None only beyond the calendar.
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

impl FromStr for Month {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Month, &'static str> {
        Month::read(text).ok_or("a month as YYYY-MM is expected")
    }
}

stoa_sdk::json_text!([] Month);

stoa_sdk::inline_schema!([] Month, |_| json_schema!({ "type": "string", "pattern": PATTERN }));

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::judge::admits;

    #[test]
    fn months_follow_each_other() {
        for (month, next, last) in [
            ("2025-12", "2026-01", "2025-12-31"),
            ("2024-02", "2024-03", "2024-02-29"),
            ("9999-12", "10000-01", "9999-12-31"),
            ("0001-01", "0001-02", "0001-01-31"),
        ] {
            let read = Month::read(month).unwrap();
            assert_eq!(read.next().to_string(), next);
            assert_eq!(read.last_day().unwrap().to_string(), last);
            assert_eq!(Month::take(read.put()), Some(read));
            assert!(admits::<Month>(&json!(read)), "{month}");
        }
        for wrong in ["", "2026", "2026-13", "2026-00", "2026-1", "2026-01-01", "0000-01"] {
            assert_eq!(Month::read(wrong), None, "{wrong}");
            assert!(!admits::<Month>(&json!(wrong)), "{wrong}");
        }
    }
}
