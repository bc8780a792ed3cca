//! Entries that people write themselves, and their reversal: bank charges, card settlements, capital.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::Deserialize;
use stoa_sdk::store::{Failure, First, find, get, get_all, lock_all_shared, run, select};
use stoa_sdk::{
    Answer, Bounds, Call, Date, Field, Id, Item, Operation, Problem, Text, all, has, item, map, set, today, view,
};
use stoa_trade::dates::{Month, effective_day};
use stoa_trade::quantity::{Amount, StatedTotal};
use stoa_trade::refusal::{illegal, invalid, refuse, refuse_invalid};
use stoa_trade::snapshot::{find_summed, late_entities};
use stoa_trade::{require_unarchived, usable};

use crate::records::account::{AccountRow, Postability};
use crate::records::branch::BranchRow;
use crate::records::entity::EntityRow;
use crate::records::entry::{ENTRY, EntryReceipt, EntryRow, LineRow, MANUAL, receipt};
use crate::records::period::{PeriodRow, PeriodStatus};
use crate::records::permission::SETTINGS;
use crate::rules::books::{Books, refuse_precision};
use crate::work::day_totals::posting_locks;
use crate::work::journal::mirror::draft_mirror;
use crate::work::journal::write::{Draft, Line, try_write, write};

const ENTRIES_AT: &str = "/ledger/journal-entries";

#[rustfmt::skip]
pub const OPERATIONS: &[Operation] = &[
    Operation::create(ENTRIES_AT, "createJournalEntry", create).summary("Write a manual entry")
        .description("For postings without a document: bank charges, card settlements, capital. Lines on control accounts are \
            rejected.")
        .needs(SETTINGS).body::<ManualEntry>().grows_with("/lines").answers::<EntryReceipt>().writes(ENTRY, &[])
        .problems(&["REFERENCE_INVALID", "ILLEGAL_STATE", "ACCOUNTING_PERIOD_CLOSED", "ACCOUNTING_AMOUNT_PRECISION"])
        .item_codes(&["AMOUNT_PRECISION", "BEFORE_BOOKS", "BOOKS_NOT_KEPT", "CONTROL_ACCOUNT", "MONTH_CLOSED", "UNBALANCED"]),
    Operation::create("/ledger/journal-entries/{id}/reverse", "reverseJournalEntry", reverse)
        .summary("Reverse a manual entry")
        .description("Posts the reversing entry, once. To reverse the entry of a document, void the document.")
        .needs(SETTINGS).body::<Reversal>().answers::<EntryReceipt>().writes(ENTRY, &[])
        .problems(&["ARCHIVED", "ILLEGAL_STATE", "ACCOUNTING_PERIOD_CLOSED"])
        .item_codes(&["ALREADY_REVERSED", "BEFORE_BOOKS", "BOOKS_NOT_KEPT", "CONTROL_ACCOUNT", "DATE_BEFORE_ORIGINAL",
            "IS_REVERSAL", "MONTH_CLOSED", "NOT_MANUAL"]),
];

/// A line. State exactly one of debit and credit, above zero, with at most the decimal places of `amountScale`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ManualLine {
    /// Active postable account of the legal entity that is not a control account.
    account_id: Id,
    debit: Option<StatedTotal>,
    credit: Option<StatedTotal>,
    description: Option<Text<0, 1000>>,
    /// Omitted: the branch of the entry.
    branch_id: Option<Id>,
}

/// A manual entry.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ManualEntry {
    legal_entity_id: Id,
    /// Accounting day: at most one day in the future, not before the books, in an open month.
    entry_date: Date,
    description: Text<1, 1000>,
    reference: Option<Text<0, 200>>,
    /// Branch for the lines that state none.
    branch_id: Option<Id>,
    /// Lines whose debits equal their credits.
    #[schemars(length(min = 2, max = stoa_trade::limits::MANUAL_LINES))]
    lines: Vec<ManualLine>,
}

/// Reason and date of a reversal.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Reversal {
    /// Not before the date of the original entry. Omitted: today.
    entry_date: Option<Date>,
    /// Description of the reversing entry.
    reason: Text<1, 1000>,
}

view! { ClosedMonthId of PeriodRow { id: Id } }

/// Selects the closed month that contains the day.
fn select_closed(entity: Id, day: Date) -> First<ClosedMonthId> {
    select(all([
        PeriodRow::legal_entity_id.eq(entity),
        PeriodRow::month.eq(Month::from_day(day)),
        PeriodRow::status.eq(PeriodStatus::Closed),
    ]))
    .first()
}

