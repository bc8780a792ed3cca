//! The operations of warehouses. Everything but a warehouse's name is its identity: entries of the books carry it. It is archived
//! alone, so that nothing comes in while it is found empty.

use schemars::JsonSchema;
use serde::Deserialize;
use stoa_sdk::store::{get, lock, run, select, update};
use stoa_sdk::{
    Answer, Call, Filter, Id, Instant, Limit, Operation, Page, Problem, Reply, Text, all, any, contains, emit, event,
    facts, paged, text, view,
};

use crate::records::caller::{ADJUST, CLIENT_READ, READ};
use crate::records::life::{EmptyBody, Status};
use crate::records::quantity::Quantity;
use crate::records::stock::StockRow;
use crate::records::transfer_order::{TransferOrderRow, TransferStatus};
use crate::records::warehouse::{PublicWarehouse, WAREHOUSE, Warehouse, WarehouseRow, WarehouseType, gate, reply};
use crate::work::clients::books;
use crate::work::warehouses::insert_warehouse;

const WAREHOUSES_AT: &str = "/tenants/{tenantId}/inventory/warehouses";
const WAREHOUSE_AT: &str = "/tenants/{tenantId}/inventory/warehouses/{warehouseId}";

#[rustfmt::skip]
pub const OPERATIONS: &[Operation] = &[
    Operation::read(WAREHOUSES_AT, "listWarehouses", list).summary("Warehouses")
        .needs(READ).query::<ListWarehouses>().answers::<Page<Warehouse>>(),
    Operation::create(WAREHOUSES_AT, "createWarehouse", create).summary("Create a warehouse")
        .description("Code, type, legal entity and branch never change; a code stays reserved after archive, in any case.")
        .needs(ADJUST).body::<WarehouseInput>().answers::<Warehouse>()
        .writes(WAREHOUSE, &["inventory.warehouse.created"]).problems(&["DUPLICATE", "REFERENCE_INVALID"]),
    Operation::read(WAREHOUSE_AT, "getWarehouse", read).summary("A warehouse").needs(READ).answers::<Warehouse>(),
    Operation::replace(WAREHOUSE_AT, "replaceWarehouse", replace).summary("Rename a warehouse")
        .description("Everything but the name must be the stored one.")
        .needs(ADJUST).body::<WarehouseInput>().answers::<Warehouse>()
        .writes(WAREHOUSE, &["inventory.warehouse.updated"]).problems(&["ARCHIVED", "IMMUTABLE_FIELD"]),
    Operation::transition("/tenants/{tenantId}/inventory/warehouses/{warehouseId}/archive", "archiveWarehouse", archive)
        .summary("Archive a warehouse")
        .description("It must be empty: no goods, no reservations, nothing expected, and no open transfer order names it.")
        .needs(ADJUST).body::<EmptyBody>().answers::<Warehouse>()
        .writes(WAREHOUSE, &["inventory.warehouse.archived"])
        .problems(&["ARCHIVED", "CUSTODY_CONFLICT", "ILLEGAL_STATE"]),

    Operation::read("/api-client/inventory/warehouses", "apiListWarehouses", list_public).summary("Warehouses")
        .description("Active ones.")
        .machine(CLIENT_READ).query::<ListPublicWarehouses>().answers::<Page<PublicWarehouse>>(),
    Operation::read("/api-client/inventory/warehouses/{warehouseId}", "apiGetWarehouse", read_public)
        .summary("A warehouse").machine(CLIENT_READ).answers::<PublicWarehouse>(),
];

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

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ListWarehouses {
    cursor: Option<Id>,
    #[serde(default)]
    limit: Limit,
    #[serde(default)]
    status: Status,
    #[serde(rename = "type")]
    kind: Option<WarehouseType>,
    legal_entity_id: Option<Id>,
    branch_id: Option<Id>,
    /// Part of the code or name, in any case.
    text: Option<Text<1, 200>>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ListPublicWarehouses {
    cursor: Option<Id>,
    #[serde(default)]
    limit: Limit,
    #[serde(rename = "type")]
    kind: Option<WarehouseType>,
    legal_entity_id: Option<Id>,
    branch_id: Option<Id>,
    /// Part of the code or name, in any case.
    text: Option<Text<1, 200>>,
}

fn filter(
    status: Status,
    kind: Option<WarehouseType>,
    entity: Option<Id>,
    branch: Option<Id>,
    text: Option<&Text<1, 200>>,
) -> Filter {
    let status = [WarehouseRow::status.eq(status)].into_iter();
    let kind = kind.map(|kind| WarehouseRow::kind.eq(kind));
    let entity = entity.map(|id| WarehouseRow::legal_entity_id.eq(id));
    let branch = branch.map(|id| WarehouseRow::branch_id.eq(id));
    let text = text.map(|text| contains("text", text));
    all(status.chain(kind).chain(entity).chain(branch).chain(text))
}

pub fn list(call: &Call) -> Answer {
    let query: ListWarehouses = call.query()?;
    let filter = filter(query.status, query.kind, query.legal_entity_id, query.branch_id, query.text.as_ref());
    let rows = paged(query.limit, |limit| run(select(filter.clone()).after(query.cursor).limit(limit)))?;
    let tenant = Id::from(facts().tenant);
    let show = |row| Warehouse::of(row, tenant);
    Ok(Reply::json(&Page::of(rows.items, rows.more, |row: &WarehouseRow| row.id, show)))
}

pub fn read(call: &Call) -> Answer {
    run(get(call.path_id("warehouseId")?))?.map(reply).ok_or_else(Problem::not_found)
}

pub fn list_public(call: &Call) -> Answer {
    let query: ListPublicWarehouses = call.query()?;
    let filter = filter(Status::Active, query.kind, query.legal_entity_id, query.branch_id, query.text.as_ref());
    let rows = paged(query.limit, |limit| run(select(filter.clone()).after(query.cursor).limit(limit)))?;
    Ok(Reply::json(&Page::of(rows.items, rows.more, |row: &WarehouseRow| row.id, PublicWarehouse::of)))
}

pub fn read_public(call: &Call) -> Answer {
    let row: Option<WarehouseRow> = run(get(call.path_id("warehouseId")?))?;
    let row = row.filter(|row| row.status == Status::Active).ok_or_else(Problem::not_found)?;
    let (id, version) = (row.id, row.version);
    Ok(Reply::json(&PublicWarehouse::of(row)).of(id, version))
}

pub fn create(call: &Call) -> Answer {
    let input: WarehouseInput = call.body()?;
    books::require(input.legal_entity_id, input.branch_id)?;
    insert_warehouse(input.code, input.name.into(), input.kind, input.legal_entity_id, input.branch_id).map(reply)
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
    Ok(reply(after).changed(changed))
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

view! { StockId of StockRow { id: Id } }

view! { TransferId of TransferOrderRow { id: Id } }

pub fn archive(call: &Call) -> Answer {
    let id = call.path_id("warehouseId")?;
    let EmptyBody {} = call.body()?;
    let held = [
        StockRow::on_hand,
        StockRow::reserved,
        StockRow::damaged,
        StockRow::quarantined,
        StockRow::in_transit,
        StockRow::returned,
    ];
    let here = || StockRow::warehouse_id.eq(id);
    let held = all([here(), any(held.map(|figure| figure.gt(Quantity::ZERO)))]);
    let expected = all([here(), StockRow::incoming.gt(Quantity::ZERO)]);
    let ends = [
        TransferOrderRow::from_warehouse_id.eq(id),
        TransferOrderRow::to_warehouse_id.eq(id),
        TransferOrderRow::transit_warehouse_id.eq(id),
    ];
    let transfers = all([TransferOrderRow::status.one_of(TransferStatus::OPEN), any(ends)]);
    let (_, row, held, expected, transfers) = run((
        lock(gate(id)),
        get::<WarehouseRow>(id).locked(),
        select::<StockId>(held).limit(1),
        select::<StockId>(expected).limit(1),
        select::<TransferId>(transfers).limit(1),
    ))?;
    let row = writable(call, row)?;
    if !held.items.is_empty() {
        return Err(Problem::of("CUSTODY_CONFLICT"));
    }
    if !(expected.items.is_empty() && transfers.items.is_empty()) {
        return Err(Problem::of("ILLEGAL_STATE"));
    }
    let now = Instant(facts().now);
    let after = WarehouseRow {
        status: Status::Archived,
        archived_at: Some(now),
        updated_at: now,
        version: row.version + 1,
        ..row
    };
    run(update::<WarehouseRow>(id)
        .set(WarehouseRow::status, &after.status)
        .set(WarehouseRow::archived_at, &after.archived_at))?;
    books::release(id)?;
    emit(&[event("inventory.warehouse.archived", "WAREHOUSE", id, None, &PublicWarehouse::of(after.clone()))]);
    Ok(reply(after).changed(vec!["status", "archivedAt"]))
}
