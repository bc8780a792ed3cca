//! Sales figures: sums of the ledger of deliveries, in groups (finance-ledger.md B9).

use std::collections::BTreeMap;

use stoa_sdk::store::{Batch, Row, Rows, Totals, aggregate, run};
use stoa_sdk::{Date, Field, Filter, Id, Problem, all, totals};
use stoa_trade::arguments::parse;
use stoa_trade::dates::Month;
use stoa_trade::lists::equals;
use stoa_trade::quantity::Amount;
use stoa_trade::snapshot::{Summed, add_up, read_settled};

use crate::bindings::exports::commerce::sales::orders::{Figure, Group, Question, Report};
use crate::records::delivery::{DeliveryLineRow, SignedQuantity};
use crate::work::month_totals::{FIGURES, sum_deliveries};

/// Groups of a kind that is not paged, at most.
const MOST_GROUPS: u32 = 2_000;

/// Measures of each group.
macro_rules! group {
    ($name:ident by [$($key:ident: $type:ty)?] $text:expr) => {
        totals! {
            $name of DeliveryLineRow by [$($key: $type)?] {
                documents: i64 = sum(document_count),
                quantity: SignedQuantity = sum(quantity),
                revenue: Amount = sum(revenue),
                cost: Option<Amount> = sum(cost),
                uncosted: SignedQuantity = sum(uncosted_quantity),
            }
        }

        impl $name {
            fn into_figure(self) -> Figure {
                let text: fn(&$name) -> String = $text;
                Figure {
                    key: text(&self),
                    documents: u64::try_from(self.documents).unwrap_or_default(),
                    quantity: self.quantity.to_string(),
                    revenue: self.revenue.to_string(),
                    cost: self.cost.map(|cost| cost.to_string()),
                    uncosted: self.uncosted.to_string(),
                }
            }
        }
    };
}

group! { Overall by [] |_| String::new() }
group! { ByDay by [on_date: Date] |sums| sums.on_date.to_string() }
group! { ByMonth by [month: Month] |sums| sums.month.to_string() }
group! { ByVariant by [variant_id: Id] |sums| sums.variant_id.to_string() }
group! { ByCustomer by [customer_id: Id] |sums| sums.customer_id.to_string() }
group! { ByWarehouse by [warehouse_id: Id] |sums| sums.warehouse_id.to_string() }
group! { ByBranch by [branch_id: Option<Id>] |sums| sums.branch_id.map(|id| id.to_string()).unwrap_or_default() }

/// The deliveries of an entity in a currency.
fn of_entity(entity: Id, currency_code: &str) -> Filter {
    all([DeliveryLineRow::legal_entity_id.eq(entity), DeliveryLineRow::currency_code.eq(currency_code)])
}

/// The deliveries that a report is of; both days are in it.
fn scope(what: &Question) -> Filter {
    let (since, until): (Date, Date) = (parse(&what.since), parse(&what.until));
    all([
        of_entity(what.legal_entity_id.into(), &what.currency_code),
        DeliveryLineRow::on_date.ge(since),
        DeliveryLineRow::on_date.le(until),
        equals(DeliveryLineRow::customer_id, what.customer_id.map(Id::from)),
        equals(DeliveryLineRow::variant_id, what.variant_id.map(Id::from)),
        equals(DeliveryLineRow::branch_id, what.branch_id.map(Id::from)),
        equals(DeliveryLineRow::warehouse_id, what.warehouse_id.map(Id::from)),
    ])
}

/// The delivered total of completed orders.
pub fn sum_delivered(entity: Id, currency_code: &str) -> Result<String, Problem> {
    // Goods that come back have no revenue.
    let months = read_settled(entity, |summed| sum_deliveries(entity, currency_code, (None, None), summed))?;
    let [_, _, revenue, ..] = add_up(months.into_values())?;
    Ok(revenue.to_string())
}