/// The amount of a line, and whether it is a debit.
type Side = (bool, Amount);

/// The side of each line, and the sum of either side, None beyond any journal; or the faults that the schema
/// cannot find.
fn read_sides(lines: &[ManualLine]) -> Result<(Vec<Side>, Option<Amount>), Problem> {
    let mut faults: Vec<Item> = Vec::new();
    let mut sides = Vec::new();
    let (mut debits, mut credits) = (Some(Amount::ZERO), Some(Amount::ZERO));
    for (index, line) in lines.iter().enumerate() {
        let (is_debit, amount, member) = match (line.debit, line.credit) {
            (Some(StatedTotal(amount)), None) => (true, amount, "debit"),
            (None, Some(StatedTotal(amount))) => (false, amount, "credit"),
            (Some(_), Some(_)) => {
                faults.push(item(format!("/lines/{index}/credit"), "NOT_ALLOWED"));
                continue;
            }
            (None, None) => {
                faults.push(item(format!("/lines/{index}/debit"), "REQUIRED"));
                continue;
            }
        };
        if amount.is_zero() {
            let least = Bounds::minimum(Amount::from_units(1));
            faults.push(item(format!("/lines/{index}/{member}"), "RANGE").with_bounds(least));
            continue;
        }
        let side = if is_debit { &mut debits } else { &mut credits };
        *side = side.and_then(|sum| sum.checked_add(amount));
        sides.push((is_debit, amount));
    }
    refuse_invalid(faults)?;
    if debits != credits {
        return Err(invalid("/lines", "UNBALANCED"));
    }
    Ok((sides, debits))
}

/// Refuses lines that are finer than the books, and a sum that is wider.
///
/// # Errors
/// ACCOUNTING_AMOUNT_PRECISION at each line, or at all of them.
fn check_precision(books: &Books, sides: &[Side], total: Option<Amount>) -> Result<Amount, Problem> {
    let unfit = sides.iter().enumerate().filter(|(_, (_, amount))| !books.holds(*amount));
    let member = |is_debit: bool| if is_debit { "debit" } else { "credit" };
    let unfit: Vec<String> =
        unfit.map(|(index, (is_debit, _))| format!("/lines/{index}/{}", member(*is_debit))).collect();
    match total.filter(|total| books.holds(*total)) {
        Some(total) if unfit.is_empty() => Ok(total),
        None if unfit.is_empty() => Err(refuse_precision(["/lines".to_owned()])),
        _ => Err(refuse_precision(unfit)),
    }
}

