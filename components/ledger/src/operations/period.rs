//! Months of the books: listing them, closing and reopening them under the books' exclusive lock, so that a request
//! that posts is done before, and seen, or waits and is rejected.

use schemars::JsonSchema;
use serde::Deserialize;
use stoa_sdk::store::{MOST_ROWS, find, get, insert, lock, run, select};
use stoa_sdk::{
    Answer, Bounds, Call, Field, Id, Operation, Page, Problem, Reply, Text, all, facts, map, new_id, now, today,
};
use stoa_trade::dates::Month;
use stoa_trade::document::version::ExpectedVersion;
use stoa_trade::refusal::{illegal, out_of_range};
use stoa_trade::snapshot::{Summed, find_summed};
use stoa_trade::{Change, new_row, require_unarchived};

use crate::records::entity::EntityRow;
use crate::records::period::{PERIOD, Period, PeriodRow, PeriodStatus, TotalRow, version};
use crate::records::permission::SETTINGS;
use crate::rules::books::books_lock;
use crate::rules::sums::Sums;
use crate::work::balance::{self, Base};
use crate::work::snapshot::{Group, MonthSums};

#[rustfmt::skip]
pub const OPERATIONS: &[Operation] = &[
    Operation::read("/ledger/legal-entities/{id}/periods", "listPeriods", list)
        .summary("Months of a legal entity's books in a year")
        .description("From the first month of the books to the current one. Empty without books.")
        .for_members().query::<ListPeriods>().answers::<Page<Period>>(),
    Operation::transition("/ledger/legal-entities/{id}/periods/{month}/close", "closePeriod",
        close)
        .summary("Close a month").description("Closes a month that is over, after every earlier month. Its totals are stored.")
        .without_if_match().needs(SETTINGS).path::<PeriodPath>().body::<CloseInput>().answers::<Period>()
        .writes(PERIOD, &[]).problems(&["VERSION_CONFLICT", "ARCHIVED", "ILLEGAL_STATE", "LIMIT_EXCEEDED"])
        .item_codes(&["CLOSED", "EARLIER_MONTH_OPEN", "MONTH_NOT_ENDED"]),
    Operation::transition("/ledger/legal-entities/{id}/periods/{month}/reopen", "reopenPeriod",
        reopen)
        .summary("Reopen a closed month").description("Reopens the last closed month. An earlier one is rejected.")
        .without_if_match().needs(SETTINGS).path::<PeriodPath>().body::<ReopenInput>().answers::<Period>()
        .writes(PERIOD, &[]).problems(&["VERSION_CONFLICT", "ARCHIVED", "ILLEGAL_STATE"])
        .item_codes(&["LATER_MONTH_CLOSED", "NOT_CLOSED"]),
];

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ListPeriods {
    /// Calendar year.
    #[schemars(range(min = 1, max = 9999))]
    year: u32,
}

/// The month in the path.
#[derive(Deserialize, JsonSchema)]
pub struct PeriodPath {
    /// `YYYY-MM`.
    pub month: Month,
}

/// Preconditions of closing the month.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CloseInput {
    /// Version of the month; 1 if it was never closed.
    #[schemars(range(min = 1, max = 2_147_483_646))]
    expected_version: i64,
}

/// Preconditions of reopening the month, and the reason.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ReopenInput {
    #[schemars(range(min = 1, max = 2_147_483_646))]
    expected_version: i64,
    reason: Text<1, 1000>,
}

pub fn list(call: &Call) -> Answer {
    let id = call.path_id("id")?;
    let query: ListPeriods = call.query()?;
    let first = Month::read(&format!("{:04}-01", query.year))
        .ok_or_else(|| out_of_range("/query/year", Bounds::between(1_i64, 9_999_i64)))?;
    let months: Vec<Month> = std::iter::successors(Some(first), |month| Some(month.next())).take(12).collect();
    let these = PeriodRow::month.one_of(months.iter().copied());
    let (entity, rows) =
        run((get::<EntityRow>(id), select::<PeriodRow>(all([PeriodRow::legal_entity_id.eq(id), these])).whole()))?;
    let entity = entity.ok_or_else(Problem::not_found)?;
    let mut rows = map(rows.into_iter().map(|row| (row.month, row)));
    let items = match entity.books() {
        None => Vec::new(),
        Some(books) => {
            let (first, last) = (Month::from_day(books.start_on), Month::from_day(today()));
            let within = months.into_iter().filter(|month| (first..=last).contains(month));
            within.map(|month| Period::from_row(&rows.remove(&month), id, month)).collect()
        }
    };
    // A year is one page.
    Ok(Reply::json(&Page { items, next_cursor: None }))
}

