//! Accounting periods: every calendar month from the start of the books is one, and open until it is closed.

use schemars::JsonSchema;
use serde::Serialize;
use stoa_sdk::{Date, Id, Instant, collection, new_id, now, text_enum};
use stoa_trade::dates::Month;
use stoa_trade::quantity::Amount;

use crate::records::entry::BranchKey;

/// Name of this record type in the audit log.
pub const PERIOD: &str = "ACCOUNTING_PERIOD";

text_enum! {
    /// Status of a month. Entries dated in a CLOSED month are rejected.
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

impl PeriodRow {
    /// An open month.
    pub fn new(entity: Id, month: Month) -> PeriodRow {
        PeriodRow {
            id: new_id(),
            version: 1,
            created_at: now(),
            updated_at: now(),
            legal_entity_id: entity,
            month,
            status: PeriodStatus::Open,
            closing_no: 0,
            closed_at: None,
            closed_by: None,
            reopened_at: None,
            reopen_reason: None,
        }
    }
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
    /// Version of the month; 1 until it is closed for the first time.
    version: i64,
    closed_at: Option<Instant>,
    /// Id of the user who closed it last; null if it was never closed.
    closed_by: Option<String>,
    reopened_at: Option<Instant>,
}

impl Period {
    pub fn new(entity: Id, month: Month, row: Option<PeriodRow>) -> Period {
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
