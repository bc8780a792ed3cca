//! Ledger accounts, and what people see of them.

use schemars::JsonSchema;
use serde::Serialize;
use stoa_sdk::{Id, Instant, collection, new_id, now, view};
use stoa_trade::Status;

use crate::records::head::{Head, below_entity};
use crate::records::role::{AccountType, Role};

/// Name of this record type in the audit log.
pub const ACCOUNT: &str = "LEDGER_ACCOUNT";

/// Pattern of an account's code: as accountants number them.
pub const ACCOUNT_CODE: &str = "^[0-9A-Za-z][0-9A-Za-z._-]{0,31}$";

collection! {
    pub record AccountRow in "account" {
        legal_entity_id: Id,
        code: String,
        name: String,
        account_type: AccountType,
        parent_id: Option<Id>,
        postable: bool,
        // A line of the journal stands on it.
        used: bool,
        description: Option<String>,
        // The control role that it serves, kept beside the mapping so that one account has one.
        control_role: Option<Role>,
        status: Status,
        archived_at: Option<Instant>,
    }
    unique { code: [legal_entity_id, code], control: [legal_entity_id, control_role] }
    index { [legal_entity_id, account_type, status], [parent_id] }
    search { text: [name, code] }
    fixed [legal_entity_id, code, account_type]
    members { account_type: "type" }
}
below_entity!(AccountRow as Account);

view! {
    /// An account as a report shows it.
    pub AccountLabel of AccountRow { id: Id, code: String, name: String, account_type: AccountType }
}

view! {
    /// Columns that decide whether an account may be posted to.
    pub Postability of AccountRow {
        id: Id, legal_entity_id: Id, account_type: AccountType, postable: bool, used: bool, control_role: Option<Role>,
        status: Status,
    }
}

view! {
    /// Where an account stands in the chart.
    pub ChartNode of AccountRow {
        id: Id, account_type: AccountType, parent_id: Option<Id>, postable: bool, status: Status,
    }
}

view! { pub AccountId of AccountRow { id: Id } }

/// An account of the chart.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Account {
    #[serde(flatten)]
    head: Head,
    #[serde(rename = "type")]
    account_type: AccountType,
    parent_id: Option<Id>,
    postable: bool,
    description: Option<String>,
    /// Control role of the account; manual lines on it are rejected. Null for any other account.
    control_role: Option<Role>,
}

impl From<AccountRow> for Account {
    fn from(row: AccountRow) -> Account {
        Account {
            head: Head::from_row(&row),
            account_type: row.account_type,
            parent_id: row.parent_id,
            postable: row.postable,
            description: row.description,
            control_role: row.control_role,
        }
    }
}

impl AccountRow {
    /// A new active account without description.
    pub fn new(entity: Id, code: &str, name: &str, account_type: AccountType) -> AccountRow {
        let now = now();
        AccountRow {
            id: new_id(),
            version: 1,
            created_at: now,
            updated_at: now,
            legal_entity_id: entity,
            code: code.to_owned(),
            name: name.to_owned(),
            account_type,
            parent_id: None,
            postable: true,
            used: false,
            description: None,
            control_role: None,
            status: Status::Active,
            archived_at: None,
        }
    }
}
