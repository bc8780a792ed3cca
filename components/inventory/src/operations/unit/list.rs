//! Reading units: the list with its look-up by identity, one unit, its movements and its history.

use stoa_sdk::store::{Rows, get, run, select};
use stoa_sdk::{Answer, Call, Filter, Id, Instant, Problem, Reply, Text, View, all, fit_page, has, view};
use stoa_trade::list_query;
use stoa_trade::lists::{answer_page, changed_since};

use crate::records::movement::{Movement, MovementRow};
use crate::records::unit::{
    Condition, Grade, IdentityKind, InventoryUnit, InventoryUnitEntry, UnitEntryRow, UnitIdentityRow, UnitRow,
    UnitStatus,
};
use stoa_trade::unit_identity as identity;

view! { UnitId of UnitRow { id: Id } }

list_query! {
    pub struct ListUnits of UnitRow {
        variant_id: Option<Id>,
        product_id: Option<Id>,
        warehouse_id: Option<Id>,
        location_id: Option<Id>,
        legal_entity_id: Option<Id>,
        status: Option<UnitStatus>,
        condition: Option<Condition>,
        grade: Option<Grade>,
        /// Only the unit with this full serial number, ignoring case, or this full IMEI.
        identity: Option<Text<1, 100>> = identity.as_deref().map(has_identity).unwrap_or_default(),
        /// Only records changed at or after this instant.
        updated_since: Option<Instant> = changed_since(UnitRow::updated_at, updated_since),
    }
}

fn has_identity(typed: &str) -> Filter {
    let kinds = UnitIdentityRow::kind.one_of([IdentityKind::Serial, IdentityKind::Imei]);
    let same = all([kinds, UnitIdentityRow::value_key.eq(identity::key(typed))]);
    has::<UnitIdentityRow, _, _>(UnitRow::id, UnitIdentityRow::unit_id, same)
}

list_query! {
    pub struct PageOf {
    }
}

pub fn list(call: &Call) -> Answer {
    let rows = call.query::<ListUnits>()?.page([])?;
    answer_page(rows, |row| row.id, |row| InventoryUnit::from_row(&row))
}

pub fn read(call: &Call) -> Answer {
    let row: UnitRow = run(get(call.path_id("id")?))?.ok_or_else(Problem::not_found)?;
    Ok(Reply::json(&InventoryUnit::from_row(&row)).resource(row.id))
}

/// Its physical movements, oldest first.
pub fn movements(call: &Call) -> Answer {
    let (id, rows) = page_of_unit::<MovementRow>(call, |id| MovementRow::inventory_unit_id.eq(id))?;
    Ok(answer_page(rows, |row| row.id, |row| Movement::from_row(&row, true))?.resource(id))
}

/// Its versions, oldest first.
pub fn history(call: &Call) -> Answer {
    let (id, rows) = page_of_unit::<UnitEntryRow>(call, |id| UnitEntryRow::unit_id.eq(id))?;
    Ok(answer_page(rows, |row| row.id, |row| InventoryUnitEntry::from_row(&row))?.resource(id))
}

/// A page of the rows of the path's unit.
fn page_of_unit<R: View>(call: &Call, unit_filter: impl Fn(Id) -> Filter) -> Result<(Id, Rows<R>), Problem> {
    let (id, query) = (call.path_id("id")?, call.query::<PageOf>()?);
    let (unit, rows) = fit_page(query.limit, |limit| {
        run((get::<UnitId>(id), select::<R>(unit_filter(id)).page(query.cursor).limit(limit)))
    })?;
    unit.ok_or_else(Problem::not_found)?;
    Ok((id, rows))
}
