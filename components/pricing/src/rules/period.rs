//! When prices are in effect: from an instant, inclusive, to an instant, exclusive; either bound may be missing.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};
use stoa_sdk::{Filter, Id, Instant, Item, all, item};
use stoa_trade::Status;
use stoa_trade::dates;

use crate::records::price::PriceRow;

/// An instant as it was sent: its form is checked by the schema, that the day exists is checked where it is read, so that
/// the fault has its pointer.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Stated(String);

impl Stated {
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
pub type Period = dates::Period<Instant>;

/// The period of a price that is kept.
pub fn period_of(row: &PriceRow) -> Period {
    Period { from: row.valid_from, to: row.valid_to }
}

/// The period that a body states; `below` is the pointer of what holds its bounds.
///
/// # Errors
/// FORMAT at a bound that is not an instant, RANGE at `validTo` where it is not after `validFrom`.
pub fn read_period(from: Option<&Stated>, to: Option<&Stated>, below: &str) -> Result<Period, Vec<Item>> {
    let from = from.map(|stated| stated.read(&format!("{below}/validFrom"))).transpose();
    let to = to.map(|stated| stated.read(&format!("{below}/validTo"))).transpose();
    match (from, to) {
        (Ok(from), Ok(to)) => Period::between(from, to, format!("{below}/validTo")),
        (from, to) => Err(from.err().into_iter().chain(to.err()).collect()),
    }
}

/// Active prices of a list whose period overlaps this one.
pub fn overlap_filter(list: Id, variants: Filter, period: Period) -> Filter {
    let overlap = period.overlap_filter(PriceRow::valid_from, PriceRow::valid_to);
    all([PriceRow::list_id.eq(list), variants, PriceRow::status.eq(Status::Active), overlap])
}

/// Rows of prices in effect at an instant.
pub fn in_effect(time: Instant) -> Filter {
    dates::in_effect(PriceRow::valid_from, PriceRow::valid_to, time)
}

/// Active prices of a list in effect at an instant.
pub fn effective(list: Id, variants: Filter, time: Instant) -> Filter {
    all([PriceRow::list_id.eq(list), variants, PriceRow::status.eq(Status::Active), in_effect(time)])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_are_read_with_their_pointers() {
        let stated = |text: &str| Some(Stated(text.to_owned()));
        let read = |from: &str, to: &str| match read_period(stated(from).as_ref(), stated(to).as_ref(), "/prices/3") {
            Ok(_) => Vec::new(),
            Err(items) => items.into_iter().map(|item| (item.pointer, item.code)).collect(),
        };
        let fault = |name: &str, code: &str| (format!("/prices/3/{name}"), code.to_owned());
        assert!(read("2026-01-01T00:00:00Z", "2026-01-01T00:00:00.001Z").is_empty());
        assert_eq!(read("2026-01-01T00:00:00Z", "2026-01-01T00:00:00Z"), [fault("validTo", "RANGE")]);
        assert_eq!(read("2026-01-02T00:00:00Z", "2026-01-01T00:00:00Z"), [fault("validTo", "RANGE")]);
        assert_eq!(read("2026-02-30T00:00:00Z", "x"), [fault("validFrom", "FORMAT"), fault("validTo", "FORMAT")]);
        assert_eq!(read("0000-01-01T00:00:00Z", "2026-01-01T00:00:00Z"), [fault("validFrom", "FORMAT")]);
    }
}
