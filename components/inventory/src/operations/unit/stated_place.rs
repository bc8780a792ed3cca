//! A unit and the place that a request states for it: read first, to know whose books are asked, then locked behind the gates.

use stoa_sdk::store::{get, get_all, run};
use stoa_sdk::{Id, Item, Problem, item};
use stoa_trade::document::version::ExpectedVersion;

use crate::records::location::LocationRow;
use crate::records::unit::UnitRow;
use crate::records::warehouse::WarehouseRow;
use crate::rules::place;
use crate::rules::unit_state::{self, Cause};
use crate::work::gates;

/// `toWarehouseId` and `toLocationId`, as far as they are stated.
#[derive(Clone, Copy)]
pub struct StatedPlace {
    pub warehouse: Option<Id>,
    pub location: Option<Id>,
}

/// A locked unit, and what was read behind the gates of that place.
pub struct Entered {
    pub unit: UnitRow,
    pub warehouses: Vec<WarehouseRow>,
    locations: Vec<LocationRow>,
}

impl StatedPlace {
    /// A destination that is needed and not named, or named and not needed.
    pub fn find_faults(self, is_needed: bool) -> Vec<Item> {
        if is_needed {
            return self.warehouse.is_none().then(|| item("/toWarehouseId", "REQUIRED")).into_iter().collect();
        }
        let named = [("/toWarehouseId", self.warehouse), ("/toLocationId", self.location)];
        named.into_iter().filter(|(_, id)| id.is_some()).map(|(pointer, _)| item(pointer, "NOT_ALLOWED")).collect()
    }

    /// The unit as it is, and the warehouse that is named.
    pub fn read(self, unit: Id) -> Result<(UnitRow, Option<WarehouseRow>), Problem> {
        let (unit, warehouses, locations) = run((get(unit), get_all(self.warehouse), get_all(self.location)))?;
        let unit = unit.ok_or_else(Problem::not_found)?;
        if let Some(to) = self.warehouse {
            place::require_warehouse(&warehouses, to, "/toWarehouseId")?;
        }
        place::require_location(&locations, self.location, "/toLocationId")?;
        Ok((unit, warehouses.into_iter().next()))
    }

    /// Locks the unit where it has the expected version and a state that the cause may act on.
    pub fn enter(self, unit: Id, expected: ExpectedVersion, cause: Cause) -> Result<Entered, Problem> {
        let gates: Vec<Id> = self.warehouse.into_iter().collect();
        let entered = (gates::enter(&gates, self.location), get::<UnitRow>(unit).locked());
        let ((_, warehouses, locations), unit) = run(entered)?;
        let unit = unit.ok_or_else(Problem::not_found)?;
        expected.check(unit.version)?;
        unit_state::check(cause, &unit, None)?;
        Ok(Entered { unit, warehouses, locations })
    }
}

impl Entered {
    /// The warehouse, where the unit may be brought to it and to the location.
    pub fn require_open(&self, to: Id, location: Option<Id>) -> Result<&WarehouseRow, Problem> {
        let warehouse = place::require_warehouse(&self.warehouses, to, "/toWarehouseId")?;
        let location = place::require_location(&self.locations, location, "/toLocationId")?;
        place::check_open(warehouse, "/toWarehouseId", location, "/toLocationId")?;
        Ok(warehouse)
    }
}
