//! The operations of warehouses. Everything but a warehouse's name is its identity: entries of the books carry it.
//! Archiving holds it exclusively, so that nothing comes in while it is found empty.

use schemars::JsonSchema;
use serde::Deserialize;
use stoa_sdk::store::{get, lock, run, select};
use stoa_sdk::{Answer, Call, Client, Id, Instant, Operation, Page, Problem, Text, all, any, text, view};
use stoa_trade::clients::directory::{self, Holder};
use stoa_trade::ids::{Ids, among};
use stoa_trade::lists::{changed_since, equals, mentions};
use stoa_trade::quantity::Quantity;
use stoa_trade::{Caller, Change, EmptyBody, Status, client_query, list_query, writable};

use crate::records::permission::{ADJUST, CLIENT_READ, READ};
use crate::records::stock::StockRow;
use crate::records::transfer_order::{TransferOrderRow, TransferStatus};
use crate::records::warehouse::{
    ApiWarehouse, WAREHOUSE, WAREHOUSE_ARCHIVED, WAREHOUSE_CREATED, WAREHOUSE_UPDATED, Warehouse, WarehouseRow,
    WarehouseType, gate, reply,
};
use crate::work::documents::finish;
use crate::work::warehouses::insert_warehouse;

#[rustfmt::skip]
pub const OPERATIONS: &[Operation] = &[
    Operation::read("/inventory/warehouses", "listWarehouses", list).summary("Warehouses")
        .needs(READ).query::<ListWarehouses>().answers::<Page<Warehouse>>()
        .and_client(Client::new(CLIENT_READ).description("Lists ACTIVE warehouses.")
            .query::<ListApiWarehouses>().answers::<Page<ApiWarehouse>>()),
    Operation::create("/inventory/warehouses", "createWarehouse", create).summary("Create a warehouse")
        .description("Code, type, legal entity and branch cannot change. The code remains reserved after archiving, ignoring \
            case.")
        .needs(ADJUST).body::<WarehouseInput>().answers::<Warehouse>()
        .writes(WAREHOUSE, &[WAREHOUSE_CREATED.code]).problems(&["DUPLICATE", "REFERENCE_INVALID"]),
    Operation::read("/inventory/warehouses/{warehouseId}", "getWarehouse", read).summary("A warehouse")
        .needs(READ).answers::<Warehouse>()
        .and_client(Client::new(CLIENT_READ).answers::<ApiWarehouse>()),
    Operation::replace("/inventory/warehouses/{warehouseId}", "replaceWarehouse", replace).summary("Rename a warehouse")
        .description("Only the name can change. Every other member must have its current value.")
        .needs(ADJUST).body::<WarehouseInput>().answers::<Warehouse>()
        .writes(WAREHOUSE, &[WAREHOUSE_UPDATED.code]).problems(&["ARCHIVED", "IMMUTABLE_FIELD"]),
    Operation::transition("/inventory/warehouses/{warehouseId}/archive", "archiveWarehouse", archive)
        .summary("Archive a warehouse")
        .description("The warehouse must be empty: no goods, no reservations, no expected goods and no open transfer order.")
        .needs(ADJUST).body::<EmptyBody>().answers::<Warehouse>()
        .writes(WAREHOUSE, &[WAREHOUSE_ARCHIVED.code])
        .problems(&["ARCHIVED", "CUSTODY_CONFLICT", "ILLEGAL_STATE"]),
];

/// A warehouse in a request.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct WarehouseInput {
    /// Stored as typed. Unique for ever, ignoring case, archived warehouses included. Immutable.
    #[schemars(regex(pattern = text::ANY_CASE_CODE), length(max = 64))]
    pub code: String,
    pub name: Text<1, 200>,
    /// Immutable.
    #[serde(rename = "type")]
    pub kind: WarehouseType,
    /// Legal entity that owns the goods in the warehouse. Immutable.
    pub legal_entity_id: Id,
    /// Active branch of the legal entity. Immutable.
    pub branch_id: Option<Id>,
}

