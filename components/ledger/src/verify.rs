//! The ledger's invariants, checked in bounded batches: entries first, then snapshots, then mappings.

use std::collections::BTreeMap;

use stoa_sdk::store::{MOST_ROWS, get, get_all, read, select};
use stoa_sdk::{Finding, Findings, Id, map, set};
use stoa_trade::dates::Month;
use stoa_trade::quantity::Amount;

use crate::records::account::Postability;
use crate::records::entity::EntityRow;
use crate::records::entry::{BranchKey, EntryRow, LineRow};
use crate::records::mapping::RoleMappingRow;
use crate::records::period::{PeriodRow, PeriodStatus, TotalRow};
use crate::rules::sums::Sums;
use crate::work::balance::{Base, select_last_closed};
use crate::work::snapshot::{rows_of, sum_month};

/// Entries of a batch; each has 200 lines at most.
const ENTRIES: u32 = 10;
const MAPPINGS: u32 = 50;

fn finding(invariant: &str, resource: Id, message: &str) -> Finding {
    Finding { invariant: invariant.to_owned(), resource: Some(resource.into()), message: message.to_owned() }
}

/// The cursor names the stage and the last id.
pub fn verify(cursor: Option<String>) -> Findings {
    let cursor = cursor.unwrap_or_default();
    let (stage, after) = cursor.split_once(':').unwrap_or(("entry", ""));
    let after: Option<Id> = after.parse().ok();
    let (findings, last) = match stage {
        "entry" => entries(after),
        "period" => periods(after),
        _ => mappings(after),
    };
    let next = match (stage, last) {
        (stage, Some(last)) => Some(format!("{stage}:{last}")),
        ("entry", None) => Some("period:".to_owned()),
        ("period", None) => Some("mapping:".to_owned()),
        (_, None) => None,
    };
    Findings { findings, next }
}

/// LI1: every entry balances above zero; its lines are dated as it is, on accounts of its entity; a mirror mirrors.
fn entries(after: Option<Id>) -> (Vec<Finding>, Option<Id>) {
    let page = read(select::<EntryRow>(Default::default()).after(after).limit(ENTRIES));
    let last = page.items.last().filter(|_| page.more).map(|entry| entry.id);
    if page.items.is_empty() {
        return (Vec::new(), None);
    }
    let originals = set(page.items.iter().filter_map(|entry| entry.reversal_of));
    let (lines, originals) = read((
        select::<LineRow>(LineRow::entry_id.one_of(page.items.iter().map(|entry| entry.id))).whole(),
        get_all::<EntryRow>(originals),
    ));
    let accounts = read(get_all::<Postability>(set(lines.iter().map(|line| line.account_id))));
    let accounts = map(accounts.into_iter().map(|account| (account.id, account)));
    let mut findings = Vec::new();
    for entry in &page.items {
        let own: Vec<&LineRow> = lines.iter().filter(|line| line.entry_id == entry.id).collect();
        let side =
            |of: fn(&LineRow) -> Amount| own.iter().map(|line| of(line)).try_fold(Amount::ZERO, Amount::checked_add);
        let (debit, credit) = (side(|line| line.debit), side(|line| line.credit));
        if debit != credit || debit != Some(entry.total) || entry.total <= Amount::ZERO {
            findings.push(finding("entry-balance", entry.id, "Debits, credits and total of the entry differ."));
        }
        if own.iter().any(|line| line.debit.is_zero() == line.credit.is_zero() || line.debit.is_negative()) {
            findings.push(finding("entry-line", entry.id, "A line of the entry has not exactly one side above zero."));
        }
        let strays = own.iter().any(|line| {
            line.legal_entity_id != entry.legal_entity_id
                || line.entry_date != entry.entry_date
                || line.month != Month::of(entry.entry_date)
                || accounts
                    .get(&line.account_id)
                    .is_none_or(|account| account.legal_entity_id != entry.legal_entity_id || !account.used)
        });
        if strays || entry.month != Month::of(entry.entry_date) {
            findings.push(finding("entry-line", entry.id, "A line's entity, date or account is not its entry's."));
        }
        let mirrored = entry.reversal_of.map(|of| originals.iter().find(|original| original.id == of));
        if mirrored.is_some_and(|original| original.is_none_or(|original| original.total != entry.total)) {
            findings.push(finding("entry-mirror", entry.id, "The entry's original is missing or has another total."));
        }
    }
    (findings, last)
}

/// LI5: the snapshot of a closed month is the sum of the lines up to its end. One month a batch.
fn periods(after: Option<Id>) -> (Vec<Finding>, Option<Id>) {
    let closed = PeriodRow::status.eq(PeriodStatus::Closed);
    let page = read(select::<PeriodRow>(closed).after(after).limit(1));
    let Some(period) = page.items.first() else { return (Vec::new(), None) };
    let last = page.more.then_some(period.id);
    let (entity, month) = (period.legal_entity_id, period.month);
    let (entity_row, base) = read((get::<EntityRow>(entity), select_last_closed(entity, month.first_day())));
    let first = entity_row.and_then(|row| row.books()).map(|books| Month::of(books.start_on));
    let mut findings = Vec::new();
    if base.map_or(first != Some(month), |base| base.month.next() != month) {
        findings.push(finding("period-order", period.id, "A month before this closed one is open."));
    }
    let kept = Base { month, closing_no: period.closing_no };
    match (sum_month(entity, month, base), read_totals(entity, kept)) {
        (Ok(expected), Some(kept)) if expected == kept => {}
        (Ok(_), Some(_)) => {
            findings.push(finding("period-total", period.id, "The month's snapshot is not the sum of its lines."));
        }
        _ => findings.push(finding("period-total", period.id, "The month's snapshot is too large to be checked.")),
    }
    (findings, last)
}

/// A snapshot as it is kept; None beyond what one batch reads.
fn read_totals(entity: Id, base: Base) -> Option<BTreeMap<(Id, BranchKey), Sums>> {
    let page = read(select::<TotalRow>(rows_of(entity, base)).limit(MOST_ROWS));
    let sums = |row: TotalRow| ((row.account_id, row.branch), Sums { debit: row.debit, credit: row.credit });
    (!page.more).then(|| map(page.items.into_iter().map(sums)))
}

/// Mappings name postable accounts of their entity, and control accounts know their role.
fn mappings(after: Option<Id>) -> (Vec<Finding>, Option<Id>) {
    let page = read(select::<RoleMappingRow>(RoleMappingRow::account_id.not_null()).after(after).limit(MAPPINGS));
    let last = page.items.last().filter(|_| page.more).map(|row| row.id);
    let ids = set(page.items.iter().filter_map(|row| row.account_id));
    let accounts = map(read(get_all::<Postability>(ids)).into_iter().map(|account| (account.id, account)));
    let mut findings = Vec::new();
    for row in &page.items {
        let account = row.account_id.and_then(|id| accounts.get(&id));
        let control = row.role.facts().control.then_some(row.role);
        if !account.is_some_and(|account| account.takes_lines(row.legal_entity_id)) {
            findings.push(finding("mapping-account", row.id, "The role's account is missing, archived or a heading."));
        } else if account.is_some_and(|account| account.control_role != control) {
            findings.push(finding(
                "mapping-control",
                row.id,
                "The account and the mapping disagree on a control role.",
            ));
        }
    }
    (findings, last)
}
