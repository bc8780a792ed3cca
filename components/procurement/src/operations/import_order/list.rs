//! Reading import orders: lists of headers, and one order with its lines, shipments and charges.

use stoa_sdk::store::{get, run, select};
use stoa_sdk::{Answer, Call, Problem, Reply, has, holds};
use stoa_trade::Caller;
use stoa_trade::quantity::{self, Amount};

use crate::operations::order_list::ListImportOrders;
use crate::records::charge::{AllocationRow, Charge, ChargeRow, ChargeStatus};
use crate::records::import_order::{
    ApiImportOrder, ApiImportOrderHeader, ImportOrder, ImportOrderHeader, ImportParts, LandedTotals,
};
use crate::records::order::{OrderKind, OrderRow};
use crate::records::order_item::OrderItemRow;
use crate::records::permission::COST_READ;
use crate::records::shipment::{Shipment, ShipmentItemRow, ShipmentRow};

pub fn list(call: &Call) -> Answer {
    let rows = call.query::<ListImportOrders>()?.page([OrderRow::kind.eq(OrderKind::Import)])?;
    Caller::current().answer_page(rows, ImportOrderHeader::from_row, ApiImportOrderHeader::from_row)
}

pub fn read(call: &Call) -> Answer {
    let (id, caller) = (call.path_id("id")?, Caller::current());
    let with_costs = !caller.is_client() && holds(COST_READ);
    let of_shipments = ShipmentRow::order_id.eq(id);
    let of_charges = ChargeRow::order_id.eq(id);
    let (row, mut items, shipments, shipped, charges, allocations) = run((
        get::<OrderRow>(id),
        select::<OrderItemRow>(OrderItemRow::live_of(id)).whole(),
        select::<ShipmentRow>(of_shipments.clone()).whole(),
        select(has::<ShipmentRow, _, _>(ShipmentItemRow::shipment_id, ShipmentRow::id, of_shipments)).whole(),
        select::<ChargeRow>(of_charges.clone()).whole(),
        select::<AllocationRow>(has::<ChargeRow, _, _>(AllocationRow::charge_id, ChargeRow::id, of_charges)).whole(),
    ))?;
    let row = row.filter(|row| row.kind == OrderKind::Import).ok_or_else(Problem::not_found)?;
    items.sort_by_key(|item| item.line_no);
    let parts = ImportParts {
        totals: totals(&row, &charges)?,
        shipments: shipments.iter().map(|shipment| Shipment::from_row(shipment, &shipped)).collect(),
        charges: charges.iter().map(|charge| Charge::from_row(charge, &allocations, with_costs)).collect(),
    };
    let reply = match caller {
        Caller::Person => Reply::json(&ImportOrder::from_row(&row, &items, parts)),
        Caller::Client => Reply::json(&ApiImportOrder::from_row(&row, &items, parts)),
    };
    Ok(reply.resource(id))
}

fn totals(row: &OrderRow, charges: &[ChargeRow]) -> Result<LandedTotals, Problem> {
    let with = |amounts: Vec<Amount>| quantity::sum([row.total].into_iter().chain(amounts));
    let live = charges.iter().filter(|charge| charge.status != ChargeStatus::Cancelled);
    Ok(LandedTotals {
        landed_total: with(charges.iter().map(|charge| quantity::widen(charge.allocated)).collect())?,
        estimated_total: with(live.map(|charge| quantity::widen(charge.amount)).collect())?,
    })
}
