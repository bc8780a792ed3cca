//! The ledger's invariants, checked in bounded batches: entries first, then day totals, snapshots and mappings.

use stoa_sdk::store::{get, get_all, read, select};
use stoa_sdk::{Filter, Finding, Findings, Id, map, set};
use stoa_trade::dates::Month;
use stoa_trade::quantity::Amount;
use stoa_trade::snapshot::{check_lines, check_totals, find_summed};
use stoa_trade::stages::{Batch, BatchRows, NOTHING_LEFT, Stage, finding, read_batch, verify_stages};

use crate::records::account::Postability;
use crate::records::entity::EntityRow;
use crate::records::entry::{BranchKey, EntryRow, LineRow};
use crate::records::mapping::RoleMappingRow;
use crate::records::period::{PeriodRow, PeriodStatus};
use crate::work::balance::{Base, select_last_closed};
use crate::work::day_totals::Journal;
use crate::work::snapshot::{Group, MonthSums, read_kept};

/// Entries of a batch; each has 200 lines at most.
const ENTRIES: u32 = 10;
const MAPPINGS: u32 = 50;

/// Periods have a cursor of their own: the stage only says where they begin.
const STAGES: &[Stage] = &[
    ("entry", entries),
    ("day", check_totals::<Journal, 2>),
    ("line", check_lines::<Journal, 2>),
    ("period", |_| NOTHING_LEFT),
    ("mapping", mappings),
];

/// The cursor names the stage and how far it came.
pub fn verify(cursor: Option<String>) -> Findings {
    let Some(after) = cursor.as_deref().and_then(|cursor| cursor.strip_prefix("period:")) else {
        return verify_stages(STAGES, cursor.as_deref());
    };
    let (findings, last) = periods(PeriodCursor::read(after));
    Findings { findings, next: Some(last.map_or("mapping:".to_owned(), |last| format!("period:{last}"))) }
}

/// LI1: every entry balances above zero; its lines are dated as it is, on accounts of its entity; a mirror mirrors.
fn entries(after: Option<Id>) -> Batch {
    let batch = read_batch::<EntryRow>(Filter::default(), after, ENTRIES);
    let Some(BatchRows { rows, last }) = batch else { return NOTHING_LEFT };
    let originals = set(rows.iter().filter_map(|entry| entry.reversal_of));
    let (lines, originals) = read((
        select::<LineRow>(LineRow::entry_id.one_of(rows.iter().map(|entry| entry.id))).whole(),
        get_all::<EntryRow>(originals),
    ));
    let accounts = read(get_all::<Postability>(set(lines.iter().map(|line| line.account_id))));
    let accounts = map(accounts.into_iter().map(|account| (account.id, account)));
    let mut findings = Vec::new();
    for entry in &rows {
        let entry_lines: Vec<&LineRow> = lines.iter().filter(|line| line.entry_id == entry.id).collect();
        let side = |amount: fn(&LineRow) -> Amount| {
            entry_lines.iter().map(|line| amount(line)).try_fold(Amount::ZERO, Amount::checked_add)
        };
        let (debit, credit) = (side(|line| line.debit), side(|line| line.credit));
        if debit != credit || debit != Some(entry.total) || entry.total <= Amount::ZERO {
            findings.push(finding("entry-balance", entry.id, "Debits, credits and total of the entry differ."));
        }
        if entry_lines.iter().any(|line| line.debit.is_zero() == line.credit.is_zero() || line.debit.is_negative()) {
            findings.push(finding("entry-line", entry.id, "A line of the entry has not exactly one side above zero."));
        }
        let strays = entry_lines.iter().any(|line| {
            line.legal_entity_id != entry.legal_entity_id
                || line.entry_date != entry.entry_date
                || line.month != Month::from_day(entry.entry_date)
                || accounts
                    .get(&line.account_id)
                    .is_none_or(|account| account.legal_entity_id != entry.legal_entity_id || !account.used)
        });
        if strays || entry.month != Month::from_day(entry.entry_date) {
            findings.push(finding("entry-line", entry.id, "A line's entity, date or account is not its entry's."));
        }
        let mirrored = entry.reversal_of.map(|reversed| originals.iter().find(|original| original.id == reversed));
        if mirrored.is_some_and(|original| original.is_none_or(|original| original.total != entry.total)) {
            findings.push(finding("entry-mirror", entry.id, "The entry's original is missing or has another total."));
        }
    }
    (findings, last)
}