/// Sums what is in scope, by group and together, where one answer holds all groups.
pub fn report(what: Question) -> Result<Report, Problem> {
    let scope = scope(&what);
    let limit = Some(what.limit);
    // The first page is after the lowest id: so that it is read as the others are.
    let after = || Some(vec![what.cursor.as_deref().map_or(Id(0, 0), parse).put()]);
    match what.by {
        Group::Day => sum_groups(&what, &scope, None, None, ByDay::into_figure),
        Group::Month if is_whole(&what) => sum_months(&what),
        Group::Month => sum_groups(&what, &scope, None, None, ByMonth::into_figure),
        Group::Branch => sum_groups(&what, &scope, None, None, ByBranch::into_figure),
        Group::Variant => sum_groups(&what, &scope, after(), limit, ByVariant::into_figure),
        Group::Customer => sum_groups(&what, &scope, after(), limit, ByCustomer::into_figure),
        Group::Warehouse => sum_groups(&what, &scope, after(), limit, ByWarehouse::into_figure),
    }
}

/// Returns whether a report is of the whole entity, whose months have totals.
fn is_whole(what: &Question) -> bool {
    [what.customer_id, what.variant_id, what.branch_id, what.warehouse_id].iter().all(Option::is_none)
}

fn sum_whole(what: &Question, summed: Option<Summed>) -> impl Batch<Answer = BTreeMap<Month, [Amount; FIGURES]>> {
    let days = (Some(parse(&what.since)), Some(parse(&what.until)));
    sum_deliveries(what.legal_entity_id.into(), &what.currency_code, days, summed)
}

fn sum_months(what: &Question) -> Result<Report, Problem> {
    let months = read_settled(what.legal_entity_id.into(), |summed| sum_whole(what, summed))?;
    let total = show_figures(String::new(), add_up(months.values().copied())?);
    let moved = months.into_iter().filter(|(_, figures)| figures.iter().any(|figure| !figure.is_zero()));
    let rows = moved.map(|(month, figures)| show_figures(month.to_string(), figures)).collect();
    Ok(Report { rows, total, next: None })
}

/// Days, variants, customers and places have no totals: their groups are sums of the lines of the report's days, 366 at
/// most. A page of variants or customers is read in their order, so that it reads only the lines of its own groups,
/// and all pages together read each line once.
fn sum_groups<T: Totals>(
    what: &Question,
    scope: &Filter,
    after: Option<Row>,
    limit: Option<u32>,
    into_figure: fn(T) -> Figure,
) -> Result<Report, Problem> {
    let groups = || aggregate::<T>(scope.clone()).after(after.clone()).limit(limit.unwrap_or(MOST_GROUPS));
    let (groups, total): (Rows<T>, Figure) = if is_whole(what) {
        let (groups, months) = read_settled(what.legal_entity_id.into(), |summed| (groups(), sum_whole(what, summed)))?;
        (groups, show_figures(String::new(), add_up(months.into_values())?))
    } else {
        let (groups, total) = run((groups(), aggregate::<Overall>(scope.clone()).one()))?;
        (groups, total.into_figure())
    };
    if groups.more && limit.is_none() {
        return Err(Problem::limit_exceeded("", i64::from(MOST_GROUPS), "ROWS"));
    }
    let rows: Vec<Figure> = groups.items.into_iter().map(into_figure).collect();
    let next = rows.last().map(|row| row.key.clone()).filter(|_| groups.more);
    Ok(Report { rows, total, next })
}

/// Counts and quantities with no more digits than theirs.
fn show_figures(key: String, [documents, quantity, revenue, cost, costed, uncosted]: [Amount; FIGURES]) -> Figure {
    let quantity_of = |sum: Amount| SignedQuantity::from_units(sum.units() / ONE);
    Figure {
        key,
        documents: u64::try_from(documents.units() / (ONE * ONE)).unwrap_or_default(),
        quantity: quantity_of(quantity).to_string(),
        revenue: revenue.to_string(),
        cost: (!costed.is_zero()).then(|| cost.to_string()),
        uncosted: quantity_of(uncosted).to_string(),
    }
}

/// One, in millionths.
const ONE: i128 = 1_000_000;
