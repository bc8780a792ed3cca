//! Money accounts: tills, bank accounts, cards; each is the face of one ledger account.

use stoa_sdk::{Id, Instant, collection, new_id, view};
use stoa_trade::payment_method::MoneyKind;
use stoa_trade::{Status, new_record};

use crate::records::head::below_entity;

/// Name of this record type in the audit log.
pub const MONEY_ACCOUNT: &str = "MONEY_ACCOUNT";

collection! {
    pub record MoneyRow in "money_account" {
        legal_entity_id: Id,
        code: String,
        // Lower case: codes are unique in any case.
        code_key: String,
        name: String,
        kind: MoneyKind,
        till: bool,
        account_id: Id,
        branch_id: Option<Id>,
        reference: Option<String>,
        status: Status,
        archived_at: Option<Instant>,
    }
    unique { code: [legal_entity_id, code_key], account: [account_id] }
    index { [legal_entity_id, kind, status] }
    fixed [legal_entity_id, code, kind, account_id]
}

view! { pub MoneyId of MoneyRow { id: Id } }

below_entity! {
    /// A money account.
    pub struct MoneyAccount of row: MoneyRow {
        kind: MoneyKind,
        account_id: Id,
        branch_id: Option<Id>,
        reference: Option<String>,
        /// True for the cash of a till: it leaves through a cash session only.
        till: bool,
    }
}

impl MoneyRow {
    /// A new active money account.
    pub fn new(entity: Id, code: &str, name: &str, kind: MoneyKind, account: Id) -> MoneyRow {
        new_record!(MoneyRow {
            id: new_id(),
            legal_entity_id: entity,
            code: code.to_owned(),
            code_key: code.to_ascii_lowercase(),
            name: name.to_owned(),
            kind,
            till: false,
            account_id: account,
            branch_id: None,
            reference: None,
            status: Status::Active,
            archived_at: None,
        })
    }
}
