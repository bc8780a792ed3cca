//! Many prices at once: a price change of an assortment, in a fixed number of round trips.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use stoa_sdk::store::{Failure, MOST_ROWS, Rows, get, insert, lock_all, run, select, update_all};
use stoa_sdk::{
    Answer, Call, Filter, Id, Instant, Item, Problem, Reply, all, emit, event, facts, item, map, new_ids, set,
};

use crate::articles;
use crate::list::{Asker, ListRow, Status};
use crate::period::Period;
use crate::price::{Price, PriceInput, PriceRow, lock_name};
use crate::{PRICE, currency, public};

/// Pages of standing prices that one request reads at most.
const PAGES: usize = 8;

/// Prices to create, in order.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PriceBatch {
    #[schemars(length(min = 1, max = 500))]
    prices: Vec<PriceInput>,
    /// A price without end that began earlier is closed where the new one begins.
    #[serde(default)]
    replace: bool,
}

/// The prices that were created, in the order of the request, and those that were closed for them.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ScheduledPrices {
    items: Vec<Price>,
    closed: Vec<Price>,
}

pub fn schedule(call: &Call) -> Answer {
    let Scheduled { list, created, closed } = scheduled(call, Asker::Person)?;
    let tenant = Id::from(facts().tenant);
    let of = |rows: Vec<PriceRow>| rows.into_iter().map(|row| Price::of(row, tenant)).collect();
    Ok(Reply::json(&ScheduledPrices { items: of(created), closed: of(closed) }).resource(list))
}

/// What a schedule did.
pub struct Scheduled {
    pub list: Id,
    pub created: Vec<PriceRow>,
    pub closed: Vec<PriceRow>,
}

/// Creates the prices of the body.
pub fn scheduled(call: &Call, asker: Asker) -> Result<Scheduled, Problem> {
    let list_id = call.path_id("listId")?;
    let batch: PriceBatch = call.body()?;
    let periods = check(&batch.prices)?;
    let variants = set(batch.prices.iter().map(|price| price.variant_id));
    let variants: Vec<Id> = variants.into_iter().collect();
    let articles = articles::get_variants(&variants);
    let articles = map(articles.into_iter().map(|article| (Id::from(article.variant_id), article)));

    let filter = standing(list_id, &variants, Period::hull(&periods));
    let locks = lock_all(variants.iter().map(|variant| lock_name(list_id, *variant)));
    let (_, list, first) = run((locks, get::<ListRow>(list_id), select::<PriceRow>(filter.clone())))?;
    let list = ListRow::known_to(asker, list)?;
    refused(&batch.prices, "NOT_FOUND", "variantId", |price| !articles.contains_key(&price.variant_id))?;
    let list = list.unarchived()?;
    refused(&batch.prices, "REFERENCE_INVALID", "variantId", |price| {
        !articles.get(&price.variant_id).is_some_and(articles::is_active)
    })?;
    refused(&batch.prices, "REFERENCE_INVALID", "currencyCode", |price| price.currency_code != list.currency_code)?;
    let rows = rest(first, &filter)?;

    let mut plan = Plan::of(&rows);
    let overlapping = plan.add_all(&batch.prices, &periods, batch.replace);
    if !overlapping.is_empty() {
        let at = |index: &usize| item(format!("/prices/{index}"), "PRICE_PERIOD_OVERLAP");
        let errors = overlapping.iter().take(200).map(at).collect();
        return Err(Problem { code: "PRICE_PERIOD_OVERLAP".to_owned(), errors });
    }
    let (created, closed) = write(list_id, &batch.prices, rows, &plan)?;

    let is_sold = |variant: Id| articles.get(&variant).is_some_and(articles::is_sold);
    let told = |kind: &str, row: &PriceRow| {
        let is_public = list.is_public() && is_sold(row.variant_id);
        event(kind, PRICE, row.id, None, &public::Price::of(row, is_public))
    };
    let mut events: Vec<_> = closed.iter().map(|row| told("pricing.price.updated", row)).collect();
    events.extend(created.iter().map(|row| told("pricing.price.created", row)));
    emit(&events);
    Ok(Scheduled { list: list_id, created, closed })
}

