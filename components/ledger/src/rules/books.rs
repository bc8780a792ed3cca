//! The books that an entity keeps: in which currency, since when, how finely.

use stoa_sdk::{Date, Id, Item, Problem, item, today};
use stoa_trade::quantity::Amount;
use stoa_trade::refusal::illegal;

use crate::records::entity::EntityRow;

pub const SMALLEST_SCALE: i64 = 6;
pub const LARGEST_SCALE: i64 = 12;

/// Name of the lock between postings and the records that they rely on: posters hold it shared, and a request that
/// changes accounts, mappings, periods or the entity itself holds it exclusively.
pub fn books_lock(entity: Id) -> String {
    format!("books:{entity}")
}

/// The books that an entity keeps.
#[derive(Debug, Clone, PartialEq)]
pub struct Books {
    pub currency_code: String,
    pub start_on: Date,
    pub scale: u32,
}

impl EntityRow {
    /// None where it keeps no books.
    pub fn books(&self) -> Option<Books> {
        let (true, Some(currency), Some(start_on), Some(scale)) =
            (self.keeps_books, &self.currency_code, self.books_start_on, self.amount_scale)
        else {
            return None;
        };
        Some(Books { currency_code: currency.clone(), start_on, scale: u32::try_from(scale).ok()? })
    }

    /// The entity with books that begin on this day (`None`: today) and take this many digits (`None`: the fewest).
    pub fn with_books(self, currency_code: String, start_on: Option<Date>, scale: Option<i64>) -> EntityRow {
        EntityRow {
            keeps_books: true,
            currency_code: Some(currency_code),
            books_start_on: Some(start_on.unwrap_or_else(today)),
            amount_scale: Some(scale.unwrap_or(SMALLEST_SCALE)),
            ..self
        }
    }
}

/// The books of an entity that a report is about.
///
/// # Errors
/// NOT_FOUND, BOOKS_NOT_KEPT.
pub fn require_books(entity: Option<EntityRow>, pointer: &str) -> Result<Books, Problem> {
    let entity = entity.ok_or_else(|| Problem::reference_missing(pointer))?;
    entity.books().ok_or_else(|| illegal(pointer, "BOOKS_NOT_KEPT"))
}

impl Books {
    /// Refuses another currency than the books'.
    ///
    /// # Errors
    /// ACCOUNTING_CURRENCY_UNSUPPORTED, at the pointer where there is one.
    pub fn check_currency(&self, code: &str, pointer: Option<&str>) -> Result<(), Problem> {
        if code == self.currency_code {
            return Ok(());
        }
        let code = "ACCOUNTING_CURRENCY_UNSUPPORTED";
        Err(pointer.map_or_else(|| Problem::new(code), |pointer| Problem::at(code, pointer)))
    }

    /// Returns whether an amount has no more digits than the journal of these books takes: 26 before the point, the
    /// scale after it.
    pub fn holds(&self, amount: Amount) -> bool {
        let step = 10_i128.pow(12_u32.saturating_sub(self.scale));
        amount.units() < 10_i128.pow(38) && amount.units() % step == 0
    }

    /// Refuses a day on which no entry can be dated.
    ///
    /// # Errors
    /// ACCOUNTING_PERIOD_CLOSED.
    pub fn check_day(&self, day: Date, is_month_closed: bool, pointer: &str) -> Result<(), Problem> {
        let code = match () {
            () if day < self.start_on => "BEFORE_BOOKS",
            () if is_month_closed => "MONTH_CLOSED",
            () => return Ok(()),
        };
        Err(Problem { code: "ACCOUNTING_PERIOD_CLOSED".to_owned(), errors: vec![item(pointer, code)] })
    }
}

/// 409: amounts that cannot be posted exactly.
pub fn refuse_precision(pointers: impl IntoIterator<Item = String>) -> Problem {
    let mut errors: Vec<Item> = Vec::new();
    for pointer in pointers {
        if errors.iter().all(|item| item.pointer != pointer) {
            errors.push(item(pointer, "AMOUNT_PRECISION"));
        }
    }
    Problem { code: "ACCOUNTING_AMOUNT_PRECISION".to_owned(), errors }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn books(scale: u32) -> Books {
        Books { currency_code: "EUR".to_owned(), start_on: "2026-01-10".parse().unwrap(), scale }
    }

    #[test]
    fn amounts_have_the_digits_of_the_books() {
        for (amount, scale, holds) in [
            ("1.5", 6, true),
            ("0.000001", 6, true),
            ("0.0000001", 6, false),
            ("0.0000001", 7, true),
            ("0.000000000001", 12, true),
            ("0.000000000001", 11, false),
            ("99999999999999999999999999", 6, true),
            ("100000000000000000000000000", 6, false),
        ] {
            assert_eq!(books(scale).holds(amount.parse().unwrap()), holds, "{amount} at {scale}");
        }
    }

    #[test]
    fn entries_are_dated_within_open_books() {
        for (day, is_closed, expected) in [
            ("2026-01-10", false, None),
            ("2026-02-01", false, None),
            ("2026-01-09", false, Some("BEFORE_BOOKS")),
            ("2026-01-09", true, Some("BEFORE_BOOKS")),
            ("2026-02-01", true, Some("MONTH_CLOSED")),
        ] {
            let refused = books(6).check_day(day.parse().unwrap(), is_closed, "/on").err();
            let reason = refused.as_ref().and_then(|problem| problem.errors.first()).map(|item| item.code.as_str());
            assert_eq!(reason, expected, "{day} {is_closed}");
        }
    }

    #[test]
    fn a_place_is_refused_once() {
        let refused = refuse_precision(["/a", "/b", "/a"].map(str::to_owned));
        let pointers: Vec<&str> = refused.errors.iter().map(|item| item.pointer.as_str()).collect();
        assert_eq!(pointers, ["/a", "/b"]);
    }
}
