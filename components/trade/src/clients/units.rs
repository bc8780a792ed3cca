//! Inventory's serial units, as documents that name them see them.

use stoa_sdk::{Id, Problem};

use super::{Key, ask_all};

pub use crate::bindings::commerce::inventory::units::{Found, Unit, UnitsOf};

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
