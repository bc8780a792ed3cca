//! Journal entries, their lines, and what people see of them. An entry never changes; a mirror undoes it.

use schemars::JsonSchema;
use serde::Serialize;
use stoa_sdk::descriptor::ColumnType;
use stoa_sdk::store::Value;
use stoa_sdk::{Date, Field, Id, Instant, Reply, collection, tenant, text_enum, view};
use stoa_trade::dates::Month;
use stoa_trade::quantity::Amount;
use stoa_trade::resource;

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

resource! {
    /// A journal entry without its lines.
    pub struct JournalEntrySummary of row: EntryRow, reversed_by: Option<Id> {
        id: Id,
        tenant_id: Id = tenant(),
        legal_entity_id: Id,
        entry_date: Date,
        /// YYYY-MM.
        month: String = row.month.to_string(),
        currency_code: String,
        /// Kind of the posted document: `MANUAL`, `GOODS_RECEIPT`, `SALES_INVOICE`, ...
        source_kind: String,
        source_id: Id,
        purpose: String,
        description: String,
        reference: Option<String>,
        reversal_of_id: Option<Id> = row.reversal_of,
        reversed_by_id: Option<Id> = reversed_by,
        /// Sum of the debits.
        total: Amount,
        actor_type: String,
        actor_id: String,
        request_id: Id,
        created_at: Instant,
    }
}

resource! {
    /// A line of an entry. Exactly one of debit and credit is above zero.
    pub struct JournalLine of row: LineRow, account: Option<&AccountLabel> {
        id: Id,
        #[schemars(range(min = 1, max = MOST_LINES))]
        line_no: i64,
        account_id: Id,
        account_code: String = account.map(|account| account.code.clone()).unwrap_or_default(),
        account_name: String = account.map(|account| account.name.clone()).unwrap_or_default(),
        debit: Amount,
        credit: Amount,
        party_type: Option<PartyType>,
        party_id: Option<Id>,
        branch_id: Option<Id> = row.branch.0,
        description: Option<String>,
    }
}

/// A journal entry.
#[derive(Debug, Serialize, JsonSchema)]
pub struct JournalEntry {
    #[serde(flatten)]
    pub head: JournalEntrySummary,
    pub lines: Vec<JournalLine>,
}

resource! {
    /// Receipt of a journal entry.
    pub struct EntryReceipt of row: EntryRow {
        id: Id,
        entry_date: Date,
        total: Amount,
        created_at: Instant,
    }
}

/// The receipt of a new entry; audited under its entity.
pub fn receipt(row: &EntryRow) -> Reply {
    Reply::json(&EntryReceipt::from_row(row)).resource(row.id).subject(row.legal_entity_id)
}
