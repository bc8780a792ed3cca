//! Periods: from a point in time, inclusive, to another, exclusive; either bound may be missing.

use stoa_sdk::{Bound, Bounds, Column, Field, Filter, Item, all, any, item};

/// When something is in effect. A missing bound is before, or after, every point in time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Period<T> {
    /// The first instant or day in it.
    pub from: Option<T>,
    /// The first instant or day after it.
    pub to: Option<T>,
}

impl<T: Ord + Copy + Into<Bound>> Period<T> {
    /// The period between the bounds of a body; `pointer` is that of the end.
    ///
    /// # Errors
    /// RANGE where the end is not after the beginning.
    pub fn between(from: Option<T>, to: Option<T>, pointer: impl Into<String>) -> Result<Period<T>, Vec<Item>> {
        match (from, to) {
            (Some(from), Some(to)) if from >= to => Err(vec![item(pointer, "RANGE").with_bounds(Bounds::after(from))]),
            _ => Ok(Period { from, to }),
        }
    }
}

impl<T: Ord + Copy> Period<T> {
    /// Returns whether it is in effect then.
    pub fn contains(self, time: T) -> bool {
        self.from.is_none_or(|from| from <= time) && self.to.is_none_or(|to| time < to)
    }

    /// Returns whether a point in time lies in both. Adjacent periods do not overlap.
    pub fn overlaps(self, other: Period<T>) -> bool {
        begins_before_end(self.from, other.to) && begins_before_end(other.from, self.to)
    }

    /// The period from the first beginning to the last end of these.
    pub fn hull(periods: &[Period<T>]) -> Period<T> {
        let from = periods.iter().map(|period| period.from).min().flatten();
        let to = periods.iter().map(|period| period.to).collect::<Option<Vec<_>>>();
        Period { from, to: to.and_then(|ends| ends.into_iter().max()) }
    }
}

impl<T: Field<Plain = T>> Period<T> {
    /// Rows whose own period, in these columns, overlaps this one.
    pub fn overlap_filter(self, from: Column<Option<T>>, to: Column<Option<T>>) -> Filter {
        let begun = self.to.map(|end| any([from.is_null(), from.lt(end)]));
        let unended = self.from.map(|beginning| any([to.is_null(), to.gt(beginning)]));
        all(begun.into_iter().chain(unended))
    }
}

/// Rows whose period, in these columns, is in effect then.
pub fn in_effect<T: Field<Plain = T> + Copy>(from: Column<Option<T>>, to: Column<Option<T>>, time: T) -> Filter {
    all([any([from.is_null(), from.le(time)]), any([to.is_null(), to.gt(time)])])
}

fn begins_before_end<T: Ord>(from: Option<T>, to: Option<T>) -> bool {
    match (from, to) {
        (Some(from), Some(to)) => from < to,
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use stoa_sdk::Instant;

    use super::*;

    fn period(from: i64, to: i64) -> Period<i64> {
        let bound = |time: i64| (time != 0).then_some(time);
        Period { from: bound(from), to: bound(to) }
    }

    #[test]
    fn adjacent_periods_do_not_overlap() {
        for (one, other, expected) in [
            ((1, 5), (5, 9), false),
            ((5, 0), (0, 5), false),
            ((1, 6), (5, 9), true),
            ((0, 0), (5, 9), true),
            ((0, 0), (0, 0), true),
            ((2, 3), (1, 9), true),
            ((0, 1), (2, 0), false),
        ] {
            assert_eq!(period(one.0, one.1).overlaps(period(other.0, other.1)), expected, "{one:?} {other:?}");
            assert_eq!(period(other.0, other.1).overlaps(period(one.0, one.1)), expected, "{other:?} {one:?}");
        }
    }

    #[test]
    fn the_beginning_is_in_it_and_the_end_is_not() {
        for (time, expected) in [(1, false), (2, true), (4, true), (5, false)] {
            assert_eq!(period(2, 5).contains(time), expected, "{time}");
        }
        assert!(period(0, 0).contains(7) && period(0, 5).contains(-9) && period(5, 0).contains(9));
    }

    #[test]
    fn the_hull_covers_all() {
        assert_eq!(Period::hull(&[period(3, 5), period(1, 2)]), period(1, 5));
        assert_eq!(Period::hull(&[period(3, 0), period(1, 2)]), period(1, 0));
        assert_eq!(Period::hull(&[period(0, 5), period(1, 2)]), period(0, 5));
    }

    #[test]
    fn an_end_is_after_its_beginning() {
        for (from, to, is_one) in [(1, 2, true), (2, 2, false), (3, 2, false), (0, 2, true), (2, 0, true)] {
            let stated = period(from, to);
            let read = Period::between(stated.from, stated.to, "/prices/3/validTo");
            assert_eq!(read.is_ok(), is_one, "{from} {to}");
            for fault in read.err().into_iter().flatten() {
                assert_eq!((fault.pointer.as_str(), fault.code.as_str()), ("/prices/3/validTo", "RANGE"));
            }
        }
    }

    #[test]
    fn open_bounds_ask_nothing() {
        const FROM: Column<Option<Instant>> = Column::new("valid_from");
        const TO: Column<Option<Instant>> = Column::new("valid_to");
        let ever: Period<Instant> = Period { from: None, to: None };
        assert_eq!(ever.overlap_filter(FROM, TO), Filter::default());
        let from_then_on = Period { from: Some(Instant(5)), to: None };
        assert_eq!(from_then_on.overlap_filter(FROM, TO), any([TO.is_null(), TO.gt(Instant(5))]));
    }
}
