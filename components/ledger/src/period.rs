//! Accounting periods: every calendar month from the start of the books is one, and open until it is closed.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use stoa_sdk::store::{get, run, select};
use stoa_sdk::{Answer, Call, Date, Id, Instant, Problem, Reply, all, collection, map, text_enum};

use crate::balance::Amount;
use crate::entity::EntityRow;
use crate::entry::BranchKey;
use crate::month::{self, Month, today};
use crate::refusal::invalid;

text_enum! {
    /// Of a month. No entry is dated in a CLOSED one.
    pub enum PeriodStatus { Open => "OPEN", Closed => "CLOSED" }
}

collection! {
    // A month without a row is open and was never closed.
    pub record PeriodRow in "period" {
        legal_entity_id: Id,
        month: Month,
        status: PeriodStatus,
        // Counts the closings; the snapshot of the last one counts.
        closing_no: i64,
        closed_at: Option<Instant>,
        closed_by: Option<String>,
        reopened_at: Option<Instant>,
        reopen_reason: Option<String>,
    }
    unique { month: [legal_entity_id, month] }
}

collection! {
    // Both sides of an account at a branch since the start of the books, at the end of a month, as a closing found them.
    pub ledger TotalRow in "period_total" {
        legal_entity_id: Id,
        month: Month,
        closing_no: i64,
        account_id: Id,
        branch: BranchKey,
        debit: Amount,
        credit: Amount,
    }
    unique { total: [legal_entity_id, month, closing_no, account_id, branch] }
}

/// A month of an entity's books.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Period {
    legal_entity_id: Id,
    /// YYYY-MM.
    month: String,
    from: Option<Date>,
    to: Option<Date>,
    status: PeriodStatus,
    /// 1 until the month is closed for the first time.
    version: i64,
    closed_at: Option<Instant>,
    /// The user who closed it last.
    closed_by: Option<String>,
    reopened_at: Option<Instant>,
}

impl Period {
    pub fn of(entity: Id, month: Month, row: Option<PeriodRow>) -> Period {
        Period {
            legal_entity_id: entity,
            month: month.to_string(),
            from: month.first_day(),
            to: month.last_day(),
            status: row.as_ref().map_or(PeriodStatus::Open, |row| row.status),
            version: version(row.as_ref()),
            closed_at: row.as_ref().and_then(|row| row.closed_at),
            closed_by: row.as_ref().and_then(|row| row.closed_by.clone()),
            reopened_at: row.and_then(|row| row.reopened_at),
        }
    }
}

/// A month begins with version 1 and has a row from its second version on.
pub fn version(row: Option<&PeriodRow>) -> i64 {
    row.map_or(1, |row| row.version + 1)
}

/// The months of one year.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Periods {
    items: Vec<Period>,
    /// Always null: a year is one page.
    next_cursor: (),
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ListPeriods {
    /// Of the calendar.
    #[schemars(range(min = 1, max = 9999))]
    year: u32,
}

pub fn list(call: &Call) -> Answer {
    let id = call.path_id("id")?;
    let query: ListPeriods = call.query()?;
    let first = Month::read(&format!("{:04}-01", query.year)).ok_or_else(|| invalid("/query/year", "RANGE"))?;
    let months: Vec<Month> = std::iter::successors(Some(first), |month| Some(month.next())).take(12).collect();
    let these = PeriodRow::month.one_of(months.iter().copied());
    let (entity, rows) =
        run((get::<EntityRow>(id), select::<PeriodRow>(all([PeriodRow::legal_entity_id.eq(id), these]))))?;
    let entity = entity.ok_or_else(Problem::not_found)?;
    let mut rows = map(rows.items.into_iter().map(|row| (row.month, row)));
    let items = match entity.books() {
        None => Vec::new(),
        Some(books) => {
            let (first, last) = (Month::of(books.start_on), Month::of(today()));
            let within = months.into_iter().filter(|month| (first..=last).contains(month));
            within.map(|month| Period::of(id, month, rows.remove(&month))).collect()
        }
    };
    Ok(Reply::json(&Periods { items, next_cursor: () }))
}

/// The month in the path; it is read as text, so that what is none is told.
#[derive(Deserialize, JsonSchema)]
pub struct PeriodPath {
    #[schemars(regex(pattern = month::PATTERN))]
    pub month: String,
}
