//! Writing entries: checked entries become rows, in one round trip, and never change again.

use std::collections::BTreeSet;

use stoa_sdk::store::{Failure, MOST_ROWS, insert, run, update_all};
use stoa_sdk::{Date, Id, Problem, new_ids, set};
use stoa_trade::dates::Month;
use stoa_trade::document::actor::Actor;
use stoa_trade::new_row;
use stoa_trade::quantity::Amount;

use crate::records::account::AccountRow;
use crate::records::entry::{BranchKey, EntryRow, LineRow, PartyType};
use crate::rules::sums::Sums;
use crate::work::day_totals::{Journal, SNAPSHOTS};
use crate::work::setup::Setup;

/// Calls of one batch that insert, and one that marks accounts.
const CALLS: usize = 31;

/// A line that was checked.
#[derive(Debug, Clone, PartialEq)]
pub struct Line {
    pub account: Id,
    pub is_debit: bool,
    pub amount: Amount,
    pub party: Option<(PartyType, Id)>,
    pub branch: Option<Id>,
    pub description: Option<String>,
}

/// An entry that was checked: it balances, and its total is the sum of its debits.
#[derive(Debug, Clone)]
pub struct Draft {
    pub entity: Id,
    /// Lines of this request's time are in the entity's day totals already.
    pub is_late: bool,
    pub day: Date,
    pub currency: String,
    pub source_kind: String,
    /// None: the entry is its own source.
    pub source_id: Option<Id>,
    pub purpose: String,
    pub description: String,
    pub reference: Option<String>,
    pub reversal_of: Option<Id>,
    pub total: Amount,
    pub lines: Vec<Line>,
}

/// Writes the entries in order and answers them. `fresh`: the accounts of their lines that had none so far; they are marked as
/// used.
///
/// # Errors
/// DUPLICATE where a source has an entry of this purpose.
pub fn write(drafts: Vec<Draft>, fresh: BTreeSet<Id>) -> Result<Vec<EntryRow>, Problem> {
    Ok(try_write(drafts, fresh)?)
}

/// As [`write`], for callers that know what a clash means.
pub fn try_write(drafts: Vec<Draft>, fresh: BTreeSet<Id>) -> Result<Vec<EntryRow>, Failure> {
    let count = drafts.iter().map(|draft| draft.lines.len() + 1).sum::<usize>();
    // Entries before their lines, so that ids of both ascend in the order of posting.
    let mut ids = new_ids(u32::try_from(count).unwrap_or(u32::MAX)).into_iter();
    let entities: BTreeSet<Id> = drafts.iter().map(|draft| draft.entity).collect();
    let late = set(drafts.iter().filter(|draft| draft.is_late).map(|draft| draft.entity));
    let mut entries = Vec::new();
    let mut lines = Vec::new();
    for draft in drafts {
        let Some(id) = ids.next() else { break };
        for (index, line) in draft.lines.iter().enumerate() {
            lines.extend(ids.next().map(|line_id| line_row(line_id, id, index, line, &draft)));
        }
        entries.push(entry_row(id, draft));
    }
    if !fresh.is_empty() {
        Setup::forget();
    }
    let entry_rows = entries.chunks(MOST_ROWS as usize).map(insert);
    let mut inserts: Vec<_> = entry_rows.chain(lines.chunks(MOST_ROWS as usize).map(insert)).collect();
    while inserts.len() > CALLS {
        run(inserts.drain(..CALLS).collect::<Vec<_>>())?;
    }
    run((inserts, update_all::<AccountRow>(fresh).set(AccountRow::used, &true)))?;
    for entity in late {
        SNAPSHOTS.add_late::<Journal, 2>(entity, &lines)?;
    }
    for entity in entities {
        SNAPSHOTS.follow(entity, lines.len())?;
    }
    Ok(entries)
}

fn sum_of(line: &Line) -> Sums {
    match line.is_debit {
        true => Sums { debit: line.amount, credit: Amount::ZERO },
        false => Sums { debit: Amount::ZERO, credit: line.amount },
    }
}

fn entry_row(id: Id, draft: Draft) -> EntryRow {
    let Actor { actor_type, actor_id, request_id } = Actor::current();
    new_row!(EntryRow {
        id,
        legal_entity_id: draft.entity,
        entry_date: draft.day,
        month: Month::from_day(draft.day),
        currency_code: draft.currency,
        source_kind: draft.source_kind,
        source_id: draft.source_id.unwrap_or(id),
        purpose: draft.purpose,
        description: draft.description,
        reference: draft.reference,
        reversal_of: draft.reversal_of,
        total: draft.total,
        actor_type: actor_type.as_str().to_owned(),
        actor_id,
        request_id,
    })
}

fn line_row(id: Id, entry: Id, index: usize, line: &Line, draft: &Draft) -> LineRow {
    let Sums { debit, credit } = sum_of(line);
    new_row!(LineRow {
        id,
        entry_id: entry,
        // At most 200 lines.
        line_no: i64::try_from(index).unwrap_or(i64::MAX - 1) + 1,
        legal_entity_id: draft.entity,
        account_id: line.account,
        entry_date: draft.day,
        month: Month::from_day(draft.day),
        debit,
        credit,
        party_type: line.party.map(|(kind, _)| kind),
        party_id: line.party.map(|(_, id)| id),
        branch: BranchKey(line.branch),
        description: line.description.clone(),
    })
}
