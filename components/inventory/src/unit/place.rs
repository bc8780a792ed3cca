//! Where a unit goes: the warehouse and location that a request names, read behind the gates that keep them from being archived
//! meanwhile.

use stoa_sdk::store::{GetAll, Lock, get_all, lock_all_shared};
use stoa_sdk::{Id, Problem};

pub use crate::terms::unusable;
use crate::terms::{Status, gate, location_gate};
use crate::warehouse::row::{LocationRow, WarehouseRow};

/// The gates of these warehouses and location, shared with everybody who brings goods there, and what stands behind them.
pub fn enter(warehouses: &[Id], location: Option<Id>) -> (Lock, GetAll<WarehouseRow>, GetAll<LocationRow>) {
    let names = warehouses.iter().map(|id| gate(*id)).chain(location.map(location_gate));
    (lock_all_shared(names), get_all(warehouses.iter().copied()), get_all(location))
}

/// The warehouse.
///
/// # Errors
/// NOT_FOUND.
pub fn known<'a>(rows: &'a [WarehouseRow], id: Id, pointer: &str) -> Result<&'a WarehouseRow, Problem> {
    rows.iter().find(|row| row.id == id).ok_or_else(|| Problem::reference_missing(pointer))
}

/// The location, where one is named.
///
/// # Errors
/// NOT_FOUND.
pub fn known_location<'a>(
    rows: &'a [LocationRow],
    id: Option<Id>,
    pointer: &str,
) -> Result<Option<&'a LocationRow>, Problem> {
    match id {
        None => Ok(None),
        Some(id) => match rows.iter().find(|row| row.id == id) {
            Some(row) => Ok(Some(row)),
            None => Err(Problem::reference_missing(pointer)),
        },
    }
}

/// Whether goods may be brought there: both active, and the location one of the warehouse.
///
/// # Errors
/// REFERENCE_INVALID.
pub fn open(
    warehouse: &WarehouseRow,
    pointer: &str,
    location: Option<&LocationRow>,
    location_pointer: &str,
) -> Result<(), Problem> {
    if warehouse.status == Status::Archived {
        return Err(unusable(pointer, "ARCHIVED"));
    }
    match location {
        Some(location) if location.warehouse_id != warehouse.id => Err(unusable(location_pointer, "OTHER_WAREHOUSE")),
        Some(location) if location.status == Status::Archived => Err(unusable(location_pointer, "ARCHIVED")),
        _ => Ok(()),
    }
}
