//! Journal entries as people read them.

use stoa_sdk::store::{find, get, run, select};
use stoa_sdk::{
    Answer, Call, Date, Field, Filter, Id, Operation, Page, Problem, Reply, Text, all, has, map, set, view,
};
use stoa_trade::dates::Month;
use stoa_trade::list_query;
use stoa_trade::lists::{answer_page, between, equals, mentions, read_page};
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
    let line = |line: LineRow| {
        let account = accounts.get(&line.account_id);
        JournalLine::from_row(line, account)
    };
    let lines = lines.into_iter().map(line).collect();
    let head = JournalEntrySummary::from_row(entry, mirrors.first().map(|mirror| mirror.id));
    Ok(Reply::json(&JournalEntry { head, lines }))
}

list_query! {
    pub struct ListJournalEntries {
        legal_entity_id: Id,
        /// The first day.
        from: Option<Date>,
        /// The last day.
        to: Option<Date>,
        /// YYYY-MM.
        month: Option<Month>,
        /// Only entries with a line on this account.
        account_id: Option<Id>,
        #[schemars(length(max = 64))]
        source_kind: Option<String>,
        source_id: Option<Id>,
        /// Only entries with a line of this party.
        party_id: Option<Id>,
        /// Only entries with a line of this branch.
        branch_id: Option<Id>,
        total_min: Option<StatedTotal>,
        total_max: Option<StatedTotal>,
        /// Only entries whose description or reference contains the text, ignoring case.
        text: Option<Text<1, 200>>,
    }
}

impl ListJournalEntries {
    fn filter(&self) -> Filter {
        // One line must have all that is asked of lines.
        let of_line = all([
            equals(LineRow::account_id, self.account_id),
            equals(LineRow::party_id, self.party_id),
            equals(LineRow::branch, self.branch_id.map(|id| BranchKey(Some(id)))),
        ]);
        let with_line =
            (of_line != Filter::default()).then(|| has::<LineRow, _, _>(EntryRow::id, LineRow::entry_id, of_line));
        all([
            EntryRow::legal_entity_id.eq(self.legal_entity_id),
            between(EntryRow::entry_date, self.from, self.to),
            equals(EntryRow::month, self.month),
            equals(EntryRow::source_kind, self.source_kind.as_deref()),
            equals(EntryRow::source_id, self.source_id),
            between(EntryRow::total, self.total_min.map(|total| total.0), self.total_max.map(|total| total.0)),
            mentions("text", self.text.as_deref()),
            with_line.unwrap_or_default(),
        ])
    }
}

view! { MirrorOf of EntryRow { id: Id, reversal_of: Option<Id> } }

pub fn list(call: &Call) -> Answer {
    let query: ListJournalEntries = call.query()?;
    let rows = read_page::<EntryRow>(&query.filter(), query.cursor, query.limit)?;
    let ids = set(rows.items.iter().map(|row| row.id));
    let mirrors = (!ids.is_empty()).then(|| select::<MirrorOf>(EntryRow::reversal_of.one_of(ids)).whole());
    let mirrors = run(mirrors)?.unwrap_or_default();
    let mirrors = map(mirrors.into_iter().filter_map(|mirror| Some((mirror.reversal_of?, mirror.id))));
    let summary = |row: EntryRow| {
        let mirror = mirrors.get(&row.id).copied();
        JournalEntrySummary::from_row(row, mirror)
    };
    answer_page(rows, |row| row.id, summary)
}
