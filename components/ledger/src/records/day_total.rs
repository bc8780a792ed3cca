//! Day totals: running sums of the journal by day, account and branch. Derived from the lines: only the lines are the books.

use stoa_sdk::{Date, Id, collection};
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
