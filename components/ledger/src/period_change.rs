//! Closing and reopening months, alone with the books: whoever posts is done before, and seen, or waits and is refused.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;
use stoa_sdk::store::{Aggregate, MOST_ROWS, Row, aggregate, find, get, insert, lock, run, update};
use stoa_sdk::{Answer, Call, Field, Filter, Id, Instant, Problem, Reply, Text, all, facts, new_ids};

use crate::balance::{self, Amount, Base, Sums};
use crate::entity::{EntityRow, books_lock};
use crate::entry::{BranchKey, LineRow};
use crate::month::{Month, today};
use crate::period::{Period, PeriodPath, PeriodRow, PeriodStatus, TotalRow, version};
use crate::refusal::{expect_version, illegal};

/// Pages of sums that a closing reads of the snapshot before and of the month's lines, at most.
const PAGES: usize = 4;

/// What is expected of the month.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CloseInput {
    /// 1 where the month was never closed.
    #[schemars(range(min = 1, max = 2_147_483_646))]
    expected_version: i64,
}

/// What is expected of the month, and why it is opened again.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ReopenInput {
    #[schemars(range(min = 1, max = 2_147_483_646))]
    expected_version: i64,
    reason: Text<1, 1000>,
}

/// A month of the books, with everybody else kept away from them.
struct Standing {
    entity: Id,
    first: Month,
    month: Month,
    row: Option<PeriodRow>,
    /// The last closed month of all.
    base: Option<Base>,
}

fn standing(call: &Call, expected: i64) -> Result<Standing, Problem> {
    let entity = call.path_id("id")?;
    let PeriodPath { month } = call.path()?;
    let month = Month::read(&month).ok_or_else(Problem::not_found)?;
    let (_, row, period, base) = run((
        lock(books_lock(entity)),
        get::<EntityRow>(entity),
        find::<PeriodRow>("month", [vec![entity.put(), month.put()]]),
        balance::last_closed(entity, None),
    ))?;
    let books = row.as_ref().and_then(EntityRow::books).ok_or_else(Problem::not_found)?;
    let first = Month::of(books.start_on);
    if month < first {
        return Err(Problem::not_found());
    }
    let period = period.into_iter().next();
    expect_version(expected, version(period.as_ref()))?;
    Ok(Standing { entity, first, month, row: period, base: balance::base(&base) })
}

impl Standing {
    fn is_closed(&self) -> bool {
        self.row.as_ref().is_some_and(|row| row.status == PeriodStatus::Closed)
    }

    fn answer(self, row: PeriodRow) -> Reply {
        let id = row.id;
        Reply::json(&Period::of(self.entity, self.month, Some(row)))
            .resource(id)
            .subject(self.entity)
            .changed(vec!["status"])
    }
}

pub fn close(call: &Call) -> Answer {
    let input: CloseInput = call.body()?;
    let standing = standing(call, input.expected_version)?;
    let (entity, month) = (standing.entity, standing.month);
    if standing.is_closed() {
        return Err(illegal("/path/month", "CLOSED"));
    }
    if month >= Month::of(today()) {
        return Err(illegal("/path/month", "MONTH_NOT_ENDED"));
    }
    let next = standing.base.map_or(standing.first, |base| base.month.next());
    if month != next {
        return Err(illegal("/path/month", "EARLIER_MONTH_OPEN"));
    }
    let closing_no = standing.row.as_ref().map_or(0, |row| row.closing_no) + 1;
    let totals = totals(entity, month, standing.base)?;
    let now = Instant(facts().now);
    let ids = new_ids(u32::try_from(totals.len() + 1).map_err(|_| Problem::limit_exceeded())?);
    let rows: Vec<TotalRow> = totals
        .into_iter()
        .zip(&ids)
        .map(|((account_id, branch, sums), id)| TotalRow {
            id: *id,
            created_at: now,
            updated_at: now,
            legal_entity_id: entity,
            month,
            closing_no,
            account_id,
            branch,
            debit: sums.debit,
            credit: sums.credit,
        })
        .collect();
    let snapshot: Vec<_> = rows.chunks(MOST_ROWS as usize).map(insert).collect();
    let closed_by = Some(facts().actor);
    let row = match standing.row.clone() {
        Some(row) => PeriodRow {
            status: PeriodStatus::Closed,
            closing_no,
            closed_at: Some(now),
            closed_by,
            updated_at: now,
            version: row.version + 1,
            ..row
        },
        None => PeriodRow {
            id: ids.last().copied().unwrap_or(entity),
            version: 1,
            created_at: now,
            updated_at: now,
            legal_entity_id: entity,
            month,
            status: PeriodStatus::Closed,
            closing_no,
            closed_at: Some(now),
            closed_by,
            reopened_at: None,
            reopen_reason: None,
        },
    };
    let is_new = standing.row.is_none();
    let first = is_new.then(|| insert([&row]));
    let again = (!is_new).then(|| {
        update::<PeriodRow>(row.id)
            .set(PeriodRow::status, &row.status)
            .set(PeriodRow::closing_no, &row.closing_no)
            .set(PeriodRow::closed_at, &row.closed_at)
            .set(PeriodRow::closed_by, &row.closed_by)
    });
    run((snapshot, first, again))?;
    Ok(standing.answer(row))
}

