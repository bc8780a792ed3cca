//! The ledger's directory: legal entities and their branches, and what keeps them from being archived.

use stoa_sdk::{Id, Problem};

use super::{Key, ask_all};

pub use crate::bindings::commerce::ledger::directory::{Branch, Entity};

stoa_sdk::service! {
    /// The service as it crosses the border.
    pub mod service = (crate::bindings::commerce::ledger::directory) {
        fn entities(ids: &[Key]) -> Vec<Entity>;
        fn branches(ids: &[Key]) -> Vec<Branch>;
        fn find_entity(code: &str) -> Option<Entity>;
        fn find_branch(entity: Key, code: &str) -> Option<Branch>;
        fn require(
            entity: Key,
            entity_pointer: &str,
            branch: Option<Key>,
            branch_pointer: &str,
        ) -> Result<Entity, Problem>;
        fn hold(
            holder_kind: &str,
            holder: Key,
            entity: Key,
            branch: Option<Key>,
            money_account: Option<Key>,
        ) -> Result<(), Problem>;
        fn release(holder_kind: &str, holder: Key) -> Result<(), Problem>;
    }
}

/// The entities of these ids, in any order; unknown ones are absent.
pub fn entities(ids: &[Id]) -> Vec<Entity> {
    ask_all(ids, service::entities)
}

/// The branches of these ids, in any order; unknown ones are absent.
pub fn branches(ids: &[Id]) -> Vec<Branch> {
    ask_all(ids, service::branches)
}

/// An active entity, and an active branch of it.
///
/// # Errors
/// NOT_FOUND, REFERENCE_INVALID at `/legalEntityId` or `/branchId`.
pub fn require(entity: Id, branch: Option<Id>) -> Result<Entity, Problem> {
    service::require(entity.into(), "/legalEntityId", branch.map(Key::from), "/branchId")
}

/// The entity of this code and its branch of the same code, as onboarding makes them.
pub fn find_by_code(code: &str) -> Option<(Id, Option<Id>)> {
    let entity = service::find_entity(code)?;
    let branch = service::find_branch(entity.id, code);
    Some((entity.id.into(), branch.map(|branch| branch.id.into())))
}

/// A record that keeps an entity, a branch and a money account from being archived.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Holder {
    /// `WAREHOUSE`.
    Warehouse(Id),
    /// `REGISTER`.
    Register(Id),
}

impl Holder {
    fn parts(self) -> (&'static str, Key) {
        match self {
            Holder::Warehouse(id) => ("WAREHOUSE", id.into()),
            Holder::Register(id) => ("REGISTER", id.into()),
        }
    }
}

/// Keeps entity, branch and money account from being archived as long as the holder lives. Its second hold replaces its first.
///
/// # Errors
/// REFERENCE_INVALID at `/legalEntityId`, `/branchId` or `/moneyAccountId`.
pub fn hold(holder: Holder, entity: Id, branch: Option<Id>, money_account: Option<Id>) -> Result<(), Problem> {
    let (kind, id) = holder.parts();
    service::hold(kind, id, entity.into(), branch.map(Key::from), money_account.map(Key::from))
}

/// Gives the holder's hold back; nothing where there is none.
pub fn release(holder: Holder) -> Result<(), Problem> {
    let (kind, id) = holder.parts();
    service::release(kind, id)
}
