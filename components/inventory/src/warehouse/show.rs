//! Warehouses as people and API clients read them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use stoa_sdk::store::{get, run, select};
use stoa_sdk::{Answer, Call, Filter, Id, Instant, Limit, Page, Problem, Reply, Text, all, contains, facts, paged};

use super::row::{WarehouseRow, WarehouseType};
use crate::terms::Status;

/// A warehouse as people read it.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Warehouse {
    tenant_id: Id,
    archived_at: Option<Instant>,
    #[serde(flatten)]
    public: PublicWarehouse,
}

/// A warehouse.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PublicWarehouse {
    id: Id,
    status: Status,
    created_at: Instant,
    updated_at: Instant,
    code: String,
    name: String,
    #[serde(rename = "type")]
    kind: WarehouseType,
    legal_entity_id: Id,
    branch_id: Option<Id>,
}

impl Warehouse {
    fn of(row: WarehouseRow, tenant_id: Id) -> Warehouse {
        Warehouse { tenant_id, archived_at: row.archived_at, public: PublicWarehouse::of(row) }
    }
}

impl PublicWarehouse {
    pub fn of(row: WarehouseRow) -> PublicWarehouse {
        PublicWarehouse {
            id: row.id,
            status: row.status,
            created_at: row.created_at,
            updated_at: row.updated_at,
            code: row.code,
            name: row.name,
            kind: row.kind,
            legal_entity_id: row.legal_entity_id,
            branch_id: row.branch_id,
        }
    }
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
    let shown = |row| Warehouse::of(row, tenant);
    Ok(Reply::json(&Page::of(rows.items, rows.more, |row: &WarehouseRow| row.id, shown)))
}

pub fn read(call: &Call) -> Answer {
    run(get(call.path_id("warehouseId")?))?.map(answer).ok_or_else(Problem::not_found)
}

pub fn answer(row: WarehouseRow) -> Reply {
    let (id, version) = (row.id, row.version);
    Reply::json(&Warehouse::of(row, facts().tenant.into())).of(id, version)
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