pub fn reopen(call: &Call) -> Answer {
    let input: ReopenInput = call.body()?;
    let standing = standing(call, input.expected_version)?;
    let row = match standing.row.clone() {
        Some(row) if row.status == PeriodStatus::Closed => row,
        _ => return Err(illegal("/path/month", "NOT_CLOSED")),
    };
    if standing.base.is_some_and(|base| base.month > standing.month) {
        return Err(illegal("/path/month", "LATER_MONTH_CLOSED"));
    }
    let now = Instant(facts().now);
    let after = PeriodRow {
        status: PeriodStatus::Open,
        reopened_at: Some(now),
        reopen_reason: Some(input.reason.into()),
        updated_at: now,
        version: row.version + 1,
        ..row
    };
    run(update::<PeriodRow>(after.id)
        .set(PeriodRow::status, &after.status)
        .set(PeriodRow::reopened_at, &after.reopened_at)
        .set(PeriodRow::reopen_reason, &after.reopen_reason))?;
    Ok(standing.answer(after))
}

/// A group of sums: the account and the branch.
type Group = (Id, String);

/// Both sides by account and branch at the end of the month: the snapshot before and the month's lines.
pub fn totals(entity: Id, month: Month, base: Option<Base>) -> Result<Vec<(Id, BranchKey, Sums)>, Problem> {
    let mut sums: BTreeMap<Group, Sums> = BTreeMap::new();
    if let Some(base) = base {
        let of = all([
            TotalRow::legal_entity_id.eq(entity),
            TotalRow::month.eq(base.month),
            TotalRow::closing_no.eq(base.closing_no),
        ]);
        add(&mut sums, || {
            aggregate::<TotalRow>(of.clone())
                .by(TotalRow::account_id)
                .by(TotalRow::branch)
                .sum(TotalRow::debit, Filter::default())
                .sum(TotalRow::credit, Filter::default())
        })?;
    }
    let of = all([LineRow::legal_entity_id.eq(entity), LineRow::month.eq(month)]);
    add(&mut sums, || {
        aggregate::<LineRow>(of.clone())
            .by(LineRow::account_id)
            .by(LineRow::branch)
            .sum(LineRow::debit, Filter::default())
            .sum(LineRow::credit, Filter::default())
    })?;
    let branch = |text: String| BranchKey::take(text.put()).unwrap_or(BranchKey(None));
    Ok(sums.into_iter().map(|((account, text), sums)| (account, branch(text), sums)).collect())
}

/// Adds every page of the aggregate.
fn add(sums: &mut BTreeMap<Group, Sums>, ask: impl Fn() -> Aggregate) -> Result<(), Problem> {
    let mut after: Option<Row> = None;
    for _ in 0..PAGES {
        let page = balance::run_sums(ask().after(after.take()))?;
        let full = page.len() >= MOST_ROWS as usize;
        after = page.last().map(|row| row.iter().take(2).cloned().collect());
        for row in page {
            let Some((group, more)) = read(row) else { continue };
            let entry = sums.entry(group).or_default();
            *entry = entry.add(more).ok_or_else(Problem::limit_exceeded)?;
        }
        if !full {
            return Ok(());
        }
    }
    // More accounts times branches than one request may read.
    Err(Problem::limit_exceeded())
}

fn read(row: Row) -> Option<(Group, Sums)> {
    let mut values = row.into_iter();
    let account = Id::take(values.next()?)?;
    let branch = String::take(values.next()?)?;
    Some(((account, branch), Sums { debit: Amount::take(values.next()?)?, credit: Amount::take(values.next()?)? }))
}