/// The last month that is done, or the one under way and the last group of it that is done.
struct PeriodCursor {
    period: Option<Id>,
    group: Option<Group>,
}

impl PeriodCursor {
    fn read(text: &str) -> PeriodCursor {
        let mut parts = text.split(':');
        let period = parts.next().and_then(|id| id.parse().ok());
        let account = parts.next().and_then(|id| id.parse().ok());
        let branch = parts.next().map(|id| BranchKey(id.parse().ok()));
        PeriodCursor { period, group: account.zip(branch) }
    }
}

/// LI5: the snapshot of a closed month is the sum of the lines before it and its own. A page of one month a batch.
fn periods(after: PeriodCursor) -> (Vec<Finding>, Option<String>) {
    let period = match after {
        PeriodCursor { period: Some(id), group: Some(_) } => read(get::<PeriodRow>(id)),
        PeriodCursor { period, .. } => {
            read(select::<PeriodRow>(PeriodRow::status.eq(PeriodStatus::Closed)).after(period).limit(1)).items.pop()
        }
    };
    let Some(period) = period else { return (Vec::new(), None) };
    let (entity, month) = (period.legal_entity_id, period.month);
    let (entity_row, base, summed) =
        read((get::<EntityRow>(entity), select_last_closed(entity, month.first_day()), find_summed(entity)));
    let mut findings = Vec::new();
    let first = entity_row.and_then(|row| row.books()).map(|books| Month::from_day(books.start_on));
    if after.group.is_none() && base.map_or(first != Some(month), |base| base.month.next() != month) {
        findings.push(finding("period-order", period.id, "A month before this closed one is open."));
    }
    let sums = MonthSums { entity, month, base, summed: summed.first().copied() };
    let kept = Base { month, closing_no: period.closing_no };
    let done = Some(period.id.to_string());
    let (Ok(mut expected), Ok(mut kept)) = (sums.page(after.group), read_kept(entity, kept, after.group)) else {
        findings.push(finding("period-total", period.id, "The month's snapshot leaves the range of amounts."));
        return (findings, done);
    };
    let end = expected.next.into_iter().chain(kept.next).min();
    for page in [&mut expected, &mut kept] {
        page.sums.retain(|group, _| end.is_none_or(|end| *group <= end));
    }
    if expected.sums != kept.sums {
        findings.push(finding("period-total", period.id, "The month's snapshot is not the sum of its lines."));
        return (findings, done);
    }
    let text = |branch: BranchKey| branch.0.map_or("-".to_owned(), |id| id.to_string());
    let next = end.map(|(account, branch)| format!("{}:{account}:{}", period.id, text(branch)));
    (findings, next.or(done))
}

/// Mappings name postable accounts of their entity, and control accounts have their role.
fn mappings(after: Option<Id>) -> Batch {
    let batch = read_batch::<RoleMappingRow>(RoleMappingRow::account_id.not_null(), after, MAPPINGS);
    let Some(BatchRows { rows, last }) = batch else { return NOTHING_LEFT };
    let ids = set(rows.iter().filter_map(|row| row.account_id));
    let accounts = map(read(get_all::<Postability>(ids)).into_iter().map(|account| (account.id, account)));
    let mut findings = Vec::new();
    for row in &rows {
        let account = row.account_id.and_then(|id| accounts.get(&id));
        let control = row.role.facts().control.then_some(row.role);
        if !account.is_some_and(|account| account.takes_lines(row.legal_entity_id)) {
            findings.push(finding("mapping-account", row.id, "The role's account is missing, archived or a heading."));
        } else if account.is_some_and(|account| account.control_role != control) {
            let message = "The account and the mapping disagree on a control role.";
            findings.push(finding("mapping-control", row.id, message));
        }
    }
    (findings, last)
}
