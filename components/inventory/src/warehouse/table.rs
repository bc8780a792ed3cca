//! The operations of warehouses and locations.

use stoa_sdk::{Operation, Page};

use super::location::{ListLocations, Location, LocationInput, PublicLocation};
use super::show::{ListPublicWarehouses, ListWarehouses, PublicWarehouse, Warehouse};
use super::write::WarehouseInput;
use super::{archive, location, show, write};
use crate::{ADJUST, CLIENT_READ, EmptyBody, READ};

const WAREHOUSE: &str = "WAREHOUSE";
const LOCATION: &str = "WAREHOUSE_LOCATION";

const WAREHOUSES_AT: &str = "/tenants/{tenantId}/inventory/warehouses";
const WAREHOUSE_AT: &str = "/tenants/{tenantId}/inventory/warehouses/{warehouseId}";
const LOCATIONS_AT: &str = "/tenants/{tenantId}/inventory/warehouses/{warehouseId}/locations";
const LOCATION_AT: &str = "/tenants/{tenantId}/inventory/warehouses/{warehouseId}/locations/{locationId}";

#[rustfmt::skip]
pub const OPERATIONS: &[Operation] = &[
    Operation::read(WAREHOUSES_AT, "listWarehouses", show::list).summary("Warehouses")
        .needs(READ).query::<ListWarehouses>().answers::<Page<Warehouse>>(),
    Operation::create(WAREHOUSES_AT, "createWarehouse", write::create).summary("Create a warehouse")
        .description("Code, type, legal entity and branch never change; a code stays reserved after archive, in any case.")
        .needs(ADJUST).body::<WarehouseInput>().answers::<Warehouse>()
        .writes(WAREHOUSE, &["inventory.warehouse.created"]).problems(&["DUPLICATE", "REFERENCE_INVALID"]),
    Operation::read(WAREHOUSE_AT, "getWarehouse", show::read).summary("A warehouse").needs(READ).answers::<Warehouse>(),
    Operation::replace(WAREHOUSE_AT, "replaceWarehouse", write::replace).summary("Rename a warehouse")
        .description("Everything but the name must be the stored one.")
        .needs(ADJUST).body::<WarehouseInput>().answers::<Warehouse>()
        .writes(WAREHOUSE, &["inventory.warehouse.updated"]).problems(&["ARCHIVED", "IMMUTABLE_FIELD"]),
    Operation::transition("/tenants/{tenantId}/inventory/warehouses/{warehouseId}/archive", "archiveWarehouse", archive::warehouse)
        .summary("Archive a warehouse")
        .description("It must be empty: no goods, no reservations, nothing expected, and no open transfer order names it.")
        .needs(ADJUST).body::<EmptyBody>().answers::<Warehouse>()
        .writes(WAREHOUSE, &["inventory.warehouse.archived"])
        .problems(&["ARCHIVED", "CUSTODY_CONFLICT", "ILLEGAL_STATE"]),

    Operation::read(LOCATIONS_AT, "listLocations", location::list).summary("Locations of a warehouse")
        .needs(READ).query::<ListLocations>().answers::<Page<Location>>(),
    Operation::create(LOCATIONS_AT, "createLocation", location::create).summary("Create a location")
        .description("A place in a warehouse where units stand; stock is not counted by location.")
        .needs(ADJUST).body::<LocationInput>().answers::<Location>()
        .writes(LOCATION, &["inventory.location.created"]).problems(&["ARCHIVED", "DUPLICATE"]),
    Operation::read(LOCATION_AT, "getLocation", location::read).summary("A location").needs(READ).answers::<Location>(),
    Operation::replace(LOCATION_AT, "replaceLocation", location::replace).summary("Rename a location")
        .needs(ADJUST).body::<LocationInput>().answers::<Location>()
        .writes(LOCATION, &["inventory.location.updated"]).problems(&["ARCHIVED", "IMMUTABLE_FIELD"]),
    Operation::transition("/tenants/{tenantId}/inventory/warehouses/{warehouseId}/locations/{locationId}/archive",
        "archiveLocation", archive::location)
        .summary("Archive a location").description("No unit may stand there.")
        .needs(ADJUST).body::<EmptyBody>().answers::<Location>()
        .writes(LOCATION, &["inventory.location.archived"]).problems(&["ARCHIVED", "CUSTODY_CONFLICT"]),

    Operation::read("/api-client/inventory/warehouses", "apiListWarehouses", show::list_public).summary("Warehouses")
        .description("Active ones.")
        .machine(CLIENT_READ).query::<ListPublicWarehouses>().answers::<Page<PublicWarehouse>>(),
    Operation::read("/api-client/inventory/warehouses/{warehouseId}", "apiGetWarehouse", show::read_public)
        .summary("A warehouse").machine(CLIENT_READ).answers::<PublicWarehouse>(),
    Operation::read("/api-client/inventory/warehouses/{warehouseId}/locations", "apiListLocations", location::list_public)
        .summary("Locations of a warehouse").machine(CLIENT_READ).query::<ListLocations>().answers::<Page<PublicLocation>>(),
];
