//! Accounting periods: every calendar month from the start of the books is one, and open until it is closed.

use stoa_sdk::{Date, Id, Instant, collection, new_id, text_enum};
use stoa_trade::dates::Month;
use stoa_trade::quantity::Amount;
use stoa_trade::{new_record, resource};

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
        new_record!(PeriodRow {
            id: new_id(),
            legal_entity_id: entity,
            month,
            status: PeriodStatus::Open,
            closing_no: 0,
            closed_at: None,
            closed_by: None,
            reopened_at: None,
            reopen_reason: None,
        })
    }
}

resource! {
    /// A month of an entity's books.
    pub struct Period of row: Option<PeriodRow>, entity: Id, month: Month {
        legal_entity_id: Id = entity,
        /// YYYY-MM.
        month: String = month.to_string(),
        from: Option<Date> = month.first_day(),
        to: Option<Date> = month.last_day(),
        status: PeriodStatus = row.as_ref().map_or(PeriodStatus::Open, |row| row.status),
        /// Version of the month; 1 until it is closed for the first time.
        version: i64 = version(row.as_ref()),
        closed_at: Option<Instant> = row.as_ref().and_then(|row| row.closed_at),
        /// Id of the user who closed it last; null if it was never closed.
        closed_by: Option<String> = row.as_ref().and_then(|row| row.closed_by.clone()),
        reopened_at: Option<Instant> = row.as_ref().and_then(|row| row.reopened_at),
    }
}

/// A month begins with version 1 and has a row from its second version on.
pub fn version(row: Option<&PeriodRow>) -> i64 {
    row.map_or(1, |row| row.version + 1)
}