pub fn create(call: &Call) -> Answer {
    let input: ManualEntry = call.body()?;
    let (sides, total) = read_sides(&input.lines)?;
    let day = effective_day(Some(input.entry_date), today(), "/entryDate")?;
    let entity = input.legal_entity_id;
    let accounts = set(input.lines.iter().map(|line| line.account_id));
    let branches = set(input.lines.iter().filter_map(|line| line.branch_id).chain(input.branch_id));
    let (_, owner, accounts, branches, closed, summed) = run((
        lock_all_shared(posting_locks(entity)),
        get::<EntityRow>(entity),
        get_all::<Postability>(accounts),
        get_all::<BranchRow>(branches),
        select_closed(entity, day),
        find_summed(entity),
    ))?;
    let accounts = map(accounts.into_iter().map(|account| (account.id, account)));
    let branches = map(branches.into_iter().map(|branch| (branch.id, branch)));

    // Where each record is named.
    let named_accounts = || input.lines.iter().enumerate().map(|(index, line)| (line.account_id, index));
    let named_branch =
        |(index, line): (usize, &ManualLine)| Some((line.branch_id?, format!("/lines/{index}/branchId")));
    let mut named_branches: Vec<_> = input.branch_id.map(|id| (id, "/branchId".to_owned())).into_iter().collect();
    named_branches.extend(input.lines.iter().enumerate().filter_map(named_branch));
    let list_wrong = |code: &str, wrong: &dyn Fn(&Postability) -> bool, missing: bool| -> Vec<Item> {
        let is_wrong = |id: &Id| accounts.get(id).map_or(missing, wrong);
        let wrong = named_accounts().filter(|(id, _)| is_wrong(id));
        wrong.map(|(_, index)| item(format!("/lines/{index}/accountId"), code)).collect()
    };
    let mut missing = list_wrong("NOT_FOUND", &|_| false, true);
    if owner.is_none() {
        missing.insert(0, item("/legalEntityId", "NOT_FOUND"));
    }
    let unknown = named_branches.iter().filter(|(id, _)| !branches.contains_key(id));
    missing.extend(unknown.map(|(_, pointer)| item(pointer.clone(), "NOT_FOUND")));
    refuse("NOT_FOUND", missing)?;
    let owner = usable(owner, "/legalEntityId")?;
    refuse("REFERENCE_INVALID", list_wrong("REFERENCE_INVALID", &|account| !account.takes_lines(entity), false))?;
    for (branch, pointer) in named_branches.iter().filter_map(|(id, pointer)| Some((branches.get(id)?, pointer))) {
        branch.require_active(entity, pointer)?;
    }
    let books = owner.books().ok_or_else(|| illegal("/legalEntityId", "BOOKS_NOT_KEPT"))?;
    refuse("ILLEGAL_STATE", list_wrong("CONTROL_ACCOUNT", &|account| account.control_role.is_some(), false))?;
    books.check_day(day, closed.is_some(), "/entryDate")?;
    let total = check_precision(&books, &sides, total)?;

    let lines = input.lines.into_iter().zip(sides).map(|(line, (is_debit, amount))| Line {
        account: line.account_id,
        is_debit,
        amount,
        party: None,
        branch: line.branch_id.or(input.branch_id),
        description: line.description.map(String::from),
    });
    let draft = Draft {
        entity,
        is_late: !late_entities(&summed).is_empty(),
        day,
        currency: books.currency_code,
        source_kind: MANUAL.to_owned(),
        source_id: None,
        purpose: "ENTRY".to_owned(),
        description: input.description.into(),
        reference: input.reference.map(String::from),
        reversal_of: None,
        total,
        lines: lines.collect(),
    };
    let fresh = set(accounts.values().filter(|account| !account.used).map(|account| account.id));
    let entries = write(vec![draft], fresh)?;
    entries.first().map(receipt).ok_or_else(Problem::not_found)
}

pub fn reverse(call: &Call) -> Answer {
    let id = call.path_id("id")?;
    let input: Reversal = call.body()?;
    let day = effective_day(input.entry_date, today(), "/entryDate")?;
    let entry: EntryRow = run(get(id))?.ok_or_else(Problem::not_found)?;
    let entity = entry.legal_entity_id;
    let of_entry = has::<LineRow, _, _>(AccountRow::id, LineRow::account_id, LineRow::entry_id.eq(id));
    let (_, owner, lines, mirrors, accounts, closed, summed) = run((
        lock_all_shared(posting_locks(entity)),
        get::<EntityRow>(entity),
        select::<LineRow>(LineRow::entry_id.eq(id)).by(LineRow::line_no).whole(),
        find::<EntryRow>("reversal", [vec![id.put()]]),
        select::<Postability>(of_entry).whole(),
        select_closed(entity, day),
        find_summed(entity),
    ))?;
    if entry.source_kind != MANUAL {
        return Err(illegal("/path/id", "NOT_MANUAL"));
    }
    if entry.reversal_of.is_some() {
        return Err(illegal("/path/id", "IS_REVERSAL"));
    }
    if !mirrors.is_empty() {
        return Err(illegal("/path/id", "ALREADY_REVERSED"));
    }
    if day < entry.entry_date {
        return Err(illegal("/entryDate", "DATE_BEFORE_ORIGINAL"));
    }
    // It became one since: entries that people write must not move it.
    if accounts.iter().any(|account| account.control_role.is_some()) {
        return Err(illegal("/path/id", "CONTROL_ACCOUNT"));
    }
    let owner = require_unarchived(owner.ok_or_else(Problem::not_found)?)?;
    let books = owner.books().ok_or_else(|| illegal("/path/id", "BOOKS_NOT_KEPT"))?;
    books.check_day(day, closed.is_some(), "/entryDate")?;
    let draft = draft_mirror(&entry, lines, day, input.reason.into(), !late_entities(&summed).is_empty());
    let entries = match try_write(vec![draft], BTreeSet::new()) {
        // Another reversal was faster.
        Err(Failure::Duplicate(_)) => return Err(illegal("/path/id", "ALREADY_REVERSED")),
        written => written?,
    };
    entries.first().map(receipt).ok_or_else(Problem::not_found)
}
