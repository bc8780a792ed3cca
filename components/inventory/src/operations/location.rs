//! The operations of locations.

use schemars::JsonSchema;
use serde::Deserialize;
use stoa_sdk::store::{Failure, get, insert, lock, lock_shared, run, select, update};
use stoa_sdk::{
    Answer, Call, Filter, Id, Instant, Limit, Operation, Page, Problem, Reply, Text, all, contains, emit, event, facts,
    new_id, paged, text, view,
};

use crate::records::caller::{ADJUST, CLIENT_READ, READ};
use crate::records::life::{EmptyBody, Status};
use crate::records::location::{self, LOCATION, Location, LocationRow, PublicLocation, location_gate, reply};
use crate::records::unit::UnitRow;
use crate::records::warehouse::{WarehouseRow, gate};

const LOCATIONS_AT: &str = "/tenants/{tenantId}/inventory/warehouses/{warehouseId}/locations";
const LOCATION_AT: &str = "/tenants/{tenantId}/inventory/warehouses/{warehouseId}/locations/{locationId}";

#[rustfmt::skip]
pub const OPERATIONS: &[Operation] = &[
    Operation::read(LOCATIONS_AT, "listLocations", list).summary("Locations of a warehouse")
        .needs(READ).query::<ListLocations>().answers::<Page<Location>>(),
    Operation::create(LOCATIONS_AT, "createLocation", create).summary("Create a location")
        .description("A place in a warehouse where units stand; stock is not counted by location.")
        .needs(ADJUST).body::<LocationInput>().answers::<Location>()
        .writes(LOCATION, &["inventory.location.created"]).problems(&["ARCHIVED", "DUPLICATE"]),
    Operation::read(LOCATION_AT, "getLocation", read).summary("A location").needs(READ).answers::<Location>(),
    Operation::replace(LOCATION_AT, "replaceLocation", replace).summary("Rename a location")
        .needs(ADJUST).body::<LocationInput>().answers::<Location>()
        .writes(LOCATION, &["inventory.location.updated"]).problems(&["ARCHIVED", "IMMUTABLE_FIELD"]),
    Operation::transition("/tenants/{tenantId}/inventory/warehouses/{warehouseId}/locations/{locationId}/archive",
        "archiveLocation", archive)
        .summary("Archive a location").description("No unit may stand there.")
        .needs(ADJUST).body::<EmptyBody>().answers::<Location>()
        .writes(LOCATION, &["inventory.location.archived"]).problems(&["ARCHIVED", "CUSTODY_CONFLICT"]),

    Operation::read("/api-client/inventory/warehouses/{warehouseId}/locations", "apiListLocations", list_public)
        .summary("Locations of a warehouse").machine(CLIENT_READ).query::<ListLocations>().answers::<Page<PublicLocation>>(),
];

/// Input of a location.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct LocationInput {
    /// Kept as typed; unique in the warehouse in any case for ever; immutable.
    #[schemars(regex(pattern = text::ANY_CASE_CODE), length(max = 64))]
    code: String,
    name: Text<1, 200>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ListLocations {
    cursor: Option<Id>,
    #[serde(default)]
    limit: Limit,
    #[serde(default)]
    status: Status,
    /// Part of the code or name, in any case.
    text: Option<Text<1, 200>>,
}

impl ListLocations {
    fn filter(&self, warehouse: Id) -> Filter {
        let text = self.text.as_deref().map(|text| contains("text", text));
        let here = [LocationRow::warehouse_id.eq(warehouse), LocationRow::status.eq(self.status)];
        all(here.into_iter().chain(text))
    }
}

pub fn list(call: &Call) -> Answer {
    let id = call.path_id("warehouseId")?;
    let query: ListLocations = call.query()?;
    let (warehouse, rows) = page(id, &query)?;
    warehouse.ok_or_else(Problem::not_found)?;
    let tenant = Id::from(facts().tenant);
    Ok(Reply::json(&Page::of(rows.items, rows.more, |row| row.id, |row| Location::of(row, tenant))))
}

pub fn list_public(call: &Call) -> Answer {
    let id = call.path_id("warehouseId")?;
    let query: ListLocations = call.query()?;
    let (warehouse, rows) = page(id, &query)?;
    warehouse.filter(|row| row.status == Status::Active).ok_or_else(Problem::not_found)?;
    Ok(Reply::json(&Page::of(rows.items, rows.more, |row| row.id, PublicLocation::of)))
}