list_query! {
    pub struct ListWarehouses of WarehouseRow {
        /// Only these warehouses, at most 100, separated by commas.
        ids: Option<Ids> = among(WarehouseRow::id, ids.as_ref()),
        #[serde(default)]
        status: Status = WarehouseRow::status.eq(status),
        #[serde(rename = "type")]
        kind: Option<WarehouseType>,
        legal_entity_id: Option<Id>,
        branch_id: Option<Id>,
        /// Only this code, ignoring case.
        code: Option<Text<1, 64>> = equals(WarehouseRow::code_key, code.map(|code| code.to_ascii_lowercase())),
        /// Only records whose code or name contains the text, ignoring case.
        text: Option<Text<1, 200>> = mentions("text", text.as_deref()),
        /// Only records changed at or after this instant.
        updated_since: Option<Instant> = changed_since(WarehouseRow::updated_at, updated_since),
    }
}

client_query! {
    /// As people ask; active ones alone.
    ListApiWarehouses of ListWarehouses without ["status"]
}

pub fn list(call: &Call) -> Answer {
    let rows = call.query::<ListWarehouses>()?.page([])?;
    Caller::current().answer_page(rows, Warehouse::from_row, ApiWarehouse::from_row)
}

pub fn read(call: &Call) -> Answer {
    let row: WarehouseRow = run(get(call.path_id("warehouseId")?))?.ok_or_else(Problem::not_found)?;
    let caller = Caller::current();
    if caller.is_client() && row.status == Status::Archived {
        return Err(Problem::not_found());
    }
    Ok(caller.show(|| Warehouse::from_row(&row), || ApiWarehouse::from_row(&row)).of(row.id, row.version))
}

pub fn create(call: &Call) -> Answer {
    let input: WarehouseInput = call.body()?;
    directory::require(input.legal_entity_id, input.branch_id)?;
    insert_warehouse(input.code, input.name.into(), input.kind, input.legal_entity_id, input.branch_id)
        .map(|row| reply(&row))
}

pub fn replace(call: &Call) -> Answer {
    let input: WarehouseInput = call.body()?;
    let before: WarehouseRow = writable(call, run(get(call.path_id("warehouseId")?).locked())?)?;
    let after = WarehouseRow {
        code: input.code,
        name: input.name.into(),
        kind: input.kind,
        legal_entity_id: input.legal_entity_id,
        branch_id: input.branch_id,
        ..before.clone()
    };
    finish(&Change::new(&before, after)?, &WAREHOUSE_UPDATED, ApiWarehouse::from_row, reply)
}

view! { StockId of StockRow { id: Id } }

view! { TransferId of TransferOrderRow { id: Id } }

pub fn archive(call: &Call) -> Answer {
    let id = call.path_id("warehouseId")?;
    let EmptyBody {} = call.body()?;
    let [on_hand, reserved, incoming, damaged, quarantined, in_transit, returned] = StockRow::FIGURES;
    let held = [on_hand, reserved, damaged, quarantined, in_transit, returned];
    let here = || StockRow::warehouse_id.eq(id);
    let held = all([here(), any(held.map(|figure| figure.gt(Quantity::ZERO)))]);
    let expected = all([here(), incoming.gt(Quantity::ZERO)]);
    let ends = [
        TransferOrderRow::from_warehouse_id.eq(id),
        TransferOrderRow::to_warehouse_id.eq(id),
        TransferOrderRow::transit_warehouse_id.eq(id),
    ];
    let transfers = all([TransferOrderRow::status.one_of(TransferStatus::OPEN), any(ends)]);
    let (_, row, held, expected, transfers) = run((
        lock(gate(id)),
        get::<WarehouseRow>(id).locked(),
        select::<StockId>(held).first(),
        select::<StockId>(expected).first(),
        select::<TransferId>(transfers).first(),
    ))?;
    let row = writable(call, row)?;
    if held.is_some() {
        return Err(Problem::new("CUSTODY_CONFLICT"));
    }
    if expected.is_some() || transfers.is_some() {
        return Err(Problem::new("ILLEGAL_STATE"));
    }
    directory::release(Holder::Warehouse(id))?;
    finish(&Change::archive(row), &WAREHOUSE_ARCHIVED, ApiWarehouse::from_row, reply)
}
