//! Mirrors: an entry undone by one with its sides exchanged, on the same accounts, even if they were remapped or archived since.

use std::collections::BTreeMap;

use stoa_sdk::store::{run, select};
use stoa_sdk::{Date, Id, Problem, all, set};

use crate::records::entry::{EntryRow, LineRow};
use crate::records::month::Month;
use crate::rules::days::entry_day;
use crate::rules::refusal::illegal;
use crate::work::journal::write::{Draft, Line, write};
use crate::work::setup::{Demand, Setup};

/// What a mirror's purpose adds to its original's.
const VOID: &str = ":VOID";

/// Mirrors every entry of the source that has no mirror yet, dated on the stated day, which is not before theirs, or today.
///
/// # Errors
/// DATE_BEFORE_ORIGINAL; ACCOUNTING_PERIOD_CLOSED.
pub fn mirror_source(kind: &str, source: Id, on: Option<Date>, pointer: &str, text: &str) -> Result<Vec<Id>, Problem> {
    // A mirror has its original's source, so one look finds both.
    let of_source = all([EntryRow::source_id.eq(source), EntryRow::source_kind.eq(kind)]);
    let entries = run(select::<EntryRow>(of_source))?.items;
    let mirrored = set(entries.iter().filter_map(|entry| entry.reversal_of));
    let originals: Vec<EntryRow> =
        entries.into_iter().filter(|entry| entry.reversal_of.is_none() && !mirrored.contains(&entry.id)).collect();
    if originals.is_empty() {
        return Ok(Vec::new());
    }
    let day = entry_day(on, pointer)?;
    if on.is_some() && originals.iter().any(|entry| day < entry.entry_date) {
        return Err(illegal(pointer, "DATE_BEFORE_ORIGINAL"));
    }
    let mut demand = Demand::default();
    demand.entities.extend(originals.iter().map(|entry| entry.legal_entity_id));
    demand.months.insert(Month::of(day));
    let setup = Setup::read(demand)?;
    for entry in &originals {
        if let Some(books) = setup.books(entry.legal_entity_id)? {
            setup.check_day(entry.legal_entity_id, &books, day, pointer)?;
        }
    }
    let selects: Vec<_> =
        originals.iter().map(|entry| select::<LineRow>(LineRow::entry_id.eq(entry.id)).by(LineRow::line_no)).collect();
    let lines = run(selects)?;
    let drafts = originals
        .iter()
        .zip(lines)
        .map(|(entry, lines)| draft_mirror(entry, lines.items, day, text.to_owned()))
        .collect();
    Ok(write(drafts, &BTreeMap::new())?.into_iter().map(|entry| entry.id).collect())
}

/// The mirror of an entry.
pub fn draft_mirror(entry: &EntryRow, lines: Vec<LineRow>, day: Date, description: String) -> Draft {
    let mirrored = |line: LineRow| {
        let was_debit = !line.debit.is_zero();
        Line {
            account: line.account_id,
            is_debit: !was_debit,
            amount: if was_debit { line.debit } else { line.credit },
            party: line.party_type.zip(line.party_id),
            branch: line.branch.0,
            description: line.description,
        }
    };
    Draft {
        entity: entry.legal_entity_id,
        day,
        currency: entry.currency_code.clone(),
        source_kind: entry.source_kind.clone(),
        source_id: Some(entry.source_id),
        purpose: format!("{}{VOID}", entry.purpose),
        description,
        reference: entry.reference.clone(),
        reversal_of: Some(entry.id),
        total: entry.total,
        lines: lines.into_iter().map(mirrored).collect(),
    }
}