/// A month of the books, with everybody else kept away from them.
struct LockedMonth {
    entity: Id,
    first: Month,
    month: Month,
    row: Option<PeriodRow>,
    /// The last closed month of all.
    base: Option<Base>,
    summed: Option<Summed>,
}

fn lock_month(call: &Call, expected: i64) -> Result<LockedMonth, Problem> {
    let entity = call.path_id("id")?;
    let PeriodPath { month } = call.path()?;
    let (_, row, period, base, summed) = run((
        lock(books_lock(entity)),
        get::<EntityRow>(entity),
        find::<PeriodRow>("month", [vec![entity.put(), month.put()]]),
        balance::select_last_closed(entity, None),
        // Held: a backfill, which posts nothing, would sum lines between the pages of a closing.
        find_summed(entity).locked(),
    ))?;
    let row = row.ok_or_else(Problem::not_found)?;
    let books = row.books().ok_or_else(Problem::not_found)?;
    let first = Month::from_day(books.start_on);
    if month < first {
        return Err(Problem::not_found());
    }
    let period = period.into_iter().next();
    ExpectedVersion(expected).check(version(period.as_ref()))?;
    require_unarchived(row)?;
    Ok(LockedMonth { entity, first, month, row: period, base, summed: summed.first().copied() })
}

impl LockedMonth {
    fn is_closed(&self) -> bool {
        self.row.as_ref().is_some_and(|row| row.status == PeriodStatus::Closed)
    }

    fn answer(self, row: PeriodRow) -> Reply {
        let id = row.id;
        let period = Period::from_row(&Some(row), self.entity, self.month);
        Reply::json(&period).resource(id).subject(self.entity).changed(["status"])
    }
}

pub fn close(call: &Call) -> Answer {
    let input: CloseInput = call.body()?;
    let locked = lock_month(call, input.expected_version)?;
    let (entity, month) = (locked.entity, locked.month);
    if locked.is_closed() {
        return Err(illegal("/path/month", "CLOSED"));
    }
    if month >= Month::from_day(today()) {
        return Err(illegal("/path/month", "MONTH_NOT_ENDED"));
    }
    let next = locked.base.map_or(locked.first, |base| base.month.next());
    if month != next {
        return Err(illegal("/path/month", "EARLIER_MONTH_OPEN"));
    }
    let closing_no = locked.row.as_ref().map_or(0, |row| row.closing_no) + 1;
    keep_totals(&MonthSums { entity, month, base: locked.base, summed: locked.summed }, closing_no)?;
    let close = |row: PeriodRow| PeriodRow {
        status: PeriodStatus::Closed,
        closing_no,
        closed_at: Some(now()),
        closed_by: Some(facts().actor.clone()),
        ..row
    };
    let row = match locked.row.clone() {
        None => {
            let row = close(PeriodRow::new(entity, month));
            run(insert([&row]))?;
            row
        }
        Some(row) => {
            let change = Change::new(&row, close(row.clone()))?;
            run(change.update())?;
            change.into_after()
        }
    };
    Ok(locked.answer(row))
}

/// Keeps the month's totals, as many pages as there are.
fn keep_totals(month_sums: &MonthSums, closing_no: i64) -> Result<(), Problem> {
    let total = |((account_id, branch), sums): (Group, Sums)| {
        new_row!(TotalRow {
            id: new_id(),
            legal_entity_id: month_sums.entity,
            month: month_sums.month,
            closing_no,
            account_id,
            branch,
            debit: sums.debit,
            credit: sums.credit,
        })
    };
    let mut after = None;
    loop {
        let page = month_sums.page(after)?;
        let rows: Vec<TotalRow> = page.sums.into_iter().map(total).collect();
        run(rows.chunks(MOST_ROWS as usize).map(insert).collect::<Vec<_>>())?;
        after = page.next;
        if after.is_none() {
            return Ok(());
        }
    }
}

pub fn reopen(call: &Call) -> Answer {
    let input: ReopenInput = call.body()?;
    let locked = lock_month(call, input.expected_version)?;
    let row = match locked.row.clone() {
        Some(row) if row.status == PeriodStatus::Closed => row,
        _ => return Err(illegal("/path/month", "NOT_CLOSED")),
    };
    if locked.base.is_some_and(|base| base.month > locked.month) {
        return Err(illegal("/path/month", "LATER_MONTH_CLOSED"));
    }
    let after = PeriodRow {
        status: PeriodStatus::Open,
        reopened_at: Some(now()),
        reopen_reason: Some(input.reason.into()),
        ..row.clone()
    };
    let change = Change::new(&row, after)?;
    run(change.update())?;
    Ok(locked.answer(change.into_after()))
}
