//! Inventory's serial units, as documents that name them see them.

use std::collections::BTreeMap;

use stoa_sdk::{Id, Problem, holds, map};

use super::{Key, ask_all};

pub use crate::bindings::commerce::inventory::units::{Found, Unit, UnitsOf};

/// The permission to read serial numbers of units, and their states.
pub const SERIALS_READ: &str = "inventory.serials.read";

stoa_sdk::service! {
    /// The service as it crosses the border.
    pub mod service = (crate::bindings::commerce::inventory::units) {
        fn get_many(ids: &[Key]) -> Vec<Unit>;
        fn find(identities: &[String]) -> Result<Vec<Found>, Problem>;
        fn of_receipt_items(ids: &[Key]) -> Vec<UnitsOf>;
        fn of_allocations(ids: &[Key]) -> Vec<UnitsOf>;
    }
}

/// The units of these ids, in any order; unknown ones are absent.
pub fn get(ids: &[Id]) -> Vec<Unit> {
    ask_all(ids, service::get_many)
}

/// The units of these ids, by id; unknown ones are absent.
pub fn get_by_id(ids: impl IntoIterator<Item = Id>) -> BTreeMap<Id, Unit> {
    let ids: Vec<Id> = ids.into_iter().collect();
    map(get(&ids).into_iter().map(|unit| (Id::from(unit.id), unit)))
}

/// As [`get_by_id`] for readers of serial numbers; no unit for others.
pub fn read_known(ids: impl IntoIterator<Item = Id>) -> BTreeMap<Id, Unit> {
    if holds(SERIALS_READ) { get_by_id(ids) } else { BTreeMap::new() }
}
