//! Refusals: the platform's problem codes as constructors, with pointers to what is refused. Never a value that was sent.

use crate::bindings::commerce::platform::problems::{Bound, Bounds};
use crate::bindings::commerce::platform::store::{Failure, Why};
use crate::bindings::exports::commerce::platform::module::{Item, Problem};
use crate::date::Date;
use crate::decimal::Decimal;
use crate::host::fault;
use crate::id::Id;
use crate::instant::Instant;

/// The last version of a record: a change after it is refused.
const LAST_VERSION: i64 = 2_147_483_646;
/// Digits before the point of every decimal column but sums, which hold 24 that no request reaches.
const LEAST_DIGITS: i64 = 12;
/// The last instant that has a text, of the year 9999: nothing is after it.
const LAST_INSTANT: i64 = 253_402_300_799_999;

/// A fault at a JSON pointer into the body, or at `/path/<name>`, `/query/<name>`, `/header/<name>`.
pub fn item(pointer: impl Into<String>, code: &str) -> Item {
    Item {
        pointer: pointer.into(),
        code: code.to_owned(),
        required: None,
        identified: None,
        expected: None,
        conflicts_with: None,
    }
}

impl Item {
    /// The fault with what would have been accepted.
    pub fn with_bounds(self, bounds: Bounds) -> Item {
        Item { expected: Some(bounds), ..self }
    }

    /// The fault with the record that is in the way. State it only where the caller may read that record.
    pub fn with_conflict(self, record: Id) -> Item {
        Item { conflicts_with: Some((record.0, record.1)), ..self }
    }
}

impl Bounds {
    /// Nothing below this is accepted.
    pub fn minimum(least: impl Into<Bound>) -> Bounds {
        Bounds { minimum: Some(least.into()), maximum: None, counted: None }
    }

    /// Nothing above this is accepted.
    pub fn maximum(most: impl Into<Bound>) -> Bounds {
        Bounds { minimum: None, maximum: Some(most.into()), counted: None }
    }

    /// Accepts everything between these, both included.
    pub fn between(least: impl Into<Bound>, most: impl Into<Bound>) -> Bounds {
        Bounds { maximum: Some(most.into()), ..Bounds::minimum(least) }
    }

    /// Accepts everything after this day or instant.
    pub fn after(point: impl Into<Bound>) -> Bounds {
        Bounds::minimum(match point.into() {
            Bound::Integer(number) => Bound::Integer(number.saturating_add(1)),
            Bound::Instant(instant) => Bound::Instant(instant.saturating_add(1).min(LAST_INSTANT)),
            Bound::Date(day) => {
                let next = day.parse().ok().and_then(|day: Date| Date::from_days(day.days() + 1));
                Bound::Date(next.map_or(day, |next| next.to_string()))
            }
            decimal @ Bound::Decimal(_) => decimal,
        })
    }

    /// The bounds are of a count of these: DAYS, LINES.
    pub fn of_counted(self, counted: &str) -> Bounds {
        Bounds { counted: Some(counted.to_owned()), ..self }
    }
}

impl From<i64> for Bound {
    fn from(number: i64) -> Bound {
        Bound::Integer(number)
    }
}

/// A count of things in memory.
impl From<usize> for Bound {
    fn from(count: usize) -> Bound {
        Bound::Integer(i64::try_from(count).unwrap_or(i64::MAX))
    }
}

impl<const SCALE: u32, const DIGITS: u8> From<Decimal<SCALE, DIGITS>> for Bound {
    fn from(decimal: Decimal<SCALE, DIGITS>) -> Bound {
        Bound::Decimal(decimal.to_string())
    }
}

impl From<Date> for Bound {
    fn from(day: Date) -> Bound {
        Bound::Date(day.to_string())
    }
}

impl From<Instant> for Bound {
    fn from(instant: Instant) -> Bound {
        Bound::Instant(instant.0)
    }
}

impl<const SCALE: u32, const DIGITS: u8> Decimal<SCALE, DIGITS> {
    /// 409: a sum or product has more digits before the point than are kept of this type.
    pub fn limit_exceeded() -> Problem {
        Problem::limit_exceeded("", i64::from(Self::PRECISION) - i64::from(SCALE), "INTEGER_DIGITS")
    }
}

impl Problem {
    /// A problem of the platform's list or of the module's own.
    pub fn new(code: &str) -> Problem {
        Problem { code: code.to_owned(), errors: Vec::new() }
    }

    /// The problem at one place; the item's code is the problem's.
    pub fn at(code: &str, pointer: impl Into<String>) -> Problem {
        Problem { code: code.to_owned(), errors: vec![item(pointer, code)] }
    }

    /// 400: faults that the schema cannot find. At most 200 are reported.
    pub fn invalid(mut errors: Vec<Item>) -> Problem {
        errors.truncate(200);
        Problem { code: "VALIDATION_FAILED".to_owned(), errors }
    }

    /// 404: the record of the path.
    pub fn not_found() -> Problem {
        Problem::new("NOT_FOUND")
    }

    /// 409: the record is archived.
    pub fn record_archived() -> Problem {
        Problem::new("ARCHIVED")
    }

    /// The problem at one place, with the record that is in the way, where the caller may read it.
    pub fn conflict(code: &str, pointer: impl Into<String>, record: Option<Id>) -> Problem {
        let fault = item(pointer, code);
        let fault = match record {
            Some(record) => fault.with_conflict(record),
            None => fault,
        };
        Problem { code: code.to_owned(), errors: vec![fault] }
    }

