//! Whether goods may be brought where a request says: the warehouse and location that it names, against those that were read.

use stoa_sdk::{Id, Problem};

use crate::records::life::Status;
use crate::records::location::LocationRow;
use crate::records::warehouse::WarehouseRow;
use crate::rules::refusal::unusable;

/// The warehouse.
///
/// # Errors
/// NOT_FOUND.
pub fn require_warehouse<'a>(rows: &'a [WarehouseRow], id: Id, pointer: &str) -> Result<&'a WarehouseRow, Problem> {
    rows.iter().find(|row| row.id == id).ok_or_else(|| Problem::reference_missing(pointer))
}

/// The location, where one is named.
///
/// # Errors
/// NOT_FOUND.
pub fn require_location<'a>(
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
pub fn check_open(
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

/// Refuses a location that is not the warehouse's, or archived.
///
/// # Errors
/// NOT_FOUND, REFERENCE_INVALID at `/locationId`.
pub fn check_location(warehouse: Id, row: Option<LocationRow>) -> Result<(), Problem> {
    let row = row.ok_or_else(|| Problem::reference_missing("/locationId"))?;
    if row.warehouse_id != warehouse {
        return Err(unusable("/locationId", "OTHER_WAREHOUSE"));
    }
    if row.status == Status::Archived {
        return Err(unusable("/locationId", "ARCHIVED"));
    }
    Ok(())
}
