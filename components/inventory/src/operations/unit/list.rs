//! Reading units: the list with its look-up by identity, one unit, its movements and its history.

use schemars::JsonSchema;
use serde::Deserialize;
use stoa_sdk::store::{get, run, select};
use stoa_sdk::{Answer, Call, Id, Instant, Limit, Page, Problem, Reply, Text, all, has, paged, view};

use crate::records::caller::tenant;
use crate::records::movement::{Movement, MovementRow};
use crate::records::unit::{
    Condition, Grade, IdentityKind, InventoryUnit, InventoryUnitEntry, UnitEntryRow, UnitIdentityRow, UnitRow,
    UnitStatus,
};
use crate::rules::identity;

view! { UnitId of UnitRow { id: Id } }

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ListUnits {
    cursor: Option<Id>,
    #[serde(default)]
    limit: Limit,
    variant_id: Option<Id>,
    product_id: Option<Id>,
    warehouse_id: Option<Id>,
    location_id: Option<Id>,
    legal_entity_id: Option<Id>,
    status: Option<UnitStatus>,
    condition: Option<Condition>,
    grade: Option<Grade>,
    /// A whole serial number, in any case, or a whole IMEI, of either slot.
    identity: Option<Text<1, 100>>,
    /// Changed at or after this instant.
    updated_since: Option<Instant>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PageOf {
    cursor: Option<Id>,
    #[serde(default)]
    limit: Limit,
}

pub fn list(call: &Call) -> Answer {
    let query: ListUnits = call.query()?;
    let identified = |typed: &str| {
        let kinds = UnitIdentityRow::kind.one_of([IdentityKind::Serial, IdentityKind::Imei]);
        let same = all([kinds, UnitIdentityRow::value_key.eq(identity::key(typed))]);
        has::<UnitIdentityRow, _, _>(UnitRow::id, UnitIdentityRow::unit_id, same)
    };
    let wanted = [
        query.variant_id.map(|id| UnitRow::variant_id.eq(id)),
        query.product_id.map(|id| UnitRow::product_id.eq(id)),
        query.warehouse_id.map(|id| UnitRow::warehouse_id.eq(id)),
        query.location_id.map(|id| UnitRow::location_id.eq(id)),
        query.legal_entity_id.map(|id| UnitRow::legal_entity_id.eq(id)),
        query.status.map(|status| UnitRow::status.eq(status)),
        query.condition.map(|condition| UnitRow::condition.eq(condition)),
        query.grade.map(|grade| UnitRow::grade.eq(grade)),
        query.identity.as_deref().map(identified),
        query.updated_since.map(|since| UnitRow::updated_at.ge(since)),
    ];
    let filter = all(wanted.into_iter().flatten());
    let rows = paged(query.limit, |limit| run(select::<UnitRow>(filter.clone()).after(query.cursor).limit(limit)))?;
    let tenant = tenant();
    Ok(Reply::json(&Page::of(rows.items, rows.more, |row| row.id, |row| InventoryUnit::of(row, tenant))))
}

pub fn read(call: &Call) -> Answer {
    let row: Option<UnitRow> = run(get(call.path_id("id")?))?;
    let row = row.ok_or_else(Problem::not_found)?;
    let id = row.id;
    Ok(Reply::json(&InventoryUnit::of(row, tenant())).resource(id))
}

/// Its physical movements, oldest first.
pub fn movements(call: &Call) -> Answer {
    let (id, query) = (call.path_id("id")?, call.query::<PageOf>()?);
    let filter = MovementRow::inventory_unit_id.eq(id);
    let (unit, rows) = paged(query.limit, |limit| {
        run((get::<UnitId>(id), select::<MovementRow>(filter.clone()).after(query.cursor).limit(limit)))
    })?;
    unit.ok_or_else(Problem::not_found)?;
    let tenant = tenant();
    Ok(Reply::json(&Page::of(rows.items, rows.more, |row| row.id, |row| Movement::of(row, tenant, true))).resource(id))
}

/// Its versions, oldest first.
pub fn history(call: &Call) -> Answer {
    let (id, query) = (call.path_id("id")?, call.query::<PageOf>()?);
    let filter = UnitEntryRow::unit_id.eq(id);
    let (unit, rows) = paged(query.limit, |limit| {
        run((get::<UnitId>(id), select::<UnitEntryRow>(filter.clone()).after(query.cursor).limit(limit)))
    })?;
    unit.ok_or_else(Problem::not_found)?;
    Ok(Reply::json(&Page::of(rows.items, rows.more, |row| row.id, InventoryUnitEntry::of)).resource(id))
}
