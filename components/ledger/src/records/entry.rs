//! Journal entries, their lines, and what people see of them. An entry never changes; a mirror undoes it.

use schemars::JsonSchema;
use serde::Serialize;
use stoa_sdk::descriptor::ColumnType;
use stoa_sdk::store::Value;
use stoa_sdk::{Date, Field, Id, Instant, Reply, collection, tenant, text_enum, view};
use stoa_trade::dates::Month;
use stoa_trade::quantity::Amount;

use crate::records::account::AccountLabel;

/// Name of this record type in the audit log.
pub const ENTRY: &str = "JOURNAL_ENTRY";

/// The source of the entries that people write.
pub const MANUAL: &str = "MANUAL";

text_enum! {
    /// Kind of the party of a line.
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

/// Lines of an entry at most.
pub const MOST_LINES: usize = 200;

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
        [account_id, entry_date, id], [account_id, entry_id], [legal_entity_id, month, account_id],
        [legal_entity_id, id], [party_id, account_id, entry_date], [branch, entry_id],
    }
}

view! {
    /// The entry of a line as a report shows it.
    pub EntryLabel of EntryRow { id: Id, description: String, source_kind: String, source_id: Id }
}

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
    /// Kind of the posted document: `MANUAL`, `GOODS_RECEIPT`, `SALES_INVOICE`, ...
    source_kind: String,
    source_id: Id,
    purpose: String,
    description: String,
    reference: Option<String>,
    reversal_of_id: Option<Id>,
    reversed_by_id: Option<Id>,
    /// Sum of the debits.
    total: Amount,
    actor_type: String,
    actor_id: String,
    request_id: Id,
    created_at: Instant,
}

impl JournalEntrySummary {
    pub fn from_row(row: EntryRow, reversed_by: Option<Id>) -> JournalEntrySummary {
        JournalEntrySummary {
            id: row.id,
            tenant_id: tenant(),
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

/// A line of an entry. Exactly one of debit and credit is above zero.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct JournalLine {
    id: Id,
    #[schemars(range(min = 1, max = MOST_LINES))]
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

impl JournalLine {
    pub fn from_row(row: LineRow, account: Option<&AccountLabel>) -> JournalLine {
        JournalLine {
            id: row.id,
            line_no: row.line_no,
            account_id: row.account_id,
            account_code: account.map(|account| account.code.clone()).unwrap_or_default(),
            account_name: account.map(|account| account.name.clone()).unwrap_or_default(),
            debit: row.debit,
            credit: row.credit,
            party_type: row.party_type,
            party_id: row.party_id,
            branch_id: row.branch.0,
            description: row.description,
        }
    }
}

/// A journal entry.
#[derive(Debug, Serialize, JsonSchema)]
pub struct JournalEntry {
    #[serde(flatten)]
    pub head: JournalEntrySummary,
    pub lines: Vec<JournalLine>,
}

/// Receipt of a journal entry.
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
