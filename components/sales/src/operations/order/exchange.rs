//! Exchanging a unit of a confirmed order: a wrong box off the shelf must not force a new document before delivery.

use stoa_sdk::store::{insert, run, update};
use stoa_sdk::{Answer, Call, Id, Problem, map};
use stoa_trade::Change;
use stoa_trade::clients::units;
use stoa_trade::refusal::{list_faults, refuse, unusable};

use crate::operations::order::input::ExchangeUnit;
use crate::records::allocation::{AllocationOutcome, AllocationRow};
use crate::records::order::{OrderStatus, receipt};
use crate::records::order_item::OrderItemRow;
use crate::work::completion::lock_order;
use crate::work::order::require_status;
use crate::work::reservation::{ReservedLine, release_goods, reserve_goods};

pub fn exchange(call: &Call) -> Answer {
    let body: ExchangeUnit = call.body()?;
    body.check()?;
    let order = lock_order(call.path_id("id")?)?;
    let known = units::get(&[body.release_unit_id, body.choose_unit_id]);
    let variants = map(known.into_iter().map(|unit| (Id::from(unit.id), Id::from(unit.variant_id))));
    let line = order.items.iter().find(|row| row.id == body.item_id);
    let named = [
        ("/itemId", line.is_none()),
        ("/releaseUnitId", !variants.contains_key(&body.release_unit_id)),
        ("/chooseUnitId", !variants.contains_key(&body.choose_unit_id)),
    ];
    refuse("NOT_FOUND", list_faults("NOT_FOUND", named))?;
    let line = line.ok_or_else(|| Problem::reference_missing("/itemId"))?;
    body.expected_version.check(order.row.version)?;
    require_status(&order.row, &[OrderStatus::Confirmed])?;
    if variants.get(&body.choose_unit_id) != Some(&line.variant_id) {
        return Err(unusable("/chooseUnitId", "OTHER_VARIANT"));
    }
    let of_line = |row: &&AllocationRow| row.item_id == line.id && row.unit_id == Some(body.release_unit_id);
    let gone = order.reserved.iter().find(of_line).ok_or_else(|| Problem::illegal_state("/releaseUnitId"))?;

    release_goods(order.row.id, std::slice::from_ref(gone), &body.reason)?;
    // One unit of the line, in place of the one let go.
    let one = OrderItemRow { quantity: gone.quantity, ..line.clone() };
    let chosen = [body.choose_unit_id];
    let instead = ReservedLine {
        item: &one,
        units: &chosen,
        pointer: "/chooseUnitId".to_owned(),
        units_pointer: "/chooseUnitId".to_owned(),
    };
    let allocations =
        reserve_goods(&order.row, &[instead]).map_err(|refusal| refusal.moved("/chooseUnitId/0", "/chooseUnitId"))?;
    let change = Change::new(&order.row, order.row.clone())?;
    let released = update::<AllocationRow>(gone.id)
        .set(AllocationRow::outcome, &AllocationOutcome::Released)
        .set(AllocationRow::live_slot, &None);
    run((change.update(), released, insert(&allocations)))?;
    Ok(receipt(change.after()).subject(line.product_id).changed(["items"]))
}
