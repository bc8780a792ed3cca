//! Locations: places in a warehouse where units stand.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use stoa_sdk::store::{Failure, get, insert, lock_shared, run, select, update};
use stoa_sdk::{
    Answer, Call, Filter, Id, Instant, Limit, Page, Problem, Reply, Text, all, contains, emit, event, facts, new_id,
    paged, text,
};

use super::row::{LocationRow, WarehouseRow};
use crate::terms::{Status, gate};

/// Input of a location.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct LocationInput {
    /// Kept as typed; unique in the warehouse in any case for ever; immutable.
    #[schemars(regex(pattern = text::ANY_CASE_CODE), length(max = 64))]
    code: String,
    name: Text<1, 200>,
}

/// A location as people read it.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Location {
    tenant_id: Id,
    archived_at: Option<Instant>,
    #[serde(flatten)]
    public: PublicLocation,
}

/// A location.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PublicLocation {
    id: Id,
    status: Status,
    created_at: Instant,
    updated_at: Instant,
    warehouse_id: Id,
    code: String,
    name: String,
}

impl Location {
    fn of(row: LocationRow, tenant_id: Id) -> Location {
        Location { tenant_id, archived_at: row.archived_at, public: PublicLocation::of(row) }
    }
}

impl PublicLocation {
    fn of(row: LocationRow) -> PublicLocation {
        PublicLocation {
            id: row.id,
            status: row.status,
            created_at: row.created_at,
            updated_at: row.updated_at,
            warehouse_id: row.warehouse_id,
            code: row.code,
            name: row.name,
        }
    }
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
    of_warehouse(warehouse, run(get(id))?).map(answer)
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

pub fn answer(row: LocationRow) -> Reply {
    let (id, version, warehouse) = (row.id, row.version, row.warehouse_id);
    Reply::json(&Location::of(row, facts().tenant.into())).of(id, version).subject(warehouse)
}

pub fn tell(kind: &str, row: &LocationRow) {
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
    tell("inventory.location.created", &row);
    Ok(answer(row))
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
    tell("inventory.location.updated", &after);
    Ok(answer(after).changed(changed))
}
