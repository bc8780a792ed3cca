//! Day totals: running sums of the journal by day, account and branch, and how far its lines are in them. Derived from the lines,
//! which alone are the books.

use stoa_sdk::{Date, Id, Instant, collection, new_id, now, view};
use stoa_trade::dates::Month;
use stoa_trade::quantity::Amount;

use crate::records::entry::BranchKey;

collection! {
    // Both sides of an account at a branch, of the lines that are dated on a day and summed.
    pub projection DayTotalRow in "day_total" {
        legal_entity_id: Id,
        month: Month,
        account_id: Id,
        branch: BranchKey,
        entry_date: Date,
        debit: Amount,
        credit: Amount,
    }
    unique { total: [legal_entity_id, month, account_id, branch, entry_date] }
    index { [account_id, entry_date] }
    counters [debit, credit]
}

collection! {
    // Lines of an entity whose ids were made before `until` are in its day totals, all others are not. No row: none is.
    pub record SummedLinesRow in "summed_lines" {
        legal_entity_id: Id,
        until: Instant,
    }
    unique { entity: [legal_entity_id] }
}

view! {
    /// Up to where lines are in the day totals.
    #[derive(Copy, PartialEq, Eq)]
    pub Summed of SummedLinesRow { until: Instant }
}

impl SummedLinesRow {
    /// Of an entity of which no line is summed.
    pub fn new(entity: Id) -> SummedLinesRow {
        SummedLinesRow {
            id: new_id(),
            version: 1,
            created_at: now(),
            updated_at: now(),
            legal_entity_id: entity,
            until: Instant(0),
        }
    }
}