/// The periods, or every fault that the schema cannot tell.
fn check(prices: &[PriceInput]) -> Result<Vec<Period>, Problem> {
    let mut faults: Vec<Item> = Vec::new();
    let mut periods = Vec::new();
    for (index, price) in prices.iter().enumerate() {
        let pointer = format!("/prices/{index}");
        if !currency::is_active(&price.currency_code) {
            faults.push(item(format!("{pointer}/currencyCode"), "FORMAT"));
        }
        match price.period(&pointer) {
            Ok(period) => periods.push(period),
            Err(more) => faults.extend(more),
        }
    }
    if faults.is_empty() { Ok(periods) } else { Err(Problem::invalid(faults)) }
}

/// Refuses with every price for which `is_wrong` holds.
fn refused(
    prices: &[PriceInput],
    code: &str,
    member: &str,
    is_wrong: impl Fn(&PriceInput) -> bool,
) -> Result<(), Problem> {
    let wrong = prices.iter().enumerate().filter(|(_, price)| is_wrong(price));
    let errors: Vec<Item> = wrong.map(|(index, _)| item(format!("/prices/{index}/{member}"), code)).take(200).collect();
    if errors.is_empty() { Ok(()) } else { Err(Problem { code: code.to_owned(), errors }) }
}

/// Active prices of these variants that may overlap.
fn standing(list: Id, variants: &[Id], hull: Period) -> Filter {
    all([
        PriceRow::list_id.eq(list),
        PriceRow::variant_id.one_of(variants.iter().copied()),
        PriceRow::status.eq(Status::Active),
        hull.overlapping(),
    ])
}

/// The pages after the first; nobody adds to them, since all names are held.
pub fn rest(first: Rows<PriceRow>, filter: &Filter) -> Result<Vec<PriceRow>, Problem> {
    let mut rows = first.items;
    let mut more = first.more;
    for _ in 1..PAGES {
        if !more {
            return Ok(rows);
        }
        let after = rows.last().map(|row| row.id);
        let page: Result<Rows<PriceRow>, Failure> = run(select(filter.clone()).after(after).limit(MOST_ROWS));
        let page = page?;
        more = page.more;
        rows.extend(page.items);
    }
    if more { Err(Problem::limit_exceeded()) } else { Ok(rows) }
}

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
struct Plan {
    by_variant: BTreeMap<Id, Vec<Planned>>,
    /// Standing rows that end earlier than they did.
    closed: BTreeMap<usize, Instant>,
}

impl Plan {
    fn of(rows: &[PriceRow]) -> Plan {
        let mut plan = Plan::default();
        for (index, row) in rows.iter().enumerate() {
            let planned = Planned { period: row.period(), source: Source::Standing(index) };
            plan.by_variant.entry(row.variant_id).or_default().push(planned);
        }
        plan
    }

    /// Answers the prices that overlap others.
    fn add_all(&mut self, prices: &[PriceInput], periods: &[Period], replace: bool) -> Vec<usize> {
        let each = prices.iter().zip(periods).enumerate();
        each.filter(|(index, (price, period))| !self.add(price.variant_id, *index, **period, replace))
            .map(|(index, _)| index)
            .collect()
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
    fn periods(&self) -> BTreeMap<usize, Period> {
        let new = |planned: &Planned| match planned.source {
            Source::New(index) => Some((index, planned.period)),
            Source::Standing(_) => None,
        };
        self.by_variant.values().flatten().filter_map(new).collect()
    }
}

type Written = (Vec<PriceRow>, Vec<PriceRow>);

/// Closes and inserts in one round trip.
fn write(list: Id, prices: &[PriceInput], rows: Vec<PriceRow>, plan: &Plan) -> Result<Written, Problem> {
    let now = Instant(facts().now);
    let close = |(index, row): (usize, PriceRow)| {
        let to = plan.closed.get(&index)?;
        Some(PriceRow { valid_to: Some(*to), updated_at: now, version: row.version + 1, ..row })
    };
    let closed: Vec<PriceRow> = rows.into_iter().enumerate().filter_map(close).collect();
    let periods = plan.periods();
    let ids = new_ids(u32::try_from(prices.len()).unwrap_or(u32::MAX));
    let created: Vec<PriceRow> = prices
        .iter()
        .zip(ids)
        .enumerate()
        .filter_map(|(index, (price, id))| Some(price.row(id, now, list, *periods.get(&index)?)))
        .collect();
    let ends = closed.iter().map(|row| row.valid_to);
    let close = update_all::<PriceRow>(closed.iter().map(|row| row.id)).set_each(PriceRow::valid_to, ends);
    run((close, insert(&created)))?;
    Ok((created, closed))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn period(from: i64, to: i64) -> Period {
        let bound = |at: i64| (at != 0).then_some(Instant(at));
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
