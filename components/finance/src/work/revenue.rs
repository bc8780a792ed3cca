//! Revenue by groups: what orders delivered, which sales returns, and what invoices recognised without one, merged by
//! key; credits in addition where they can be distinguished.

use std::collections::{BTreeMap, BTreeSet};

use stoa_sdk::store::{Batch, Totals, aggregate, run};
use stoa_sdk::{Date, Filter, Id, Problem, all, map, set, text_enum, totals};
use stoa_trade::clients::sales;
use stoa_trade::dates::Month;
use stoa_trade::lists::equals;
use stoa_trade::quantity::{Amount, Sum, sum};
use stoa_trade::snapshot::{Days, Summed, add_up, read_settled};

use crate::records::revenue_line::RevenueLineRow;
use crate::work::balances::sum_recognized;
use crate::work::credited::read_credits;
use crate::work::month_totals::to_sum;
use crate::work::ordered::parse;

text_enum! {
    /// Dimension by which the report groups.
    #[derive(Default)]
    pub enum GroupBy {
        #[default] Day => "DAY", Month => "MONTH", Variant => "VARIANT", Customer => "CUSTOMER", Branch => "BRANCH",
        Warehouse => "WAREHOUSE",
    }
}

/// Scope of revenue figures; both days are in it.
#[derive(Debug, Clone)]
pub struct Scope {
    pub entity: Id,
    pub currency_code: String,
    pub from: Date,
    pub to: Date,
    pub customer: Option<Id>,
    pub variant: Option<Id>,
    pub branch: Option<Id>,
    pub warehouse: Option<Id>,
}

/// The figures of a group.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Figures {
    /// Number of delivered orders and of invoices whose lines without an order were recognised.
    pub documents: i64,
    pub quantity: Sum,
    pub revenue: Amount,
    pub cost: Amount,
    pub uncosted: Sum,
    /// None where credits cannot be distinguished so, and in a group of a report of lines of credits that has none.
    pub credits: Option<Sum>,
}

/// A page of groups by their keys, and the figures of all of them. The key of what has none, such as revenue without a
/// variant, is empty; it comes last.
#[derive(Debug)]
pub struct Grouped {
    pub rows: Vec<(String, Figures)>,
    pub total: Figures,
    /// Credits that a report of their lines has in no group.
    pub credits_without_lines: Option<Sum>,
    pub next: Option<Id>,
}

/// Measures of revenue without an order.
macro_rules! recognized {
    ($name:ident by [$($key:ident: $type:ty)?] $text:expr) => {
        totals! {
            $name of RevenueLineRow by [$($key: $type)?] {
                documents: i64 = sum(document_count),
                quantity: Sum = sum(quantity),
                revenue: Amount = sum(revenue),
            }
        }

        impl $name {
            fn into_keyed(self) -> (String, Figures) {
                let text: fn(&$name) -> String = $text;
                let figures = Figures {
                    documents: self.documents,
                    quantity: self.quantity,
                    revenue: self.revenue,
                    ..Figures::default()
                };
                (text(&self), figures)
            }
        }
    };
}

fn text_of(id: Option<Id>) -> String {
    id.map(|id| id.to_string()).unwrap_or_default()
}

recognized! { Overall by [] |_| String::new() }
recognized! { ByDay by [on_date: Date] |group| group.on_date.to_string() }
recognized! { ByMonth by [month: Month] |group| group.month.to_string() }
recognized! { ByVariant by [variant_id: Option<Id>] |group| text_of(group.variant_id) }
recognized! { ByCustomer by [customer_id: Id] |group| group.customer_id.to_string() }
recognized! { ByBranch by [branch_id: Option<Id>] |group| text_of(group.branch_id) }

impl Scope {
    /// Returns whether it is of the whole entity, whose months have totals.
    fn is_whole(&self) -> bool {
        self.customer.is_none() && self.variant.is_none() && self.branch.is_none() && self.warehouse.is_none()
    }

    pub fn days(&self) -> Days {
        (Some(self.from), Some(self.to))
    }

    fn sum_recognized(&self, summed: Option<Summed>) -> impl Batch<Answer = BTreeMap<Month, [Amount; 3]>> {
        sum_recognized(self.entity, &self.currency_code, self.days(), summed)
    }

