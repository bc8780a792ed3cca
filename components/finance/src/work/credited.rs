//! Credits of customers in reports of sales: whole ones by day, month and customer; by variant, and of one variant, their lines.

use std::collections::BTreeMap;

use stoa_sdk::store::{Totals, aggregate, run};
use stoa_sdk::{Date, Filter, Id, Problem, all, map, totals};
use stoa_trade::dates::Month;
use stoa_trade::lists::equals;
use stoa_trade::quantity::{Sum, sum};
use stoa_trade::snapshot::read_settled;

use crate::records::credit::CreditedLineRow;
use crate::records::party_entry::PartyEntryRow;
use crate::work::balances::{of_credits, sum_credited};
use crate::work::entries::negate;
use crate::work::month_totals::to_sum;
use crate::work::revenue::{GroupBy, Scope, skip_zeros};

totals! { CreditsByDay of PartyEntryRow by [on_date: Date] { amount: Sum = sum(amount) } }
totals! { CreditsByMonth of PartyEntryRow by [month: Month] { amount: Sum = sum(amount) } }
totals! { CreditsByCustomer of PartyEntryRow by [party_id: Id] { amount: Sum = sum(amount) } }
totals! { AllCredits of PartyEntryRow by [] { amount: Sum = sum(amount) } }

totals! { LinesByDay of CreditedLineRow by [on_date: Date] { amount: Sum = sum(amount) } }
totals! { LinesByMonth of CreditedLineRow by [month: Month] { amount: Sum = sum(amount) } }
totals! { LinesByVariant of CreditedLineRow by [variant_id: Id] { amount: Sum = sum(amount) } }
totals! { LinesByCustomer of CreditedLineRow by [customer_id: Id] { amount: Sum = sum(amount) } }
totals! { AllLines of CreditedLineRow by [] { amount: Sum = sum(amount) } }

/// Credits of a report.
#[derive(Debug, Default)]
pub struct Credits {
    pub groups: BTreeMap<String, Sum>,
    /// None where no credit is in a group.
    pub total: Option<Sum>,
    /// The sum of credits without lines, where the report counts lines: these credits are in no group.
    pub without_lines: Option<Sum>,
    /// True if the groups have all credits, so that any other group has none.
    pub is_whole: bool,
}

/// The credits of a report, by its groups. A credit has neither branch nor warehouse.
pub fn read_credits(scope: &Scope, by: GroupBy) -> Result<Credits, Problem> {
    let is_of_place = scope.branch.is_some() || scope.warehouse.is_some();
    if is_of_place || matches!(by, GroupBy::Branch | GroupBy::Warehouse) {
        return Ok(Credits::default());
    }
    if by == GroupBy::Variant || scope.variant.is_some() { read_lines(scope, by) } else { read_whole(scope, by) }
}

fn filter_credits(scope: &Scope) -> Filter {
    all([
        of_credits(),
        PartyEntryRow::legal_entity_id.eq(scope.entity),
        PartyEntryRow::currency_code.eq(scope.currency_code.as_str()),
        PartyEntryRow::on_date.ge(scope.from),
        PartyEntryRow::on_date.le(scope.to),
        equals(PartyEntryRow::party_id, scope.customer),
    ])
}

/// Whole credits by month; None of one customer's, which have no totals.
fn read_months(scope: &Scope) -> Result<Option<BTreeMap<Month, Sum>>, Problem> {
    if scope.customer.is_some() {
        return Ok(None);
    }
    let months =
        read_settled(scope.entity, |summed| sum_credited(scope.entity, &scope.currency_code, scope.days(), summed))?;
    Ok(Some(map(skip_zeros(months).map(|(month, [amount])| (month, negate(to_sum(amount)))))))
}

/// The sum of whole credits. A sum of months reads few rows where a sum of entries reads all that customers did.
fn sum_whole(scope: &Scope, months: Option<&BTreeMap<Month, Sum>>) -> Result<Sum, Problem> {
    match months {
        Some(months) => sum(months.values().copied()),
        None => Ok(negate(run(aggregate::<AllCredits>(filter_credits(scope)).one())?.amount)),
    }
}

fn read_whole(scope: &Scope, by: GroupBy) -> Result<Credits, Problem> {
    let filter = filter_credits(scope);
    let months = read_months(scope)?;
    let total = sum_whole(scope, months.as_ref())?;
    let groups = match (by, months) {
        (GroupBy::Month, Some(months)) => map(months.into_iter().map(|(month, amount)| (month.to_string(), amount))),
        (GroupBy::Month, None) => {
            group(&filter, |group: CreditsByMonth| (group.month.to_string(), negate(group.amount)))?
        }
        (GroupBy::Customer, _) => {
            group(&filter, |group: CreditsByCustomer| (group.party_id.to_string(), negate(group.amount)))?
        }
        _ => group(&filter, |group: CreditsByDay| (group.on_date.to_string(), negate(group.amount)))?,
    };
    Ok(Credits { groups, total: Some(total), without_lines: None, is_whole: true })
}

/// Lines of credits by group. They have no totals by month: a page sums those of the report's days, 366 at most, which
/// users wrote.
fn read_lines(scope: &Scope, by: GroupBy) -> Result<Credits, Problem> {
    let of_all = all([
        CreditedLineRow::legal_entity_id.eq(scope.entity),
        CreditedLineRow::currency_code.eq(scope.currency_code.as_str()),
        CreditedLineRow::on_date.ge(scope.from),
        CreditedLineRow::on_date.le(scope.to),
        equals(CreditedLineRow::customer_id, scope.customer),
    ]);
    let filter = all([of_all.clone(), equals(CreditedLineRow::variant_id, scope.variant)]);
    let groups = match by {
        GroupBy::Variant => group(&filter, |group: LinesByVariant| (group.variant_id.to_string(), group.amount))?,
        GroupBy::Month => group(&filter, |group: LinesByMonth| (group.month.to_string(), group.amount))?,
        GroupBy::Customer => group(&filter, |group: LinesByCustomer| (group.customer_id.to_string(), group.amount))?,
        _ => group(&filter, |group: LinesByDay| (group.on_date.to_string(), group.amount))?,
    };
    let with_lines = run(aggregate::<AllLines>(of_all).one())?.amount;
    let without_lines = sum([sum_whole(scope, read_months(scope)?.as_ref())?, negate(with_lines)])?;
    let total = sum(groups.values().copied())?;
    let total = (!groups.is_empty()).then_some(total);
    Ok(Credits { groups, total, without_lines: Some(without_lines), is_whole: false })
}

fn group<T: Totals>(filter: &Filter, keyed: fn(T) -> (String, Sum)) -> Result<BTreeMap<String, Sum>, Problem> {
    let groups = run(aggregate::<T>(filter.clone()).without_zeros().whole())?;
    Ok(map(groups.into_iter().map(keyed)))
}
