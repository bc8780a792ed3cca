//! Reading transfer orders: lists of headers, and one order with its lines and, for readers of serial numbers, its units.

use std::collections::BTreeMap;

use stoa_sdk::store::{get, get_all, run, select};
use stoa_sdk::{Answer, Call, Filter, Id, Instant, Problem, Reply, Text, all, has, holds, map, tenant};
use stoa_trade::lists::{answer_page, changed_since, mentions};
use stoa_trade::{Caller, list_query};

use crate::records::permission::SERIALS_READ;
use crate::records::transfer_order::{
    TransferItem, TransferItemRow, TransferOrder, TransferOrderHeader, TransferOrderRow, TransferStatus, TransferUnit,
    TransferUnitRow,
};
use crate::records::unit::UnitRow;

list_query! {
    pub struct ListTransferOrders of TransferOrderRow {
        status: Option<TransferStatus>,
        from_warehouse_id: Option<Id>,
        to_warehouse_id: Option<Id>,
        /// Only documents with a line of this variant.
        variant_id: Option<Id> = variant_id.map(has_variant).unwrap_or_default(),
        /// Only documents whose number contains the text, ignoring case.
        number: Option<Text<1, 64>> = mentions("number", number.as_deref()),
        /// Only records changed at or after this instant.
        updated_since: Option<Instant> = changed_since(TransferOrderRow::updated_at, updated_since),
    } by creation {}
}

fn has_variant(id: Id) -> Filter {
    let live = all([TransferItemRow::variant_id.eq(id), TransferItemRow::line_no.not_null()]);
    has::<TransferItemRow, _, _>(TransferOrderRow::id, TransferItemRow::order_id, live)
}

pub fn list(call: &Call) -> Answer {
    let rows = call.query::<ListTransferOrders>()?.page([])?;
    let tenant = find_tenant(Caller::current());
    answer_page(rows, |row| row.id, |row| TransferOrderHeader::from_row(&row, tenant))
}

/// The company of an order, which only people see.
fn find_tenant(caller: Caller) -> Option<Id> {
    (caller == Caller::Person).then(tenant)
}

pub fn read(call: &Call) -> Answer {
    let id = call.path_id("id")?;
    let caller = Caller::current();
    let with_units = caller == Caller::Person && holds(SERIALS_READ);
    let (order, mut items, chosen) = run((
        get::<TransferOrderRow>(id),
        select::<TransferItemRow>(all([TransferItemRow::order_id.eq(id), TransferItemRow::line_no.not_null()])).whole(),
        select::<TransferUnitRow>(all([TransferUnitRow::order_id.eq(id), TransferUnitRow::dropped.eq(false)])).whole(),
    ))?;
    let order = order.ok_or_else(Problem::not_found)?;
    let units = match with_units {
        true => {
            map(run(get_all::<UnitRow>(chosen.iter().map(|row| row.unit_id)))?.into_iter().map(|row| (row.id, row)))
        }
        false => BTreeMap::new(),
    };
    items.sort_by_key(|item| item.line_no);
    let item = |row: &TransferItemRow| {
        let of_line: Vec<&TransferUnitRow> = chosen.iter().filter(|unit| unit.item_id == row.id).collect();
        let show = |chosen: &&TransferUnitRow| Some(TransferUnit::from_row(chosen, units.get(&chosen.unit_id)?));
        let units = with_units.then(|| of_line.iter().filter_map(show).collect());
        TransferItem::from_row(row, order.status, of_line.len(), units)
    };
    let items = items.iter().map(item).collect();
    Ok(Reply::json(&TransferOrder::from_row(&order, find_tenant(caller), items)).resource(id))
}
