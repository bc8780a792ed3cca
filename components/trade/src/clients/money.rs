//! The ledger's money accounts: where payments go and come from.

use stoa_sdk::{Id, Problem};

use super::{Key, ask_all};

pub use crate::bindings::commerce::ledger::money::{Account, Flow, Usage};

stoa_sdk::service! {
    /// The service as it crosses the border.
    pub mod service = (crate::bindings::commerce::ledger::money) {
        fn resolve(entity: Key, uses: &[Usage]) -> Result<Vec<Option<Account>>, Problem>;
        fn get(ids: &[Key]) -> Vec<Account>;
        fn flows(entity: Key, since: &str, until: &str) -> Result<Vec<Flow>, Problem>;
    }
}

/// For each use the stated account, else the one mapped to the method; none if the entity keeps no books.
///
/// # Errors
/// PAYMENT_ACCOUNT_INVALID, ACCOUNTING_SETUP_REQUIRED at a use's pointer.
pub fn resolve(entity: Id, uses: &[Usage]) -> Result<Vec<Option<Account>>, Problem> {
    service::resolve(entity.into(), uses)
}

/// The accounts of these ids, in any order; unknown ones are absent.
pub fn get(ids: &[Id]) -> Vec<Account> {
    ask_all(ids, service::get)
}
