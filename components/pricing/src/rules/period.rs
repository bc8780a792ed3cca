//! Periods of prices: from an instant, inclusive, to an instant, exclusive; either bound may be missing.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};
use stoa_sdk::{Filter, Id, Instant, Item, all, any, item};

use crate::records::price::PriceRow;
use crate::records::price_list::Status;

/// An instant as it was sent: its form is checked by the schema, that the day exists is checked where it is read, so that
/// the fault has its pointer.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Stated(String);

impl Stated {
    /// # Errors
    /// The fault at `pointer`.
    pub fn read(&self, pointer: &str) -> Result<Instant, Item> {
        self.0.parse().map_err(|_| item(pointer, "FORMAT"))
    }
}

impl JsonSchema for Stated {
    fn schema_name() -> Cow<'static, str> {
        Instant::schema_name()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        Instant::json_schema(generator)
    }
}

/// When a price is in effect.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Period {
    pub from: Option<Instant>,
    pub to: Option<Instant>,
}

impl Period {
    /// Of a price that is kept.
    pub fn of(row: &PriceRow) -> Period {
        Period { from: row.valid_from, to: row.valid_to }
    }

    /// Reads the bounds of a body; `below` is the pointer of what holds them.
    ///
    /// # Errors
    /// FORMAT at a bound that is no instant, RANGE at `validTo` where it is not after `validFrom`.
    pub fn read(from: Option<&Stated>, to: Option<&Stated>, below: &str) -> Result<Period, Vec<Item>> {
        let from = from.map(|stated| stated.read(&format!("{below}/validFrom"))).transpose();
        let to = to.map(|stated| stated.read(&format!("{below}/validTo"))).transpose();
        match (from, to) {
            (Ok(Some(from)), Ok(Some(to))) if from >= to => Err(vec![item(format!("{below}/validTo"), "RANGE")]),
            (Ok(from), Ok(to)) => Ok(Period { from, to }),
            (from, to) => Err(from.err().into_iter().chain(to.err()).collect()),
        }
    }

    /// Whether an instant lies in both. Adjacent periods do not overlap.
    pub fn overlaps(self, other: Period) -> bool {
        begins_before_end(self.from, other.to) && begins_before_end(other.from, self.to)
    }

    /// Rows of prices whose period overlaps this one.
    pub fn overlapping(self) -> Filter {
        let begun = self.to.map(|to| any([PriceRow::valid_from.is_null(), PriceRow::valid_from.lt(to)]));
        let unended = self.from.map(|from| any([PriceRow::valid_to.is_null(), PriceRow::valid_to.gt(from)]));
        all(begun.into_iter().chain(unended))
    }

    /// The period from the first beginning to the last end of these.
    pub fn hull(periods: &[Period]) -> Period {
        let from = periods.iter().map(|period| period.from).min().flatten();
        let to = periods.iter().map(|period| period.to).collect::<Option<Vec<_>>>();
        Period { from, to: to.and_then(|ends| ends.into_iter().max()) }
    }
}

/// A missing bound is before, or after, every instant.
fn begins_before_end(from: Option<Instant>, to: Option<Instant>) -> bool {
    match (from, to) {
        (Some(from), Some(to)) => from < to,
        _ => true,
    }
}

/// Rows of prices in effect at an instant.
pub fn in_effect(at: Instant) -> Filter {
    all([
        any([PriceRow::valid_from.is_null(), PriceRow::valid_from.le(at)]),
        any([PriceRow::valid_to.is_null(), PriceRow::valid_to.gt(at)]),
    ])
}

/// Active prices of a list in effect at an instant.
pub fn effective(list: Id, variants: Filter, at: Instant) -> Filter {
    all([PriceRow::list_id.eq(list), variants, PriceRow::status.eq(Status::Active), in_effect(at)])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn period(from: i64, to: i64) -> Period {
        let bound = |at: i64| (at != 0).then_some(Instant(at));
        Period { from: bound(from), to: bound(to) }
    }

    #[test]
    fn adjacent_periods_do_not_overlap() {
        assert!(!period(1, 5).overlaps(period(5, 9)));
        assert!(!period(5, 0).overlaps(period(0, 5)));
        assert!(period(1, 6).overlaps(period(5, 9)));
        assert!(period(0, 0).overlaps(period(5, 9)));
        assert!(period(0, 0).overlaps(period(0, 0)));
        assert!(period(2, 3).overlaps(period(1, 9)));
        assert!(!period(0, 1).overlaps(period(2, 0)));
    }

    #[test]
    fn the_hull_covers_all() {
        assert_eq!(Period::hull(&[period(3, 5), period(1, 2)]), period(1, 5));
        assert_eq!(Period::hull(&[period(3, 0), period(1, 2)]), period(1, 0));
        assert_eq!(Period::hull(&[period(0, 5), period(1, 2)]), period(0, 5));
    }

    #[test]
    fn bounds_are_read_with_their_pointers() {
        let stated = |text: &str| Some(Stated(text.to_owned()));
        let read = |from: &str, to: &str| match Period::read(stated(from).as_ref(), stated(to).as_ref(), "/prices/3") {
            Ok(_) => Vec::new(),
            Err(items) => items.into_iter().map(|item| (item.pointer, item.code)).collect(),
        };
        let at = |name: &str, code: &str| (format!("/prices/3/{name}"), code.to_owned());
        assert!(read("2026-01-01T00:00:00Z", "2026-01-01T00:00:00.001Z").is_empty());
        assert_eq!(read("2026-01-01T00:00:00Z", "2026-01-01T00:00:00Z"), [at("validTo", "RANGE")]);
        assert_eq!(read("2026-01-02T00:00:00Z", "2026-01-01T00:00:00Z"), [at("validTo", "RANGE")]);
        assert_eq!(read("2026-02-30T00:00:00Z", "x"), [at("validFrom", "FORMAT"), at("validTo", "FORMAT")]);
        assert_eq!(read("0000-01-01T00:00:00Z", "2026-01-01T00:00:00Z"), [at("validFrom", "FORMAT")]);
    }
}