type Read = (Option<WarehouseRow>, stoa_sdk::store::Rows<LocationRow>);

fn page(id: Id, query: &ListLocations) -> Result<Read, Problem> {
    paged(query.limit, |limit| run((get(id), select(query.filter(id)).after(query.cursor).limit(limit))))
}

pub fn read(call: &Call) -> Answer {
    let (warehouse, id) = (call.path_id("warehouseId")?, call.path_id("locationId")?);
    of_warehouse(warehouse, run(get(id))?).map(reply)
}

fn of_warehouse(warehouse: Id, row: Option<LocationRow>) -> Result<LocationRow, Problem> {
    row.filter(|row| row.warehouse_id == warehouse).ok_or_else(Problem::not_found)
}

/// The row of the path where it may be changed.
///
/// # Errors
/// NOT_FOUND, PRECONDITION_FAILED, ARCHIVED.
pub fn writable(call: &Call, warehouse: Id, row: Option<LocationRow>) -> Result<LocationRow, Problem> {
    let row = of_warehouse(warehouse, row)?;
    call.matches(row.id, row.version)?;
    if row.status == Status::Archived { Err(Problem::archived()) } else { Ok(row) }
}

pub fn emit_event(kind: &str, row: &LocationRow) {
    emit(&[event(kind, "WAREHOUSE_LOCATION", row.id, None, &PublicLocation::of(row.clone()))]);
}

pub fn create(call: &Call) -> Answer {
    let warehouse_id = call.path_id("warehouseId")?;
    let input: LocationInput = call.body()?;
    let (_, warehouse) = run((lock_shared(gate(warehouse_id)), get::<WarehouseRow>(warehouse_id)))?;
    if warehouse.ok_or_else(Problem::not_found)?.status == Status::Archived {
        return Err(Problem::archived());
    }
    let now = Instant(facts().now);
    let row = LocationRow {
        id: new_id(),
        version: 1,
        created_at: now,
        updated_at: now,
        warehouse_id,
        code_key: input.code.to_ascii_lowercase(),
        code: input.code,
        name: input.name.into(),
        status: Status::Active,
        archived_at: None,
    };
    run(insert([&row])).map_err(|failure| match failure {
        Failure::Duplicate(_) => Problem::duplicate("/code"),
        other => other.into(),
    })?;
    emit_event("inventory.location.created", &row);
    Ok(reply(row))
}

pub fn replace(call: &Call) -> Answer {
    let (warehouse, id) = (call.path_id("warehouseId")?, call.path_id("locationId")?);
    let input: LocationInput = call.body()?;
    let row = writable(call, warehouse, run(get(id).locked())?)?;
    if input.code != row.code {
        return Err(Problem::immutable(vec!["/code".to_owned()]));
    }
    let name = String::from(input.name);
    let changed = if name == row.name { Vec::new() } else { vec!["name"] };
    let after = LocationRow { name, updated_at: Instant(facts().now), version: row.version + 1, ..row };
    run(update::<LocationRow>(id).set(LocationRow::name, &after.name))?;
    emit_event("inventory.location.updated", &after);
    Ok(reply(after).changed(changed))
}

view! { UnitId of UnitRow { id: Id } }

pub fn archive(call: &Call) -> Answer {
    let (warehouse, id) = (call.path_id("warehouseId")?, call.path_id("locationId")?);
    let EmptyBody {} = call.body()?;
    let (_, row, units) = run((
        lock(location_gate(id)),
        get::<LocationRow>(id).locked(),
        select::<UnitId>(UnitRow::location_id.eq(id)).limit(1),
    ))?;
    let row = writable(call, warehouse, row)?;
    if !units.items.is_empty() {
        return Err(Problem::of("CUSTODY_CONFLICT"));
    }
    let now = Instant(facts().now);
    let after = LocationRow {
        status: Status::Archived,
        archived_at: Some(now),
        updated_at: now,
        version: row.version + 1,
        ..row
    };
    run(update::<LocationRow>(id)
        .set(LocationRow::status, &after.status)
        .set(LocationRow::archived_at, &after.archived_at))?;
    emit_event("inventory.location.archived", &after);
    Ok(location::reply(after).changed(vec!["status", "archivedAt"]))
}
