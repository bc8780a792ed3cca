//! Creating and renaming a warehouse. Everything but its name is its identity: entries of the books carry it.

use schemars::JsonSchema;
use serde::Deserialize;
use stoa_sdk::store::{Failure, get, insert, run, update};
use stoa_sdk::{Answer, Call, Id, Instant, Problem, Text, emit, event, facts, new_id, text};

use super::row::{WarehouseRow, WarehouseType};
use super::show::{PublicWarehouse, answer};
use crate::books;
use crate::terms::Status;

/// Input of a warehouse.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct WarehouseInput {
    /// Kept as typed; unique in any case for ever, archived warehouses included; immutable.
    #[schemars(regex(pattern = text::ANY_CASE_CODE), length(max = 64))]
    pub code: String,
    pub name: Text<1, 200>,
    /// Immutable.
    #[serde(rename = "type")]
    pub kind: WarehouseType,
    /// Whose goods are there; immutable.
    pub legal_entity_id: Id,
    /// An active branch of the entity; immutable.
    #[serde(default)]
    pub branch_id: Option<Id>,
}

pub fn create(call: &Call) -> Answer {
    let input: WarehouseInput = call.body()?;
    books::require(input.legal_entity_id, input.branch_id)?;
    add(input).map(answer)
}

/// Inserts a warehouse of an entity and branch that were checked, holds them, and tells of it.
///
/// # Errors
/// DUPLICATE at `/code`.
pub fn add(input: WarehouseInput) -> Result<WarehouseRow, Problem> {
    let now = Instant(facts().now);
    let row = WarehouseRow {
        id: new_id(),
        version: 1,
        created_at: now,
        updated_at: now,
        code_key: input.code.to_ascii_lowercase(),
        code: input.code,
        name: input.name.into(),
        kind: input.kind,
        legal_entity_id: input.legal_entity_id,
        branch_id: input.branch_id,
        status: Status::Active,
        archived_at: None,
    };
    run(insert([&row])).map_err(|failure| match failure {
        Failure::Duplicate(_) => Problem::duplicate("/code"),
        other => other.into(),
    })?;
    books::hold(row.id, row.legal_entity_id, row.branch_id)?;
    emit(&[event("inventory.warehouse.created", "WAREHOUSE", row.id, None, &PublicWarehouse::of(row.clone()))]);
    Ok(row)
}

pub fn replace(call: &Call) -> Answer {
    let id = call.path_id("warehouseId")?;
    let input: WarehouseInput = call.body()?;
    let row = writable(call, run(get(id).locked())?)?;
    let fixed = [
        ("/code", input.code != row.code),
        ("/type", input.kind != row.kind),
        ("/legalEntityId", input.legal_entity_id != row.legal_entity_id),
        ("/branchId", input.branch_id != row.branch_id),
    ];
    let fixed: Vec<String> = fixed.into_iter().filter(|(_, differs)| *differs).map(|(at, _)| at.to_owned()).collect();
    if !fixed.is_empty() {
        return Err(Problem::immutable(fixed));
    }
    let name = String::from(input.name);
    let changed = if name == row.name { Vec::new() } else { vec!["name"] };
    let after = WarehouseRow { name, updated_at: Instant(facts().now), version: row.version + 1, ..row };
    run(update::<WarehouseRow>(id).set(WarehouseRow::name, &after.name))?;
    emit(&[event("inventory.warehouse.updated", "WAREHOUSE", id, None, &PublicWarehouse::of(after.clone()))]);
    Ok(answer(after).changed(changed))
}

/// The row of the path where it may be changed.
///
/// # Errors
/// NOT_FOUND, PRECONDITION_FAILED, ARCHIVED.
pub fn writable(call: &Call, row: Option<WarehouseRow>) -> Result<WarehouseRow, Problem> {
    let row = row.ok_or_else(Problem::not_found)?;
    call.matches(row.id, row.version)?;
    if row.status == Status::Archived { Err(Problem::archived()) } else { Ok(row) }
}
