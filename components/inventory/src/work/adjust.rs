//! Quantities that are adjusted: by hand, or by a count.

use stoa_trade::quantity::Quantity;

use crate::records::movement::MovementRow;
use crate::rules::delta::Delta;
use crate::work::goods::{Goods, Inflow, Outflow, Place, Sku};
use crate::work::units::changes::Why;
use crate::work::units::worth::Worth;

/// A quantity comes in at this worth or, below zero, goes out; answers the movement.
pub fn adjust_quantity(
    goods: &mut Goods,
    why: &Why,
    (place, sku): (Place, Sku),
    difference: Quantity,
    worth: Worth,
    pointer: &str,
) -> MovementRow {
    let is_out = difference.is_negative();
    let quantity = Quantity::from_units(difference.units().abs());
    let movement = MovementRow {
        from_warehouse_id: is_out.then_some(place.warehouse),
        to_warehouse_id: (!is_out).then_some(place.warehouse),
        reference_id: why.reference_id,
        document_type: why.document.map(|(kind, _)| kind),
        document_id: why.document.map(|(_, id)| id),
        ..goods.movement(why.movement_type, &sku, quantity, &why.reason)
    };
    goods.change(&place, &sku, Delta::on_hand(difference.units()), pointer);
    goods.record(movement.clone());
    let (document, counter_account) = (why.document, why.counter_account);
    if is_out {
        let outflow = Outflow::new(movement.id, place, sku, quantity, why.outflow());
        goods.draw(Outflow { document, counter_account, ..outflow });
    } else {
        let Worth { unit_cost, currency_code } = worth;
        let inflow = Inflow::new(movement.id, place, sku, quantity, why.inflow());
        goods.bring(Inflow { unit_cost, currency_code, document, counter_account, ..inflow });
    }
    movement
}
