//! Records that a body or a posting may name: active, of the entity, and fit for their purpose.

use stoa_sdk::{Id, Problem};
use stoa_trade::payment_method::{Method, MoneyKind};
use stoa_trade::{Status, require_named};

use crate::records::account::Postability;
use crate::records::branch::BranchRow;
use crate::records::money_account::MoneyRow;
use crate::records::role::{AccountType, Role};

impl BranchRow {
    /// Refuses a branch that a body names, unless it is an active one of the entity.
    ///
    /// # Errors
    /// REFERENCE_INVALID at the pointer.
    pub fn require_active(&self, entity: Id, pointer: &str) -> Result<(), Problem> {
        let is_active = self.legal_entity_id == entity && self.status == Status::Active;
        if is_active { Ok(()) } else { Err(Problem::reference_invalid(pointer)) }
    }
}

/// Refuses the branch of a query that does not exist, or is one of another entity.
pub fn check_branch(row: Option<Option<BranchRow>>, entity: Id) -> Result<(), Problem> {
    match require_named(row, "/query/branchId")? {
        Some(row) if row.legal_entity_id != entity => Err(Problem::reference_invalid("/query/branchId")),
        _ => Ok(()),
    }
}

impl Postability {
    /// Returns whether lines may be posted to it, of whatever origin.
    pub fn takes_lines(&self, entity: Id) -> bool {
        self.legal_entity_id == entity && self.postable && self.status == Status::Active
    }

    /// Returns whether a document's line may name it: control accounts are posted to only by role.
    pub fn takes_documents(&self, entity: Id) -> bool {
        self.takes_lines(entity) && self.control_role.is_none()
    }
}

impl Role {
    /// Returns whether this account may serve the role in the entity.
    pub fn takes(self, account: &Postability, entity: Id) -> bool {
        account.takes_lines(entity) && self.facts().types.contains(&account.account_type)
    }
}

/// True if a method may use this money account of the entity.
pub fn takes_money(method: Method, money: &MoneyRow, entity: Id) -> bool {
    let fits = method.facts().money_kinds.contains(&money.kind);
    money.legal_entity_id == entity && money.status == Status::Active && fits
}

/// True if a ledger account may be the account of money of a kind.
pub fn takes_account(kind: MoneyKind, account: &Postability) -> bool {
    let is_typed = account.account_type == AccountType::Asset
        || (kind == MoneyKind::Card && account.account_type == AccountType::Liability);
    is_typed && account.postable && account.status == Status::Active && account.control_role.is_none()
}
