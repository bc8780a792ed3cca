//! Inventory's warehouses and their locations. A request reads each warehouse once; who waited for its gate reads it anew.

use std::collections::BTreeMap;

use stoa_sdk::{Id, Kept};

use super::{Key, ask_all};

pub use crate::bindings::commerce::inventory::warehouses::{Kind as WarehouseKind, Location, Warehouse};

stoa_sdk::service! {
    /// The service as it crosses the border.
    pub mod service = (crate::bindings::commerce::inventory::warehouses) {
        fn get_many(ids: &[Key]) -> Vec<Warehouse>;
        fn locations(ids: &[Key]) -> Vec<Location>;
    }
}

thread_local! {
    static KEPT: Kept<Id, Warehouse> = const { Kept::new() };
}

/// The warehouses of these ids; unknown ones are absent.
pub fn get(ids: impl IntoIterator<Item = Id>) -> BTreeMap<Id, Warehouse> {
    let read = |missing: &[Id]| {
        let warehouses = ask_all(missing, service::get_many);
        warehouses.into_iter().map(|warehouse| (Id::from(warehouse.id), warehouse)).collect()
    };
    KEPT.with(|kept| kept.get(ids, read))
}

/// Reads them anew from here on.
pub fn forget() {
    KEPT.with(Kept::forget);
}

/// The locations of these ids, in any order; unknown ones are absent.
pub fn locations(ids: &[Id]) -> Vec<Location> {
    ask_all(ids, service::locations)
}
