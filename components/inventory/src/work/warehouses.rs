//! New warehouses, of a person or of onboarding.

use stoa_sdk::store::{find, run};
use stoa_sdk::{Field, Id, Problem, emit, new_id, view};
use stoa_trade::clients::directory::{self, Holder};
use stoa_trade::document::number::insert_unless_taken;
use stoa_trade::taken::show_readable;
use stoa_trade::{Status, new_record};

use crate::records::permission::READ;
use crate::records::warehouse::{ApiWarehouse, WAREHOUSE_CREATED, WarehouseRow, WarehouseType};

view! { WarehouseId of WarehouseRow { id: Id } }

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
    let row = new_record!(WarehouseRow {
        id: new_id(),
        code_key: code.to_ascii_lowercase(),
        code,
        name,
        kind,
        legal_entity_id,
        branch_id,
        status: Status::Active,
        archived_at: None,
    });
    if !insert_unless_taken(&row)? {
        let named = run(find::<WarehouseId>("code", [vec![row.code_key.put()]]))?;
        return Err(Problem::conflict(
            "DUPLICATE",
            "/code",
            named.first().and_then(|other| show_readable(other.id, READ)),
        ));
    }
    directory::hold(Holder::Warehouse(row.id), row.legal_entity_id, row.branch_id, None)?;
    emit([WAREHOUSE_CREATED.of(row.id, None, &ApiWarehouse::from_row(&row))]);
    Ok(row)
}
