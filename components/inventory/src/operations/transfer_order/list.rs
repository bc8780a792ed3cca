//! Reading transfer orders: lists of headers, and one order with its lines and, for readers of serial numbers, its units.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;
use stoa_sdk::store::{get, get_all, run, select};
use stoa_sdk::{Answer, Call, Id, Instant, Limit, Page, Problem, Reply, Text, all, contains, has, map, paged};

use crate::records::caller::{SERIALS_READ, may, tenant};
use crate::records::transfer_order::{
    TransferItem, TransferItemRow, TransferOrder, TransferOrderHeader, TransferOrderRow, TransferStatus, TransferUnit,
    TransferUnitRow,
};
use crate::records::unit::UnitRow;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ListTransferOrders {
    cursor: Option<Id>,
    #[serde(default)]
    limit: Limit,
    status: Option<TransferStatus>,
    from_warehouse_id: Option<Id>,
    to_warehouse_id: Option<Id>,
    /// Of any line.
    variant_id: Option<Id>,
    /// Part of the number, in any case.
    number: Option<Text<1, 64>>,
    /// Created at or after this instant.
    from: Option<Instant>,
    /// Created at or before this instant.
    to: Option<Instant>,
}

pub fn list(call: &Call) -> Answer {
    list_for(call, Some(tenant()))
}

pub fn list_as_client(call: &Call) -> Answer {
    list_for(call, None)
}

fn list_for(call: &Call, tenant: Option<Id>) -> Answer {
    let query: ListTransferOrders = call.query()?;
    let of_variant = |id: Id| {
        let live = all([TransferItemRow::variant_id.eq(id), TransferItemRow::line_no.not_null()]);
        has::<TransferItemRow, _, _>(TransferOrderRow::id, TransferItemRow::order_id, live)
    };
    let wanted = [
        query.status.map(|status| TransferOrderRow::status.eq(status)),
        query.from_warehouse_id.map(|id| TransferOrderRow::from_warehouse_id.eq(id)),
        query.to_warehouse_id.map(|id| TransferOrderRow::to_warehouse_id.eq(id)),
        query.variant_id.map(of_variant),
        query.number.as_deref().map(|number| contains("number", number)),
        query.from.map(|from| TransferOrderRow::created_at.ge(from)),
        query.to.map(|to| TransferOrderRow::created_at.le(to)),
    ];
    let filter = all(wanted.into_iter().flatten());
    let rows =
        paged(query.limit, |limit| run(select::<TransferOrderRow>(filter.clone()).after(query.cursor).limit(limit)))?;
    let page = Page::of(&rows.items, rows.more, |row| row.id, |row| TransferOrderHeader::of(row, tenant));
    Ok(Reply::json(&page))
}

pub fn read(call: &Call) -> Answer {
    read_for(call, Some(tenant()), may(SERIALS_READ))
}

pub fn read_as_client(call: &Call) -> Answer {
    read_for(call, None, false)
}

fn read_for(call: &Call, tenant: Option<Id>, with_units: bool) -> Answer {
    let id = call.path_id("id")?;
    let (order, items, chosen) = run((
        get::<TransferOrderRow>(id),
        select::<TransferItemRow>(all([TransferItemRow::order_id.eq(id), TransferItemRow::line_no.not_null()])),
        select::<TransferUnitRow>(all([TransferUnitRow::order_id.eq(id), TransferUnitRow::dropped.eq(false)])),
    ))?;
    let order = order.ok_or_else(Problem::not_found)?;
    let units = match with_units {
        true => map(run(get_all::<UnitRow>(chosen.items.iter().map(|row| row.unit_id)))?
            .into_iter()
            .map(|row| (row.id, row))),
        false => BTreeMap::new(),
    };
    let mut items = items.items;
    items.sort_by_key(|item| item.line_no);
    let item = |row: &TransferItemRow| {
        let of_line: Vec<&TransferUnitRow> = chosen.items.iter().filter(|unit| unit.item_id == row.id).collect();
        let units = with_units.then(|| of_line.iter().filter_map(|chosen| unit(chosen, &units)).collect());
        TransferItem::of(row, order.status, of_line.len(), units)
    };
    let items = items.iter().map(item).collect();
    Ok(Reply::json(&TransferOrder { header: TransferOrderHeader::of(&order, tenant), items }).resource(id))
}

fn unit(chosen: &TransferUnitRow, units: &BTreeMap<Id, UnitRow>) -> Option<TransferUnit> {
    let unit = units.get(&chosen.unit_id)?;
    Some(TransferUnit {
        unit_id: unit.id,
        outcome: chosen.outcome,
        serial_number: unit.serial_number.clone(),
        imei1: unit.imei1.clone(),
        imei2: unit.imei2.clone(),
        status: unit.status,
    })
}
