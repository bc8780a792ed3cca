//! The operations of locations.

use schemars::JsonSchema;
use serde::Deserialize;
use stoa_sdk::store::{Rows, find, get, lock, lock_shared, run, select};
use stoa_sdk::{
    Answer, Call, Client, Field, Id, Instant, Operation, Page, Problem, Text, emit, fit_page, new_id, text, view,
};
use stoa_trade::document::number::insert_unless_taken;
use stoa_trade::lists::{changed_since, mentions};
use stoa_trade::taken::show_readable;
use stoa_trade::{Caller, Change, EmptyBody, Status, list_query, new_record, require_unarchived, writable};

use crate::records::location::{
    ApiLocation, LOCATION, LOCATION_ARCHIVED, LOCATION_CREATED, LOCATION_UPDATED, Location, LocationRow, location_gate,
    reply,
};
use crate::records::permission::{ADJUST, CLIENT_READ, READ};
use crate::records::unit::UnitRow;
use crate::records::warehouse::{WarehouseRow, gate};
use crate::work::documents::finish;

#[rustfmt::skip]
pub const OPERATIONS: &[Operation] = &[
    Operation::read("/inventory/warehouses/{warehouseId}/locations", "listLocations", list).summary("Locations of a warehouse")
        .needs(READ).query::<ListLocations>().answers::<Page<Location>>()
        .and_client(Client::new(CLIENT_READ).answers::<Page<ApiLocation>>()),
    Operation::create("/inventory/warehouses/{warehouseId}/locations", "createLocation", create).summary("Create a location")
        .description("A location is a place in a warehouse for serialized units. Stock is not counted by location.")
        .needs(ADJUST).body::<LocationInput>().answers::<Location>()
        .writes(LOCATION, &[LOCATION_CREATED.code]).problems(&["ARCHIVED", "DUPLICATE"]),
    Operation::read("/inventory/warehouses/{warehouseId}/locations/{locationId}", "getLocation", read).summary("A location")
        .needs(READ).answers::<Location>(),
    Operation::replace("/inventory/warehouses/{warehouseId}/locations/{locationId}", "replaceLocation", replace)
        .summary("Rename a location")
        .needs(ADJUST).body::<LocationInput>().answers::<Location>()
        .writes(LOCATION, &[LOCATION_UPDATED.code]).problems(&["ARCHIVED", "IMMUTABLE_FIELD"]),
    Operation::transition("/inventory/warehouses/{warehouseId}/locations/{locationId}/archive", "archiveLocation", archive)
        .summary("Archive a location").description("Rejected while a unit is at the location.")
        .needs(ADJUST).body::<EmptyBody>().answers::<Location>()
        .writes(LOCATION, &[LOCATION_ARCHIVED.code]).problems(&["ARCHIVED", "CUSTODY_CONFLICT"]),
];

/// A location in a request.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct LocationInput {
    /// Stored as typed. Unique in the warehouse for ever, ignoring case. Immutable.
    #[schemars(regex(pattern = text::ANY_CASE_CODE), length(max = 64))]
    code: String,
    name: Text<1, 200>,
}

list_query! {
    pub struct ListLocations of LocationRow {
        #[serde(default)]
        status: Status = LocationRow::status.eq(status),
        /// Only records whose code or name contains the text, ignoring case.
        text: Option<Text<1, 200>> = mentions("text", text.as_deref()),
        /// Only records changed at or after this instant.
        updated_since: Option<Instant> = changed_since(LocationRow::updated_at, updated_since),
    }
}

pub fn list(call: &Call) -> Answer {
    let id = call.path_id("warehouseId")?;
    let query: ListLocations = call.query()?;
    let filter = query.filter([LocationRow::warehouse_id.eq(id)]);
    let (warehouse, rows): (Option<WarehouseRow>, Rows<LocationRow>) =
        fit_page(query.limit, |limit| run((get(id), select(filter.clone()).page(query.cursor).limit(limit))))?;
    let warehouse = warehouse.ok_or_else(Problem::not_found)?;
    let caller = Caller::current();
    if caller.is_client() && warehouse.status == Status::Archived {
        return Err(Problem::not_found());
    }
    caller.answer_page(rows, Location::from_row, ApiLocation::from_row)
}

pub fn read(call: &Call) -> Answer {
    let (warehouse, id) = (call.path_id("warehouseId")?, call.path_id("locationId")?);
    of_warehouse(warehouse, run(get(id))?).map(|row| reply(&row))
}

fn of_warehouse(warehouse: Id, row: Option<LocationRow>) -> Result<LocationRow, Problem> {
    row.filter(|row| row.warehouse_id == warehouse).ok_or_else(Problem::not_found)
}

/// The row of the path where it may be changed.
fn require_writable(call: &Call, warehouse: Id, row: Option<LocationRow>) -> Result<LocationRow, Problem> {
    writable(call, Some(of_warehouse(warehouse, row)?))
}

view! { LocationId of LocationRow { id: Id } }

pub fn create(call: &Call) -> Answer {
    let warehouse_id = call.path_id("warehouseId")?;
    let input: LocationInput = call.body()?;
    let (_, warehouse) = run((lock_shared(gate(warehouse_id)), get::<WarehouseRow>(warehouse_id)))?;
    require_unarchived(warehouse.ok_or_else(Problem::not_found)?)?;
    let row = new_record!(LocationRow {
        id: new_id(),
        warehouse_id,
        code_key: input.code.to_ascii_lowercase(),
        code: input.code,
        name: input.name.into(),
        status: Status::Active,
        archived_at: None,
    });
    if !insert_unless_taken(&row)? {
        let named = run(find::<LocationId>("code", [vec![warehouse_id.put(), row.code_key.put()]]))?;
        return Err(Problem::conflict(
            "DUPLICATE",
            "/code",
            named.first().and_then(|other| show_readable(other.id, READ)),
        ));
    }
    emit([LOCATION_CREATED.of(row.id, None, &ApiLocation::from_row(&row))]);
    Ok(reply(&row))
}

pub fn replace(call: &Call) -> Answer {
    let (warehouse, id) = (call.path_id("warehouseId")?, call.path_id("locationId")?);
    let input: LocationInput = call.body()?;
    let before = require_writable(call, warehouse, run(get(id).locked())?)?;
    let after = LocationRow { code: input.code, name: input.name.into(), ..before.clone() };
    finish(&Change::new(&before, after)?, &LOCATION_UPDATED, ApiLocation::from_row, reply)
}

view! { UnitId of UnitRow { id: Id } }

pub fn archive(call: &Call) -> Answer {
    let (warehouse, id) = (call.path_id("warehouseId")?, call.path_id("locationId")?);
    let EmptyBody {} = call.body()?;
    let (_, row, units) = run((
        lock(location_gate(id)),
        get::<LocationRow>(id).locked(),
        select::<UnitId>(UnitRow::location_id.eq(id)).first(),
    ))?;
    let row = require_writable(call, warehouse, row)?;
    if units.is_some() {
        return Err(Problem::new("CUSTODY_CONFLICT"));
    }
    finish(&Change::archive(row), &LOCATION_ARCHIVED, ApiLocation::from_row, reply)
}