    /// Revenue without an order left no warehouse.
    fn filter_recognized(&self) -> Option<Filter> {
        self.warehouse.is_none().then(|| {
            all([
                RevenueLineRow::legal_entity_id.eq(self.entity),
                RevenueLineRow::currency_code.eq(self.currency_code.as_str()),
                RevenueLineRow::on_date.ge(self.from),
                RevenueLineRow::on_date.le(self.to),
                equals(RevenueLineRow::customer_id, self.customer),
                equals(RevenueLineRow::variant_id, self.variant),
                equals(RevenueLineRow::branch_id, self.branch),
            ])
        })
    }
}

/// Revenue by groups. `cursor` and `limit` are of groups by ids; others are one page.
///
/// # Errors
/// LIMIT_EXCEEDED where there are more groups than can be answered.
pub fn group_revenue(scope: &Scope, by: GroupBy, cursor: Option<Id>, limit: u32) -> Result<Grouped, Problem> {
    let sold = ask_sales(scope, by, cursor, limit)?;
    let (free, free_total) = read_recognized(scope, by)?;
    let credits = read_credits(scope, by)?;
    let mut rows: BTreeMap<String, Figures> = BTreeMap::new();
    for figure in &sold.rows {
        rows.insert(figure.key.clone(), read_figure(figure));
    }
    let is_paged = matches!(by, GroupBy::Variant | GroupBy::Customer | GroupBy::Warehouse);
    let after = cursor.filter(|_| is_paged).map(|id| id.to_string()).unwrap_or_default();
    // Beyond the last group of sales' page sales may have others.
    let until = sold.next.clone();
    let in_page = |key: &String| {
        if key.is_empty() {
            return until.is_none();
        }
        *key > after && until.as_ref().is_none_or(|until| key <= until)
    };
    for (key, figures) in free.into_iter().filter(|(key, _)| in_page(key)) {
        let row = rows.entry(key).or_default();
        *row = add(row, &figures)?;
    }
    for (key, amount) in credits.groups.iter().filter(|(key, _)| in_page(key)) {
        rows.entry(key.clone()).or_default().credits = Some(*amount);
    }
    if credits.is_whole {
        rows.values_mut().for_each(|row| row.credits = row.credits.or(Some(Sum::ZERO)));
    }
    let total = Figures { credits: credits.total, ..add(&read_figure(&sold.total), &free_total)? };
    let grouped = cut(rows, total, is_paged.then_some(limit), until.is_some());
    Ok(Grouped { credits_without_lines: credits.without_lines, ..grouped })
}

/// The first groups of a page, what has no key last.
fn cut(mut rows: BTreeMap<String, Figures>, total: Figures, limit: Option<u32>, has_more: bool) -> Grouped {
    let keyless = rows.remove("");
    let mut rows: Vec<(String, Figures)> = rows.into_iter().chain(keyless.map(|row| (String::new(), row))).collect();
    let most = limit.map_or(usize::MAX, |limit| limit as usize);
    let is_cut = rows.len() > most;
    rows.truncate(most);
    let last = rows.last().and_then(|(key, _)| key.parse().ok());
    Grouped { rows, total, credits_without_lines: None, next: last.filter(|_| is_cut || has_more) }
}

fn ask_sales(scope: &Scope, by: GroupBy, cursor: Option<Id>, limit: u32) -> Result<sales::Report, Problem> {
    let by = match by {
        GroupBy::Day => sales::Group::Day,
        GroupBy::Month => sales::Group::Month,
        GroupBy::Variant => sales::Group::Variant,
        GroupBy::Customer => sales::Group::Customer,
        GroupBy::Branch => sales::Group::Branch,
        GroupBy::Warehouse => sales::Group::Warehouse,
    };
    sales::service::figures(&sales::Question {
        legal_entity_id: scope.entity.into(),
        currency_code: scope.currency_code.clone(),
        since: scope.from.to_string(),
        until: scope.to.to_string(),
        by,
        customer_id: scope.customer.map(Into::into),
        variant_id: scope.variant.map(Into::into),
        branch_id: scope.branch.map(Into::into),
        warehouse_id: scope.warehouse.map(Into::into),
        cursor: cursor.map(|id| id.to_string()),
        limit,
    })
}

fn read_figure(figure: &sales::Figure) -> Figures {
    Figures {
        documents: i64::try_from(figure.documents).unwrap_or(i64::MAX),
        quantity: parse(&figure.quantity),
        revenue: parse(&figure.revenue),
        cost: figure.cost.as_deref().map(parse).unwrap_or_default(),
        uncosted: parse(&figure.uncosted),
        credits: None,
    }
}

