//! The effect of a schedule on the periods of prices: which of them are closed, and whether any overlap.

use std::collections::BTreeMap;

use stoa_sdk::{Id, Instant};

use crate::records::price::PriceRow;
use crate::rules::period::{Period, period_of};

/// A period of the plan: of an existing row, or of the request's price with this index.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Planned {
    period: Period,
    source: Source,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Source {
    Standing(usize),
    New(usize),
}

impl Source {
    fn find_standing(self) -> Option<usize> {
        match self {
            Source::Standing(row) => Some(row),
            Source::New(_) => None,
        }
    }
}

/// A price of the request that overlaps another one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Overlap {
    /// Its place in the request.
    pub index: usize,
    /// The existing row that it overlaps; None if it overlaps a price of the request.
    pub standing: Option<usize>,
}

/// The periods of each variant, as they become price by price.
#[derive(Default)]
pub struct Plan {
    by_variant: BTreeMap<Id, Vec<Planned>>,
    /// Existing rows that end earlier than before.
    pub closed: BTreeMap<usize, Instant>,
}

impl Plan {
    pub fn from_rows(rows: &[PriceRow]) -> Plan {
        let mut plan = Plan::default();
        for (index, row) in rows.iter().enumerate() {
            let planned = Planned { period: period_of(row), source: Source::Standing(index) };
            plan.by_variant.entry(row.variant_id).or_default().push(planned);
        }
        plan
    }

    /// Adds the prices of a request, in order, each with its variant and period; returns those that overlap others.
    pub fn add_all(&mut self, prices: impl Iterator<Item = (Id, Period)>, replace: bool) -> Vec<Overlap> {
        let overlap = |(index, (variant, period))| {
            let in_way = self.add(variant, index, period, replace).err()?;
            Some(Overlap { index, standing: in_way.find_standing() })
        };
        prices.enumerate().filter_map(overlap).collect()
    }

    /// `Err`: the period overlaps this one, which may not be closed for it.
    fn add(&mut self, variant: Id, index: usize, period: Period, replace: bool) -> Result<(), Source> {
        let planned = self.by_variant.entry(variant).or_default();
        for other in planned.iter_mut().filter(|other| other.period.overlaps(period)) {
            let Some(from) = period.from else { return Err(other.source) };
            let began_earlier = other.period.from.is_none_or(|began| began < from);
            if !replace || other.period.to.is_some() || !began_earlier {
                return Err(other.source);
            }
            other.period.to = Some(from);
            if let Source::Standing(row) = other.source {
                self.closed.insert(row, from);
            }
        }
        planned.push(Planned { period, source: Source::New(index) });
        Ok(())
    }

    /// The period of each price of the request, which a later one of them may have closed.
    pub fn periods(&self) -> BTreeMap<usize, Period> {
        let new = |planned: &Planned| match planned.source {
            Source::New(index) => Some((index, planned.period)),
            Source::Standing(_) => None,
        };
        self.by_variant.values().flatten().filter_map(new).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn period(from: i64, to: i64) -> Period {
        let bound = |time: i64| (time != 0).then_some(Instant(time));
        Period { from: bound(from), to: bound(to) }
    }

    fn plan(standing: &[Period]) -> Plan {
        let planned = |(index, period): (usize, &Period)| Planned { period: *period, source: Source::Standing(index) };
        let planned = standing.iter().enumerate().map(planned).collect();
        Plan { by_variant: BTreeMap::from([(Id(1, 1), planned)]), closed: BTreeMap::new() }
    }

    #[test]
    fn the_usual_price_change_closes_the_standing_price() {
        let mut plan = plan(&[period(1, 5), period(5, 0)]);
        assert_eq!(plan.add(Id(1, 1), 0, period(9, 0), true), Ok(()));
        assert_eq!(plan.closed, BTreeMap::from([(1, Instant(9))]));
        assert_eq!(plan.periods(), BTreeMap::from([(0, period(9, 0))]));
    }

    #[test]
    fn only_an_open_price_that_began_earlier_is_closed() {
        for (standing, new) in [
            (period(5, 0), period(5, 0)),
            (period(9, 0), period(5, 0)),
            (period(1, 8), period(5, 0)),
            (period(0, 0), period(0, 5)),
            (period(0, 0), period(0, 0)),
        ] {
            assert_eq!(plan(&[standing]).add(Id(1, 1), 0, new, true), Err(Source::Standing(0)), "{standing:?} {new:?}");
        }
        assert_eq!(plan(&[period(0, 0)]).add(Id(1, 1), 0, period(5, 8), true), Ok(()));
        assert!(plan(&[period(0, 0)]).add(Id(1, 1), 0, period(5, 8), false).is_err());
        assert_eq!(plan(&[period(0, 5)]).add(Id(1, 1), 0, period(5, 8), false), Ok(()));
    }

    #[test]
    fn prices_of_one_request_follow_one_another() {
        let mut plan = plan(&[]);
        assert_eq!(plan.add(Id(1, 1), 0, period(1, 0), true), Ok(()));
        assert_eq!(plan.add(Id(1, 1), 1, period(5, 0), true), Ok(()));
        assert!(plan.add(Id(1, 1), 2, period(3, 4), true).is_err());
        assert_eq!(plan.add(Id(1, 2), 3, period(1, 0), true), Ok(()));
        let expected = BTreeMap::from([(0, period(1, 5)), (1, period(5, 0)), (3, period(1, 0))]);
        assert_eq!(plan.periods(), expected);
        assert!(plan.closed.is_empty());
    }

    #[test]
    fn an_overlap_names_the_standing_price_but_none_of_the_request() {
        let mut plan = plan(&[period(1, 5), period(5, 9)]);
        let wanted = [period(6, 7), period(20, 30), period(25, 0)];
        let overlaps = plan.add_all(wanted.into_iter().map(|period| (Id(1, 1), period)), false);
        let expected = [Overlap { index: 0, standing: Some(1) }, Overlap { index: 2, standing: None }];
        assert_eq!(overlaps, expected);
    }
}
