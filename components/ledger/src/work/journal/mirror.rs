//! Mirrors: an entry undone by one with its sides exchanged, on the same accounts, even if they were remapped or archived since.

use std::collections::BTreeSet;

use stoa_sdk::store::{MOST_ROWS, run, select};
use stoa_sdk::{Date, Id, Problem, all, set, today};
use stoa_trade::dates::{Month, effective_day};
use stoa_trade::pages::read_rest;
use stoa_trade::refusal::illegal;

use crate::records::entry::{EntryRow, LineRow};
use crate::work::journal::write::{Draft, Line, write};
use crate::work::setup::{Demand, Setup};

/// Suffix that a mirror's purpose adds to its original's.
const VOID: &str = ":VOID";
/// Entries whose lines are read at once; each has 200 at most.
const ENTRIES: usize = 10;

/// Mirrors every entry of the sources that has no mirror yet, dated on the stated day, which is not before theirs, or today.
///
/// # Errors
/// DATE_BEFORE_ORIGINAL; ACCOUNTING_PERIOD_CLOSED.
pub fn mirror_sources(
    kind: &str,
    sources: &[Id],
    on: Option<Date>,
    pointer: &str,
    text: &str,
) -> Result<Vec<Id>, Problem> {
    if sources.is_empty() {
        return Ok(Vec::new());
    }
    // A mirror has its original's source, so one look finds both.
    let of_source = all([EntryRow::source_id.one_of(sources.iter().copied()), EntryRow::source_kind.eq(kind)]);
    let first = run(select::<EntryRow>(of_source.clone()).limit(MOST_ROWS))?;
    let entries = read_rest(first, &of_source, |entry| entry.id)?;
    let mirrored = set(entries.iter().filter_map(|entry| entry.reversal_of));
    let originals: Vec<EntryRow> =
        entries.into_iter().filter(|entry| entry.reversal_of.is_none() && !mirrored.contains(&entry.id)).collect();
    if originals.is_empty() {
        return Ok(Vec::new());
    }
    let day = effective_day(on, today(), pointer)?;
    if on.is_some() && originals.iter().any(|entry| day < entry.entry_date) {
        return Err(illegal(pointer, "DATE_BEFORE_ORIGINAL"));
    }
    let mut demand = Demand::default();
    for entry in &originals {
        demand.month(entry.legal_entity_id, Month::from_day(day));
    }
    let setup = Setup::read(demand)?;
    for entry in &originals {
        if let Some(books) = setup.books(entry.legal_entity_id)? {
            setup.check_day(entry.legal_entity_id, &books, day, pointer)?;
        }
    }
    let mut drafts = Vec::new();
    for some in originals.chunks(ENTRIES) {
        let lines_of =
            |entry: &EntryRow| select::<LineRow>(LineRow::entry_id.eq(entry.id)).by(LineRow::line_no).whole();
        let lines = run(some.iter().map(lines_of).collect::<Vec<_>>())?;
        drafts.extend(some.iter().zip(lines).map(|(entry, lines)| {
            draft_mirror(entry, lines, day, text.to_owned(), setup.is_late(entry.legal_entity_id))
        }));
    }
    Ok(write(drafts, BTreeSet::new())?.into_iter().map(|entry| entry.id).collect())
}

/// The mirror of an entry; `is_late` as the draft has it.
pub fn draft_mirror(entry: &EntryRow, lines: Vec<LineRow>, day: Date, description: String, is_late: bool) -> Draft {
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
        is_late,
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
