//! The effect of a schedule on the periods of prices: which of them are closed, and whether any overlap.

use std::collections::BTreeMap;

use stoa_sdk::{Id, Instant};

use crate::records::price::PriceRow;
use crate::rules::period::{Period, period_of};

/// A period of the plan: of a row that stands, or of the request's price with this index.
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

/// The periods of each variant, as they become price by price.
#[derive(Default)]
pub struct Plan {
    by_variant: BTreeMap<Id, Vec<Planned>>,
    /// Standing rows that end earlier than they did.
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

    /// Adds the prices of a request, in order, each with its variant and period; answers which of them overlap others.
    pub fn add_all(&mut self, prices: impl Iterator<Item = (Id, Period)>, replace: bool) -> Vec<usize> {
        let refused = |(index, (variant, period))| (!self.add(variant, index, period, replace)).then_some(index);
        prices.enumerate().filter_map(refused).collect()
    }

    /// False where the period overlaps one that may not be closed for it.
    fn add(&mut self, variant: Id, index: usize, period: Period, replace: bool) -> bool {
        let planned = self.by_variant.entry(variant).or_default();
        for other in planned.iter_mut().filter(|other| other.period.overlaps(period)) {
            let Some(from) = period.from else { return false };
            let began_earlier = other.period.from.is_none_or(|began| began < from);
            if !replace || other.period.to.is_some() || !began_earlier {
                return false;
            }
            other.period.to = Some(from);
            if let Source::Standing(row) = other.source {
                self.closed.insert(row, from);
            }
        }
        planned.push(Planned { period, source: Source::New(index) });
        true
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
        assert!(plan.add(Id(1, 1), 0, period(9, 0), true));
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
            assert!(!plan(&[standing]).add(Id(1, 1), 0, new, true), "{standing:?} {new:?}");
        }
        assert!(plan(&[period(0, 0)]).add(Id(1, 1), 0, period(5, 8), true));
        assert!(!plan(&[period(0, 0)]).add(Id(1, 1), 0, period(5, 8), false));
        assert!(plan(&[period(0, 5)]).add(Id(1, 1), 0, period(5, 8), false));
    }

    #[test]
    fn prices_of_one_request_follow_one_another() {
        let mut plan = plan(&[]);
        assert!(plan.add(Id(1, 1), 0, period(1, 0), true));
        assert!(plan.add(Id(1, 1), 1, period(5, 0), true));
        assert!(!plan.add(Id(1, 1), 2, period(3, 4), true));
        assert!(plan.add(Id(1, 2), 3, period(1, 0), true));
        let expected = BTreeMap::from([(0, period(1, 5)), (1, period(5, 0)), (3, period(1, 0))]);
        assert_eq!(plan.periods(), expected);
        assert!(plan.closed.is_empty());
    }
}