fn add(one: &Figures, other: &Figures) -> Result<Figures, Problem> {
    Ok(Figures {
        documents: one.documents.saturating_add(other.documents),
        quantity: sum([one.quantity, other.quantity])?,
        revenue: sum([one.revenue, other.revenue])?,
        cost: sum([one.cost, other.cost])?,
        uncosted: sum([one.uncosted, other.uncosted])?,
        credits: None,
    })
}

type Keyed<T> = BTreeMap<String, T>;

/// Revenue without an order by group, and all of it. Groups other than months have no totals: a page sums the lines of
/// the report's days, 366 at most, and these are lines that users wrote on invoices, not sales of tills.
fn read_recognized(scope: &Scope, by: GroupBy) -> Result<(Keyed<Figures>, Figures), Problem> {
    let Some(filter) = scope.filter_recognized() else { return Ok(Default::default()) };
    match by {
        GroupBy::Day => group_recognized(scope, &filter, ByDay::into_keyed),
        GroupBy::Month if scope.is_whole() => read_recognized_months(scope),
        GroupBy::Month => group_recognized(scope, &filter, ByMonth::into_keyed),
        GroupBy::Variant => group_recognized(scope, &filter, ByVariant::into_keyed),
        GroupBy::Customer => group_recognized(scope, &filter, ByCustomer::into_keyed),
        GroupBy::Branch => group_recognized(scope, &filter, ByBranch::into_keyed),
        GroupBy::Warehouse => group_recognized(scope, &filter, Overall::into_keyed),
    }
}

fn group_recognized<T: Totals>(
    scope: &Scope,
    filter: &Filter,
    keyed: fn(T) -> (String, Figures),
) -> Result<(Keyed<Figures>, Figures), Problem> {
    let groups = || aggregate::<T>(filter.clone()).without_zeros().whole();
    let (groups, total) = if scope.is_whole() {
        let (groups, months) = read_settled(scope.entity, |summed| (groups(), scope.sum_recognized(summed)))?;
        (groups, to_figures(add_up(months.into_values())?))
    } else {
        let (groups, total) = run((groups(), aggregate::<Overall>(filter.clone()).one()))?;
        (groups, total.into_keyed().1)
    };
    Ok((map(groups.into_iter().map(keyed)), total))
}

fn read_recognized_months(scope: &Scope) -> Result<(Keyed<Figures>, Figures), Problem> {
    let months = read_settled(scope.entity, |summed| scope.sum_recognized(summed))?;
    let total = to_figures(add_up(months.values().copied())?);
    Ok((map(skip_zeros(months).map(|(month, figures)| (month.to_string(), to_figures(figures)))), total))
}

/// Months that do not add up to nothing.
pub fn skip_zeros<const N: usize>(months: BTreeMap<Month, [Amount; N]>) -> impl Iterator<Item = (Month, [Amount; N])> {
    months.into_iter().filter(|(_, figures)| figures.iter().any(|figure| !figure.is_zero()))
}

/// Counts and quantities with no more digits than theirs.
fn to_figures([documents, quantity, revenue]: [Amount; 3]) -> Figures {
    let (documents, quantity) = (to_sum(documents).units() / to_sum(ONE).units(), to_sum(quantity));
    Figures { documents: i64::try_from(documents).unwrap_or(i64::MAX), quantity, revenue, ..Figures::default() }
}

/// One, with the digits of an amount.
const ONE: Amount = Amount::from_units(1_000_000_000_000);

/// The ids among these keys.
pub fn ids_of(rows: &[(String, Figures)]) -> BTreeSet<Id> {
    set(rows.iter().filter_map(|(key, _)| key.parse().ok()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn f79_a_page_is_cut_and_leads_on() {
        let rows = |keys: &[&str]| map(keys.iter().map(|key| ((*key).to_owned(), Figures::default())));
        let (one, two) = (Id(0, 1).to_string(), Id(0, 2).to_string());
        let keys = |grouped: &Grouped| grouped.rows.iter().map(|(key, _)| key.clone()).collect::<Vec<_>>();
        let page = cut(rows(&["", &one, &two]), Figures::default(), Some(2), false);
        assert_eq!((keys(&page), page.next), (vec![one.clone(), two.clone()], Some(Id(0, 2))));
        let page = cut(rows(&["", &two]), Figures::default(), Some(2), false);
        assert_eq!((keys(&page), page.next), (vec![two, String::new()], None));
        let page = cut(rows(&[&one]), Figures::default(), Some(2), true);
        assert_eq!(page.next, Some(Id(0, 1)));
    }
}
