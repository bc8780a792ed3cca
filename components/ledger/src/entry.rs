//! Journal entries: how they are kept, read and listed. An entry never changes; a mirror undoes it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use stoa_sdk::descriptor::ColumnType;
use stoa_sdk::store::{Value, find, get, get_all, run, select};
use stoa_sdk::{
    Answer, Call, Date, Decimal, Field, Filter, Id, Instant, Limit, Page, Problem, Reply, Text, all, collection,
    contains, facts, has, map, paged, set, text_enum, view,
};

use crate::account::{AccountLabel, AccountRow};
use crate::balance::Amount;
use crate::month::{self, Month};
use crate::refusal::invalid;

text_enum! {
    /// Whom a line concerns.
    pub enum PartyType { Customer => "CUSTOMER", Supplier => "SUPPLIER" }
}

/// A branch, or none, as a text that groups and unique keys can hold: `-` where there is none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct BranchKey(pub Option<Id>);

impl Field for BranchKey {
    type Plain = Self;
    const TYPE: ColumnType = ColumnType::Text;

    fn put(&self) -> Value {
        Value::Text(self.0.map_or_else(|| "-".to_owned(), |id| id.to_string()))
    }

    fn take(value: Value) -> Option<Self> {
        match value {
            Value::Text(text) if text == "-" => Some(BranchKey(None)),
            Value::Text(text) => text.parse().ok().map(|id| BranchKey(Some(id))),
            _ => None,
        }
    }
}

collection! {
    pub ledger EntryRow in "entry" {
        legal_entity_id: Id,
        entry_date: Date,
        month: Month,
        currency_code: String,
        source_kind: String,
        source_id: Id,
        purpose: String,
        description: String,
        reference: Option<String>,
        reversal_of: Option<Id>,
        total: Amount,
        actor_type: String,
        actor_id: String,
        request_id: Id,
    }
    unique { source: [source_kind, source_id, purpose], reversal: [reversal_of] }
    index { [legal_entity_id, id], [legal_entity_id, entry_date, id], [source_id] }
    search { text: [description, reference] }
}

collection! {
    pub ledger LineRow in "entry_line" {
        entry_id: Id,
        line_no: i64,
        legal_entity_id: Id,
        account_id: Id,
        entry_date: Date,
        month: Month,
        debit: Amount,
        credit: Amount,
        party_type: Option<PartyType>,
        party_id: Option<Id>,
        branch: BranchKey,
        description: Option<String>,
    }
    unique { line: [entry_id, line_no] }
    index {
        [account_id, entry_date, id], [legal_entity_id, month, account_id], [legal_entity_id, id],
        [party_id, account_id, entry_date]
    }
}

/// What operations post.
pub const MANUAL: &str = "MANUAL";

/// A journal entry without its lines.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct JournalEntrySummary {
    id: Id,
    tenant_id: Id,
    legal_entity_id: Id,
    entry_date: Date,
    /// YYYY-MM.
    month: String,
    currency_code: String,
    /// What posted it: `MANUAL`, `GOODS_RECEIPT`, `SALES_INVOICE`, ...
    source_kind: String,
    source_id: Id,
    purpose: String,
    description: String,
    reference: Option<String>,
    reversal_of_id: Option<Id>,
    reversed_by_id: Option<Id>,
    /// The sum of the debits.
    total: Amount,
    actor_type: String,
    actor_id: String,
    request_id: Id,
    created_at: Instant,
}

impl JournalEntrySummary {
    fn of(row: EntryRow, tenant: Id, reversed_by: Option<Id>) -> JournalEntrySummary {
        JournalEntrySummary {
            id: row.id,
            tenant_id: tenant,
            legal_entity_id: row.legal_entity_id,
            entry_date: row.entry_date,
            month: row.month.to_string(),
            currency_code: row.currency_code,
            source_kind: row.source_kind,
            source_id: row.source_id,
            purpose: row.purpose,
            description: row.description,
            reference: row.reference,
            reversal_of_id: row.reversal_of,
            reversed_by_id: reversed_by,
            total: row.total,
            actor_type: row.actor_type,
            actor_id: row.actor_id,
            request_id: row.request_id,
            created_at: row.created_at,
        }
    }
}

/// A line of an entry: one of debit and credit is above zero.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct JournalLine {
    id: Id,
    line_no: i64,
    account_id: Id,
    account_code: String,
    account_name: String,
    debit: Amount,
    credit: Amount,
    party_type: Option<PartyType>,
    party_id: Option<Id>,
    branch_id: Option<Id>,
    description: Option<String>,
}

/// A journal entry.
#[derive(Debug, Serialize, JsonSchema)]
pub struct JournalEntry {
    #[serde(flatten)]
    head: JournalEntrySummary,
    lines: Vec<JournalLine>,
}

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
        JournalLine {
            id: line.id,
            line_no: line.line_no,
            account_id: line.account_id,
            account_code: account.map(|account| account.code.clone()).unwrap_or_default(),
            account_name: account.map(|account| account.name.clone()).unwrap_or_default(),
            debit: line.debit,
            credit: line.credit,
            party_type: line.party_type,
            party_id: line.party_id,
            branch_id: line.branch.0,
            description: line.description,
        }
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
    #[schemars(regex(pattern = month::PATTERN))]
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
    let shown = |row: EntryRow| {
        let mirror = mirrors.get(&row.id).copied();
        JournalEntrySummary::of(row, tenant, mirror)
    };
    Ok(Reply::json(&Page::of(rows.items, rows.more, |row| row.id, shown)))
}

/// What a write of the journal answers.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct EntryReceipt {
    id: Id,
    entry_date: Date,
    total: Amount,
    created_at: Instant,
}

/// The receipt of a new entry; audited under its entity.
pub fn receipt(row: &EntryRow) -> Reply {
    let body = EntryReceipt { id: row.id, entry_date: row.entry_date, total: row.total, created_at: row.created_at };
    Reply::json(&body).resource(row.id).subject(row.legal_entity_id)
}

/// The labels of the accounts that these lines stand on.
pub fn labels(lines: &[LineRow]) -> stoa_sdk::store::GetAll<AccountLabel> {
    get_all(set(lines.iter().map(|line| line.account_id)))
}
