//! Journal entries as people read them.

use schemars::JsonSchema;
use serde::Deserialize;
use stoa_sdk::store::{find, get, run, select};
use stoa_sdk::{
    Answer, Call, Date, Decimal, Field, Filter, Id, Limit, Operation, Page, Problem, Reply, Text, all, contains, facts,
    has, map, paged, set, view,
};

use crate::operations::access::figures;
use crate::records::account::{AccountLabel, AccountRow};
use crate::records::entry::{BranchKey, EntryRow, JournalEntry, JournalEntrySummary, JournalLine, LineRow};
use crate::records::month::{MONTH_PATTERN, Month};
use crate::rules::refusal::invalid;

const ENTRIES_AT: &str = "/tenants/{tenantId}/ledger/journal-entries";
const ENTRY_AT: &str = "/tenants/{tenantId}/ledger/journal-entries/{id}";

#[rustfmt::skip]
pub const OPERATIONS: &[Operation] = &[
    figures(Operation::read(ENTRIES_AT, "listJournalEntries", list)).summary("Journal entries")
        .description("Without their lines, which a single entry has. Filters on lines must be met by one line together.")
        .query::<ListJournalEntries>().answers::<Page<JournalEntrySummary>>(),
    figures(Operation::read(ENTRY_AT, "getJournalEntry", read)).summary("A journal entry with its lines")
        .answers::<JournalEntry>(),
];

pub fn read(call: &Call) -> Answer {
    let id = call.path_id("id")?;
    let (entry, lines, mirrors, accounts) = run((
        get::<EntryRow>(id),
        select::<LineRow>(LineRow::entry_id.eq(id)).by(LineRow::line_no),
        find::<EntryRow>("reversal", [vec![id.put()]]),
        select::<AccountLabel>(has::<LineRow, _, _>(AccountRow::id, LineRow::account_id, LineRow::entry_id.eq(id))),
    ))?;
    let entry = entry.ok_or_else(Problem::not_found)?;
    let accounts = map(accounts.items.into_iter().map(|account| (account.id, account)));
    let line = |line: LineRow| {
        let account = accounts.get(&line.account_id);
        JournalLine::of(line, account)
    };
    let lines = lines.items.into_iter().map(line).collect();
    let head = JournalEntrySummary::of(entry, facts().tenant.into(), mirrors.first().map(|mirror| mirror.id));
    Ok(Reply::json(&JournalEntry { head, lines }))
}

/// A bound on a total: as amounts are answered, without a sign.
type Bound = Decimal<12>;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ListJournalEntries {
    cursor: Option<Id>,
    #[serde(default)]
    limit: Limit,
    legal_entity_id: Id,
    /// The first day.
    from: Option<Date>,
    /// The last day.
    to: Option<Date>,
    /// YYYY-MM.
    #[schemars(regex(pattern = MONTH_PATTERN))]
    month: Option<String>,
    /// Entries with a line on this account.
    account_id: Option<Id>,
    #[schemars(length(max = 64))]
    source_kind: Option<String>,
    source_id: Option<Id>,
    /// Entries with a line of this party.
    party_id: Option<Id>,
    /// Entries with a line of this branch.
    branch_id: Option<Id>,
    total_min: Option<Bound>,
    total_max: Option<Bound>,
    /// Part of the description or reference, in any case.
    text: Option<Text<1, 200>>,
}

impl ListJournalEntries {
    fn filter(&self) -> Result<Filter, Problem> {
        let month = match &self.month {
            Some(text) => Some(Month::read(text).ok_or_else(|| invalid("/query/month", "FORMAT"))?),
            None => None,
        };
        // One line must have all that is asked of lines.
        let of_line: Vec<Filter> = [
            self.account_id.map(|id| LineRow::account_id.eq(id)),
            self.party_id.map(|id| LineRow::party_id.eq(id)),
            self.branch_id.map(|id| LineRow::branch.eq(BranchKey(Some(id)))),
        ]
        .into_iter()
        .flatten()
        .collect();
        let optional = [
            self.from.map(|day| EntryRow::entry_date.ge(day)),
            self.to.map(|day| EntryRow::entry_date.le(day)),
            month.map(|month| EntryRow::month.eq(month)),
            self.source_kind.as_deref().map(|kind| EntryRow::source_kind.eq(kind)),
            self.source_id.map(|id| EntryRow::source_id.eq(id)),
            self.total_min.map(|total| EntryRow::total.ge(total)),
            self.total_max.map(|total| EntryRow::total.le(total)),
            self.text.as_deref().map(|text| contains("text", text)),
            (!of_line.is_empty()).then(|| has::<LineRow, _, _>(EntryRow::id, LineRow::entry_id, all(of_line))),
        ];
        Ok(all([EntryRow::legal_entity_id.eq(self.legal_entity_id)].into_iter().chain(optional.into_iter().flatten())))
    }
}

view! { MirrorOf of EntryRow { id: Id, reversal_of: Option<Id> } }

pub fn list(call: &Call) -> Answer {
    let query: ListJournalEntries = call.query()?;
    let filter = query.filter()?;
    let rows = paged(query.limit, |limit| run(select::<EntryRow>(filter.clone()).after(query.cursor).limit(limit)))?;
    let ids = set(rows.items.iter().map(|row| row.id));
    let mirrors = (!ids.is_empty()).then(|| select::<MirrorOf>(EntryRow::reversal_of.one_of(ids)));
    let mirrors = run(mirrors)?.map(|rows| rows.items).unwrap_or_default();
    let mirrors = map(mirrors.into_iter().filter_map(|mirror| Some((mirror.reversal_of?, mirror.id))));
    let tenant = Id::from(facts().tenant);
    let summary = |row: EntryRow| {
        let mirror = mirrors.get(&row.id).copied();
        JournalEntrySummary::of(row, tenant, mirror)
    };
    Ok(Reply::json(&Page::of(rows.items, rows.more, |row| row.id, summary)))
}
