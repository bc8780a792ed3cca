//! Exchanging a unit of a confirmed order: a wrong box off the shelf must not force a new document before delivery.

use stoa_sdk::store::{insert, run};
use stoa_sdk::{Answer, Call, Id, Problem};
use stoa_trade::Change;
use stoa_trade::clients::units;
use stoa_trade::refusal::{list_faults, refuse, unusable};

use crate::operations::order::input::ExchangeUnit;
use crate::records::allocation::AllocationRow;
use crate::records::order::{OrderStatus, receipt};
use crate::records::order_item::OrderItemRow;
use crate::work::completion::lock_order;
use crate::work::order::require_status;
use crate::work::reservation::{ReservedLine, release_goods, reserve_goods};

pub fn exchange(call: &Call) -> Answer {
    let body: ExchangeUnit = call.body()?;
    body.check()?;
    let order = lock_order(call.path_id("id")?)?;
    let units = units::get_by_id([body.release_unit_id, body.choose_unit_id]);
    let line = order.items.iter().find(|row| row.id == body.item_id);
    let named = [
        ("/itemId", line.is_none()),
        ("/releaseUnitId", !units.contains_key(&body.release_unit_id)),
        ("/chooseUnitId", !units.contains_key(&body.choose_unit_id)),
    ];
    refuse("NOT_FOUND", list_faults("NOT_FOUND", named))?;
    let line = line.ok_or_else(|| Problem::reference_missing("/itemId"))?;
    body.expected_version.check(order.row.version)?;
    require_status(&order.row, &[OrderStatus::Confirmed])?;
    if units.get(&body.choose_unit_id).is_none_or(|unit| Id::from(unit.variant_id) != line.variant_id) {
        return Err(unusable("/chooseUnitId", "OTHER_VARIANT"));
    }
    let of_line = |row: &&AllocationRow| row.item_id == line.id && row.unit_id == Some(body.release_unit_id);
    let gone = order.allocations.iter().find(of_line).ok_or_else(|| Problem::illegal_state("/releaseUnitId"))?;

    let released = release_goods(order.row.id, std::slice::from_ref(gone), &body.reason)?;
    // One unit of the line, in place of the one let go.
    let one = OrderItemRow { quantity: gone.quantity, ..line.clone() };
    let chosen = [body.choose_unit_id];
    let pointer = "/chooseUnitId".to_owned();
    let instead = ReservedLine { item: &one, units: &chosen, units_pointer: pointer.clone(), pointer };
    let allocations =
        reserve_goods(&order.row, &[instead]).map_err(|refusal| refusal.moved("/chooseUnitId/0", "/chooseUnitId"))?;
    let change = Change::new(&order.row, order.row.clone())?;
    run((change.update(), released, insert(&allocations)))?;
    Ok(receipt(change.after()).subject(line.product_id).changed(["items"]))
}
