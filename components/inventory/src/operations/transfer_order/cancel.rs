//! Cancelling a transfer order: a draft ends, holds are let go, and goods of which nothing has arrived yet go back to the source.

use stoa_sdk::store::{run, update_all};
use stoa_sdk::{Answer, Call, Problem};

use crate::operations::transfer_order::input::CancelTransferOrder;
use crate::records::transfer_order::{TransferItemRow, TransferOrderRow, TransferStatus, UnitOutcome, receipt};
use crate::rules::delta::Delta;
use crate::rules::unit_state;
use crate::work::goods::{Closing, Goods};
use crate::work::transfers::order::{self, Order, Route};
use crate::work::transfers::{arrive, reserve};
use crate::work::units::changes::Changes;
use crate::work::units::{effects, holds};

pub fn cancel(call: &Call) -> Answer {
    let body: CancelTransferOrder = call.body()?;
    let order = order::lock_order(call.path_id("id")?)?;
    body.expected_version.check(order.row.version)?;
    match order.row.status {
        TransferStatus::Draft => {}
        TransferStatus::Approved => {
            let warehouses = order.enter()?;
            release_goods(&order, &order.route(&warehouses)?, &body.reason)?;
        }
        TransferStatus::InTransit => {
            let warehouses = order.enter()?;
            let route = order.route(&warehouses)?;
            let parts = arrive::return_outstanding(&order);
            arrive::end_journey(&order, &route, &parts, None, Some(&body.reason))?;
            let items = update_all::<TransferItemRow>(parts.iter().map(|part| part.item.id))
                .add_each(TransferItemRow::returned, parts.iter().map(|part| part.returned));
            run(items)?;
        }
        TransferStatus::PartiallyReceived | TransferStatus::Received | TransferStatus::Cancelled => {
            return Err(Problem::new("ILLEGAL_STATE"));
        }
    }
    let after = TransferOrderRow { cancel_reason: Some(body.reason.0), ..order.after(TransferStatus::Cancelled) };
    let change = order.change(after)?;
    run(change.update())?;
    Ok(receipt(change.after()).subjects(order.products()).changed(vec!["status", "cancelReason"]))
}

/// Lets go of what the order holds.
fn release_goods(order: &Order, route: &Route, reason: &str) -> Result<(), Problem> {
    let mut units = order.lock_units(|unit| unit.outcome == Some(UnitOutcome::Reserved))?;
    let held = reserve::lock_reservations(order)?;
    let (mut goods, mut changes) = (Goods::default(), Changes::new(units.len()));
    let mut outcomes = Vec::new();
    for reservation in held {
        let item = order.line_of(&reservation)?;
        match reservation.unit_id {
            None => {
                let sku = route.sku(item)?;
                goods.change(&route.from, &sku, Delta::of_reserved(-reservation.quantity.units()), "");
                let reason = Some(reason.to_owned());
                goods.close(Closing { reservation, movement: None, reason, unit_version: None });
            }
            Some(id) => {
                let unit = units.remove(&id).ok_or_else(|| unit_state::unavailable(None))?;
                holds::release_unit(unit, &reservation, Some(reason), &mut goods, &mut changes);
                outcomes.extend(order.outcome_of(id, item, UnitOutcome::Released));
            }
        }
    }
    effects::write(&changes, goods, &route.known, order::update_outcomes(&outcomes))?;
    Ok(())
}
