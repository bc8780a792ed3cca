//! The journal and its totals by day, account and branch: what they are of. A month of ten million lines must close within a
//! request, so a closing reads the days, not the lines.

use stoa_sdk::store::Row;
use stoa_sdk::{Column, Date, Field, Filter, Id, all, totals};
use stoa_trade::dates::Month;
use stoa_trade::quantity::Amount;
use stoa_trade::snapshot::{Ledger, Snapshots, ledger_step};

use crate::records::day_total::DayTotalRow;
use crate::records::entry::{BranchKey, LineRow};
use crate::rules::books::books_lock;

/// How the day totals are brought forward.
pub const SNAPSHOTS: Snapshots = Snapshots { lock: "books", offset: 0, ledgers: &[ledger_step::<Journal, 2>()] };

/// Locks that a poster holds, shared, before it asks how far lines are summed.
pub fn posting_locks(entity: Id) -> [String; 2] {
    [books_lock(entity), SNAPSHOTS.own_lock(entity)]
}

/// Both sides of an account at a branch, day by day.
pub struct Journal;

totals! { pub LineSums of LineRow by [] { debit: Amount = sum(debit), credit: Amount = sum(credit) } }

impl Ledger<2> for Journal {
    type Row = LineRow;
    type Total = DayTotalRow;
    type Group = (Date, Id, BranchKey);
    type LineSums = LineSums;
    const INVARIANT: &'static str = "day-total";
    const LINE_ENTITY: Column<Id> = LineRow::legal_entity_id;
    const LINE_ID: Column<Id> = LineRow::id;
    const LINE_DAY: Column<Date> = LineRow::entry_date;
    const TOTAL_ENTITY: Column<Id> = DayTotalRow::legal_entity_id;
    const TOTAL_MONTH: Column<Month> = DayTotalRow::month;
    const FIGURES: [Column<Amount>; 2] = [DayTotalRow::debit, DayTotalRow::credit];

    fn read_line(line: &LineRow) -> (Id, Id, (Date, Id, BranchKey), [Amount; 2]) {
        let group = (line.entry_date, line.account_id, line.branch);
        (line.id, line.legal_entity_id, group, [line.debit, line.credit])
    }

    fn key(entity: Id, (day, account, branch): &(Date, Id, BranchKey)) -> Row {
        vec![entity.put(), Month::from_day(*day).put(), account.put(), branch.put(), day.put()]
    }

    fn read_total(total: &DayTotalRow) -> (Id, (Date, Id, BranchKey), [Amount; 2]) {
        let group = (total.entry_date, total.account_id, total.branch);
        (total.legal_entity_id, group, [total.debit, total.credit])
    }

    fn lines_of((day, account, branch): &(Date, Id, BranchKey)) -> Filter {
        all([LineRow::account_id.eq(*account), LineRow::entry_date.eq(*day), LineRow::branch.eq(*branch)])
    }

    fn read_sums(sums: &LineSums) -> [Amount; 2] {
        [sums.debit, sums.credit]
    }
}
