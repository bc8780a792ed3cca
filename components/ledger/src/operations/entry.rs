//! Journal entries as people read them.

use stoa_sdk::store::{find, get, run, select};
use stoa_sdk::{
    Answer, Call, Date, Field, Filter, Id, Instant, Operation, Page, Problem, Reply, Text, all, has, map, set, view,
};
use stoa_trade::dates::Month;
use stoa_trade::list_query;
use stoa_trade::lists::{answer_page, ask_nothing, at_least, at_most, equals, made_since, mentions};
use stoa_trade::quantity::StatedTotal;

use crate::records::account::{AccountLabel, AccountRow};
use crate::records::entry::{BranchKey, EntryRow, JournalEntry, JournalEntrySummary, JournalLine, LineRow};
use crate::records::permission::figures;

const ENTRIES_AT: &str = "/ledger/journal-entries";
const ENTRY_AT: &str = "/ledger/journal-entries/{id}";

#[rustfmt::skip]
pub const OPERATIONS: &[Operation] = &[
    figures(Operation::read(ENTRIES_AT, "listJournalEntries", list)).summary("Journal entries")
        .description("Without lines; read an entry for its lines. If you combine filters on lines, one line must match all of \
            them.")
        .query::<ListJournalEntries>().answers::<Page<JournalEntrySummary>>(),
    figures(Operation::read(ENTRY_AT, "getJournalEntry", read)).summary("A journal entry with its lines")
        .answers::<JournalEntry>(),
];

pub fn read(call: &Call) -> Answer {
    let id = call.path_id("id")?;
    let (entry, lines, mirrors, accounts) = run((
        get::<EntryRow>(id),
        select::<LineRow>(LineRow::entry_id.eq(id)).by(LineRow::line_no).whole(),
        find::<EntryRow>("reversal", [vec![id.put()]]),
        select::<AccountLabel>(has::<LineRow, _, _>(AccountRow::id, LineRow::account_id, LineRow::entry_id.eq(id)))
            .whole(),
    ))?;
    let entry = entry.ok_or_else(Problem::not_found)?;
    let accounts = map(accounts.into_iter().map(|account| (account.id, account)));
    let line = |line: &LineRow| JournalLine::from_row(line, accounts.get(&line.account_id));
    let lines = lines.iter().map(line).collect();
    let head = JournalEntrySummary::from_row(&entry, mirrors.first().map(|mirror| mirror.id));
    Ok(Reply::json(&JournalEntry { head, lines }))
}

list_query! {
    pub struct ListJournalEntries of EntryRow {
        legal_entity_id: Id = EntryRow::legal_entity_id.eq(legal_entity_id),
        /// Only entries of this day or a later one.
        from: Option<Date> = at_least(EntryRow::entry_date, from),
        /// Only entries of this day or an earlier one.
        to: Option<Date> = at_most(EntryRow::entry_date, to),
        /// YYYY-MM.
        month: Option<Month>,
        /// Only entries with a line on this account.
        account_id: Option<Id> = filter_by_line(account_id, party_id, branch_id),
        #[schemars(length(max = 64))]
        source_kind: Option<String>,
        source_id: Option<Id>,
        /// Only entries with a line of this party.
        party_id: Option<Id> = ask_nothing(party_id),
        /// Only entries with a line of this branch.
        branch_id: Option<Id> = ask_nothing(branch_id),
        total_min: Option<StatedTotal> = at_least(EntryRow::total, total_min.map(|total| total.0)),
        total_max: Option<StatedTotal> = at_most(EntryRow::total, total_max.map(|total| total.0)),
        /// Only entries whose description or reference contains the text, ignoring case.
        text: Option<Text<1, 200>> = mentions("text", text.as_deref()),
        /// Only entries posted at or after this instant. An entry never changes.
        updated_since: Option<Instant> = made_since(EntryRow::id, updated_since),
    }
}

/// Entries with a line that has all that is asked of lines.
fn filter_by_line(account: Option<Id>, party: Option<Id>, branch: Option<Id>) -> Filter {
    let line = all([
        equals(LineRow::account_id, account),
        equals(LineRow::party_id, party),
        equals(LineRow::branch, branch.map(|id| BranchKey(Some(id)))),
    ]);
    match line == Filter::default() {
        true => Filter::default(),
        false => has::<LineRow, _, _>(EntryRow::id, LineRow::entry_id, line),
    }
}

view! { MirrorOf of EntryRow { id: Id, reversal_of: Option<Id> } }

pub fn list(call: &Call) -> Answer {
    let rows = call.query::<ListJournalEntries>()?.page([])?;
    let ids = set(rows.items.iter().map(|row| row.id));
    let mirrors = (!ids.is_empty()).then(|| select::<MirrorOf>(EntryRow::reversal_of.one_of(ids)).whole());
    let mirrors = run(mirrors)?.unwrap_or_default();
    let mirrors = map(mirrors.into_iter().filter_map(|mirror| Some((mirror.reversal_of?, mirror.id))));
    answer_page(rows, |row| row.id, |row| JournalEntrySummary::from_row(&row, mirrors.get(&row.id).copied()))
}
