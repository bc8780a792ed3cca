//! The ledger's books: who posts asks `admit` early, before goods are locked, and posts in the transaction of what is posted.

use std::collections::BTreeMap;

use stoa_sdk::{Id, Problem, map};

use super::{Key, ask_all, directory};
use crate::quantity::Amount;

pub use crate::bindings::commerce::ledger::books::{
    Amount as StatedAmount, Cost, Leg, Party, PartyKind, Posted, Posting, RoleBalance, Side, Target, Terms,
};

stoa_sdk::service! {
    /// The service as it crosses the border.
    pub mod service = (crate::bindings::commerce::ledger::books) {
        fn post(posting: &Posting) -> Result<Option<Key>, Problem>;
        fn post_all(postings: &[Posting]) -> Result<Vec<Option<Key>>, Problem>;
        fn mirror(
            source_kind: &str,
            source_id: Key,
            on: Option<&str>,
            on_pointer: Option<&str>,
            text: &str,
        ) -> Result<Vec<Key>, Problem>;
        fn mirror_all(
            source_kind: &str,
            source_ids: &[Key],
            on: Option<&str>,
            on_pointer: Option<&str>,
            text: &str,
        ) -> Result<Vec<Key>, Problem>;
        fn admit(
            entity: Key,
            currency_code: Option<&str>,
            currency_pointer: Option<&str>,
            roles: &[String],
            amounts: &[StatedAmount],
        ) -> Result<Option<Terms>, Problem>;
        fn admit_costs(entity: Key, costs: &[Cost]) -> Result<(), Problem>;
        fn role_balances(entity: Key, roles: &[String], as_of: Option<&str>) -> Result<Vec<RoleBalance>, Problem>;
        fn entries(source_kind: &str, source_ids: &[Key]) -> Vec<Posted>;
        fn line_accounts(entity: Key, ids: &[Key], types: &[String]) -> Result<Vec<Key>, Problem>;
        fn begin(entity: Key, expected_version: i64, currency_code: &str, amount_scale: u8) -> Result<(), Problem>;
    }
}

/// How the entity keeps its books, held so until the transaction ends; none if it keeps none.
pub fn admit(entity: Id) -> Result<Option<Terms>, Problem> {
    service::admit(entity.into(), None, None, &[], &[])
}

/// Checks that these costs fit the books, so that every later outflow can be posted. Without costs the ledger is not called.
///
/// # Errors
/// ACCOUNTING_AMOUNT_PRECISION at a cost's pointer.
pub fn admit_costs(entity: Id, costs: &[Cost]) -> Result<(), Problem> {
    if costs.is_empty() { Ok(()) } else { service::admit_costs(entity.into(), costs) }
}

/// Writes an entry; none if the entity keeps no books or no amount is above zero.
///
/// # Errors
/// ACCOUNTING_SETUP_REQUIRED, ACCOUNTING_PERIOD_CLOSED, ACCOUNTING_CURRENCY_UNSUPPORTED, ACCOUNTING_AMOUNT_PRECISION.
pub fn post(posting: &Posting) -> Result<Option<Id>, Problem> {
    Ok(service::post(posting)?.map(Id::from))
}

/// Writes several entries in as many round trips as one, in their order. The ledger is not asked for an empty list.
///
/// # Errors
/// ACCOUNTING_SETUP_REQUIRED, ACCOUNTING_PERIOD_CLOSED, ACCOUNTING_CURRENCY_UNSUPPORTED, ACCOUNTING_AMOUNT_PRECISION.
pub fn post_all(postings: &[Posting]) -> Result<(), Problem> {
    if !postings.is_empty() {
        service::post_all(postings)?;
    }
    Ok(())
}

/// Balances of the accounts of these roles in the books, debit minus credit, of all that was posted; a role without an account is
/// absent, and all are where the entity keeps no books.
pub fn balances(entity: Id, roles: &[&str]) -> BTreeMap<String, Amount> {
    let keeps_books = directory::entities(&[entity]).first().is_some_and(|entity| entity.keeps_books);
    if !keeps_books {
        return BTreeMap::new();
    }
    let roles: Vec<String> = roles.iter().map(|&role| role.to_owned()).collect();
    let balances = service::role_balances(entity.into(), &roles, None).unwrap_or_default();
    map(balances.into_iter().filter_map(|RoleBalance { role, balance }| Some((role, balance.parse().ok()?))))
}

/// The entries of these sources, mirrors too, in any order.
pub fn entries(source_kind: &str, sources: &[Id]) -> Vec<Posted> {
    ask_all(sources, |some| service::entries(source_kind, some))
}

/// A stand-in for a ledger without books, in which every entity is active: for unit tests of modules that only pass through it.
#[cfg(not(target_arch = "wasm32"))]
pub fn stand_in_without_books() {
    use directory::service::stand_in as directory;
    use service::stand_in as books;

    fn entity(id: Key) -> super::directory::Entity {
        super::directory::Entity {
            id,
            code: "MAIN".to_owned(),
            name: "Main".to_owned(),
            active: true,
            keeps_books: false,
            currency_code: None,
            amount_scale: None,
        }
    }

    directory::require(|id, _, _, _| Ok(entity(id)));
    directory::entities(|ids| ids.iter().map(|id| entity(*id)).collect());
    directory::branches(|_| Vec::new());
    directory::find_entity(|_| None);
    directory::find_branch(|_, _| None);
    directory::hold(|_, _, _, _, _| Ok(()));
    directory::release(|_, _| Ok(()));
    books::admit(|_, _, _, _, _| Ok(None));
    books::admit_costs(|_, _| Ok(()));
    books::post(|_| Ok(None));
    books::post_all(|postings| Ok(vec![None; postings.len()]));
    books::entries(|_, _| Vec::new());
    books::mirror(|_, _, _, _, _| Ok(Vec::new()));
    books::mirror_all(|_, _, _, _, _| Ok(Vec::new()));
    books::line_accounts(|_, _, _| Ok(Vec::new()));
    books::role_balances(|_, _, _| Ok(Vec::new()));
}
