//! Shipping a transfer order, always whole: the held goods leave the source for the transit warehouse, and the destination
//! expects it.

use stoa_sdk::store::run;
use stoa_sdk::{Answer, Call, Problem, now};
use stoa_trade::document::version::Transition;

use crate::records::movement::MovementType;
use crate::records::transfer_order::{TransferOrderRow, TransferStatus, UnitOutcome, receipt};
use crate::records::unit::{UnitRow, UnitStatus};
use crate::rules::delta::Delta;
use crate::rules::unit_state;
use crate::work::goods::{Closing, Goods, Place};
use crate::work::transfers::order::{self, Order, Route};
use crate::work::transfers::reserve;
use crate::work::units::changes::{Changes, ONE};
use crate::work::units::effects;
use crate::work::units::worth::Worth;

pub fn ship(call: &Call) -> Answer {
    let body: Transition = call.body()?;
    let mut order = order::lock_order(call.path_id("id")?)?;
    body.expected_version.check(order.row.version)?;
    let route = match order.row.status {
        TransferStatus::Draft => reserve::reserve_goods(&mut order, true)?,
        TransferStatus::Approved => {
            let warehouses = order.enter()?;
            order.route(&warehouses)?
        }
        _ => return Err(Problem::new("ILLEGAL_STATE")),
    };
    send_goods(&order, &route)?;
    let after = TransferOrderRow { shipped_at: Some(now()), ..order.after(TransferStatus::InTransit) };
    let change = order.change(after)?;
    run(change.update())?;
    Ok(receipt(change.after()).subjects(order.products()).changed(vec!["status", "shippedAt"]))
}

/// Sends what the order holds.
fn send_goods(order: &Order, route: &Route) -> Result<(), Problem> {
    let mut units = order.lock_units(|unit| unit.outcome == Some(UnitOutcome::Reserved))?;
    let held = reserve::lock_reservations(order)?;
    let (mut goods, mut changes) = (Goods::default(), Changes::new(units.len()));
    let mut outcomes = Vec::new();
    let why = order.why(MovementType::Transfer, None);
    let to = Place::from_row(&route.to);
    for reservation in held {
        let item = order.line_of(&reservation)?;
        let sku = route.sku(item)?;
        let Some(id) = reservation.unit_id else {
            let sent = reservation.quantity.units();
            let leaves = Delta { on_hand: -sent, reserved: -sent, ..Delta::default() };
            goods.change(&route.from, &sku, leaves, "");
            goods.change(&route.transit, &sku, Delta::in_transit(sent), "");
            goods.change(&to, &sku, Delta::of_incoming(sent), "");
            let (from, through) = (route.from.warehouse, route.transit.warehouse);
            let movement =
                order::record_movement(&mut goods, &why, &sku, reservation.quantity, from, Some((through, None)));
            goods.close(Closing { reservation, movement: Some(movement), reason: None, unit_version: None });
            continue;
        };
        let unit = units.remove(&id).ok_or_else(|| unit_state::unavailable(None))?;
        let after =
            UnitRow { reservation_id: None, ..unit.in_place(UnitStatus::InTransit, route.transit.warehouse, None) };
        let version = unit.next_version();
        let movement = changes.record_move(unit, after, &why, Worth::default());
        goods.change(&to, &sku, Delta::of_incoming(ONE.units()), "");
        goods.close(Closing { reservation, movement: Some(movement), reason: None, unit_version: Some(version) });
        outcomes.extend(order.outcome_of(id, item, UnitOutcome::InTransit));
    }
    effects::write(&changes, goods, &route.known, order::update_outcomes(&outcomes))?;
    Ok(())
}
