//! Inventory's warehouses and their locations. A request reads each warehouse once, and again after it waited for the
//! warehouse's gate.

use std::collections::BTreeMap;

use stoa_sdk::{Id, Kept};

use super::{Key, ask_all, get_kept};

pub use crate::bindings::commerce::inventory::warehouses::{Kind as WarehouseKind, Location, Warehouse};

stoa_sdk::service! {
    /// The service as it crosses the border.
    pub mod service = (crate::bindings::commerce::inventory::warehouses) {
        fn get_many(ids: &[Key]) -> Vec<Warehouse>;
        fn locations(ids: &[Key]) -> Vec<Location>;
        fn find_by_code(code: &str) -> Option<Warehouse>;
    }
}

thread_local! {
    static KEPT: Kept<Id, Warehouse> = const { Kept::new() };
}

/// The warehouses of these ids; unknown ones are absent.
pub fn get(ids: impl IntoIterator<Item = Id>) -> BTreeMap<Id, Warehouse> {
    get_kept(&KEPT, ids, service::get_many, |warehouse| warehouse.id)
}

/// Reads them again from here on.
pub fn forget() {
    KEPT.with(Kept::forget);
}

/// The locations of these ids, in any order; unknown ones are absent.
pub fn locations(ids: &[Id]) -> Vec<Location> {
    ask_all(ids, service::locations)
}
