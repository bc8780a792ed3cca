//! New warehouses, of a person or of onboarding.

use stoa_sdk::store::{Failure, insert, run};
use stoa_sdk::{Id, Instant, Problem, emit, event, facts, new_id};

use crate::records::life::Status;
use crate::records::warehouse::{PublicWarehouse, WarehouseRow, WarehouseType};
use crate::work::clients::books;

/// Inserts a warehouse of an entity and branch that were checked, holds them, and emits the event.
///
/// # Errors
/// DUPLICATE at `/code`.
pub fn insert_warehouse(
    code: String,
    name: String,
    kind: WarehouseType,
    legal_entity_id: Id,
    branch_id: Option<Id>,
) -> Result<WarehouseRow, Problem> {
    let now = Instant(facts().now);
    let row = WarehouseRow {
        id: new_id(),
        version: 1,
        created_at: now,
        updated_at: now,
        code_key: code.to_ascii_lowercase(),
        code,
        name,
        kind,
        legal_entity_id,
        branch_id,
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