    /// 409: the identity at this place is taken.
    pub fn duplicate(pointer: impl Into<String>) -> Problem {
        Problem::at("DUPLICATE", pointer)
    }

    /// 409: the state of the record does not allow the value here.
    pub fn illegal_state(pointer: impl Into<String>) -> Problem {
        Problem::at("ILLEGAL_STATE", pointer)
    }

    /// 409: these members cannot change.
    pub fn immutable(pointers: Vec<String>) -> Problem {
        let errors = pointers.into_iter().map(|pointer| item(pointer, "IMMUTABLE_FIELD")).collect();
        Problem { code: "IMMUTABLE_FIELD".to_owned(), errors }
    }

    /// 409: the record named here exists but cannot be used.
    pub fn reference_invalid(pointer: impl Into<String>) -> Problem {
        Problem::at("REFERENCE_INVALID", pointer)
    }

    /// 404: there is no record such as the one named here.
    pub fn reference_missing(pointer: impl Into<String>) -> Problem {
        Problem::at("NOT_FOUND", pointer)
    }

    /// 409: more than so many of these at the pointer, which is empty where it is the whole request or record.
    pub fn limit_exceeded(pointer: &str, most: impl Into<Bound>, unit: &str) -> Problem {
        Problem::beyond(pointer, Bounds::maximum(most).of_counted(unit))
    }

    /// 409: the value at the pointer passes these bounds.
    pub fn beyond(pointer: impl Into<String>, bounds: Bounds) -> Problem {
        Problem { code: "LIMIT_EXCEEDED".to_owned(), errors: vec![item(pointer, "LIMIT_EXCEEDED").with_bounds(bounds)] }
    }

    /// A service's refusal of its own arguments, as a refusal of what the request states: pointers at `from` or below it lie at
    /// `to`. Others stay.
    pub fn moved(mut self, from: &str, to: &str) -> Self {
        for error in &mut self.errors {
            if let Some(rest) = below(&error.pointer, from) {
                error.pointer = format!("{to}{rest}");
            }
        }
        self
    }

    /// As [`Problem::moved`] for a list of which the request states each entry elsewhere: a rejection at
    /// `/units/2/imei` is at `places[2]` and `/imei`.
    pub fn moved_each(mut self, list: &str, places: &[impl AsRef<str>]) -> Problem {
        for error in &mut self.errors {
            let Some(rest) = below(&error.pointer, list).and_then(|rest| rest.strip_prefix('/')) else { continue };
            let (nth, rest) = rest.find('/').map_or((rest, ""), |slash| rest.split_at(slash));
            if let Some(place) = nth.parse().ok().and_then(|nth: usize| places.get(nth)) {
                error.pointer = format!("{}{rest}", place.as_ref());
            }
        }
        self
    }

    /// 412: the record has changed since it was read.
    pub fn precondition_failed() -> Problem {
        Problem::new("PRECONDITION_FAILED")
    }
}

/// The part after `from` of a pointer at it or below it; None for other pointers.
fn below<'a>(pointer: &'a str, from: &str) -> Option<&'a str> {
    pointer.strip_prefix(from).filter(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// The problem of a store failure that the module does not map itself. A misuse, a closed store, a limit or a check
/// that the module did not foresee is its own fault and traps. A limit is the data's: there is more of it than the
/// operation takes.
impl From<Failure> for Problem {
    #[track_caller]
    fn from(failure: Failure) -> Problem {
        match failure {
            Failure::Duplicate(_) => Problem::new("DUPLICATE"),
            Failure::OutOfRange(spot) if spot.column == "version" => {
                Problem::limit_exceeded("", LAST_VERSION, "VERSIONS")
            }
            Failure::OutOfRange(_) => Problem::limit_exceeded("", LEAST_DIGITS, "INTEGER_DIGITS"),
            Failure::RefusedChange(misses) => match misses.first().map(|miss| &miss.why) {
                Some(Why::Absent) => Problem::not_found(),
                Some(Why::Stale) => Problem::new("VERSION_CONFLICT"),
                _ => fault("a refused change that the module did not foresee"),
            },
            Failure::Closed => fault("a call after the store was closed"),
            Failure::Limit(_) => Problem::new("LIMIT_EXCEEDED"),
            Failure::Misuse(what) => fault(&format!("misuse of the store: {what}")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pointers(problem: &Problem) -> Vec<&str> {
        problem.errors.iter().map(|error| error.pointer.as_str()).collect()
    }

    #[test]
    fn refusals_of_a_service_point_into_the_request() {
        let refused = || Problem {
            code: "NOT_FOUND".to_owned(),
            errors: ["/lines/1/variantId", "/lines", "/linesOf", "/other"]
                .map(|pointer| item(pointer, "NOT_FOUND"))
                .to_vec(),
        };
        assert_eq!(
            pointers(&refused().moved("/lines", "/items")),
            ["/items/1/variantId", "/items", "/linesOf", "/other"]
        );
        let places = ["/items/4/units/0", "/items/7/units/2"];
        let moved = refused().moved_each("/lines", &places);
        assert_eq!(pointers(&moved), ["/items/7/units/2/variantId", "/lines", "/linesOf", "/other"]);
        assert_eq!(pointers(&refused().moved_each("/lines", &[""; 0])), pointers(&refused()));
    }
}
