//! Ledger accounts, and what people see of them.

use stoa_sdk::{Id, Instant, collection, new_id, view};
use stoa_trade::{Status, new_record};

use crate::records::head::below_entity;
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
        // A line of the journal is posted to it.
        used: bool,
        description: Option<String>,
        // The control role that it serves, kept in addition to the mapping so that one account has one.
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
    /// The place of an account in the chart.
    pub ChartNode of AccountRow {
        id: Id, account_type: AccountType, parent_id: Option<Id>, postable: bool, status: Status,
    }
}

view! { pub AccountId of AccountRow { id: Id } }

below_entity! {
    /// An account of the chart.
    pub struct Account of row: AccountRow {
        #[serde(rename = "type")]
        account_type: AccountType,
        parent_id: Option<Id>,
        postable: bool,
        description: Option<String>,
        /// Control role of the account; manual lines on it are rejected. Null for any other account.
        control_role: Option<Role>,
    }
}

impl AccountRow {
    /// A new active account without description.
    pub fn new(entity: Id, code: &str, name: &str, account_type: AccountType) -> AccountRow {
        new_record!(AccountRow {
            id: new_id(),
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
        })
    }
}
