//! An order as a receipt finds it, under the lock of its row: with the shipment and the charges that the receipt names.

use stoa_sdk::Id;
use stoa_sdk::Problem;
use stoa_sdk::store::{get, get_all, select};

use crate::records::charge::ChargeRow;
use crate::records::shipment::{ShipmentItemRow, ShipmentRow};
use crate::rules::arrival::GoodsReceiptInput;
use crate::work::order::{LockedOrder, lock_order_with};

/// An order of which something came.
pub struct Receivable {
    pub order: LockedOrder,
    /// The one that the receipt names, where it is there.
    pub shipment: Option<ShipmentRow>,
    /// Its lines.
    pub shipment_items: Vec<ShipmentItemRow>,
    /// Those that the receipt names.
    pub charges: Vec<ChargeRow>,
}

impl Receivable {
    /// An order without shipments and charges.
    pub fn new(order: LockedOrder) -> Receivable {
        Receivable { order, shipment: None, shipment_items: Vec::new(), charges: Vec::new() }
    }
}

/// The order, held until the request ends, with what the receipt names; or NOT_FOUND.
pub fn lock_receivable(id: Id, arrival: &GoodsReceiptInput) -> Result<Receivable, Problem> {
    let of_shipment = |id| select::<ShipmentItemRow>(ShipmentItemRow::shipment_id.eq(id)).whole();
    let (order, (shipment, items, charges)) = lock_order_with(
        id,
        (
            arrival.shipment_id.map(get::<ShipmentRow>),
            arrival.shipment_id.map(of_shipment),
            get_all::<ChargeRow>(arrival.charges.iter().map(|charge| charge.charge_id)),
        ),
    )?;
    let mut shipment_items = items.unwrap_or_default();
    shipment_items.retain(|item| item.line_no.is_some());
    Ok(Receivable { order, shipment: shipment.flatten(), shipment_items, charges })
}
