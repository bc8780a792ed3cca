//! Decides if goods may enter the warehouse and location that a request names, compared with the rows that were read.

use stoa_sdk::{Id, Problem};
use stoa_trade::Status;
use stoa_trade::refusal::unusable;

use crate::records::location::LocationRow;
use crate::records::warehouse::WarehouseRow;

/// The warehouse.
pub fn require_warehouse<'a>(rows: &'a [WarehouseRow], id: Id, pointer: &str) -> Result<&'a WarehouseRow, Problem> {
    rows.iter().find(|row| row.id == id).ok_or_else(|| Problem::reference_missing(pointer))
}

/// The location, where one is named.
pub fn require_location<'a>(
    rows: &'a [LocationRow],
    id: Option<Id>,
    pointer: &str,
) -> Result<Option<&'a LocationRow>, Problem> {
    let find = |id| rows.iter().find(|row| row.id == id).ok_or_else(|| Problem::reference_missing(pointer));
    id.map(find).transpose()
}

/// Checks that the warehouse may be named.
pub fn check_active(warehouse: &WarehouseRow, pointer: &str) -> Result<(), Problem> {
    if warehouse.status == Status::Archived { Err(unusable(pointer, "ARCHIVED")) } else { Ok(()) }
}

/// Checks that goods may enter: both are active, and the location belongs to the warehouse.
pub fn check_open(
    warehouse: &WarehouseRow,
    pointer: &str,
    location: Option<&LocationRow>,
    location_pointer: &str,
) -> Result<(), Problem> {
    check_active(warehouse, pointer)?;
    match location {
        Some(location) if location.warehouse_id != warehouse.id => Err(unusable(location_pointer, "OTHER_WAREHOUSE")),
        Some(location) if location.status == Status::Archived => Err(unusable(location_pointer, "ARCHIVED")),
        _ => Ok(()),
    }
}

/// The warehouse at `/warehouseId` where goods may be brought to it and to the location at `/locationId`, where one is named.
pub fn require_open<'a>(
    warehouses: &'a [WarehouseRow],
    locations: &[LocationRow],
    warehouse: Id,
    location: Option<Id>,
) -> Result<&'a WarehouseRow, Problem> {
    let row = require_warehouse(warehouses, warehouse, "/warehouseId")?;
    check_open(row, "/warehouseId", None, "/locationId")?;
    let location = require_location(locations, location, "/locationId")?;
    check_open(row, "/warehouseId", location, "/locationId")?;
    Ok(row)
}
