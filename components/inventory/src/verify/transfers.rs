//! Each line of a transfer order has come to an end as far as the order has, and its units with it.

use stoa_sdk::{Filter, Id, all};
use stoa_trade::pages::read_every;
use stoa_trade::quantity::{Quantity, Tracking};
use stoa_trade::stages::{Batch, NOTHING_LEFT, finding, read_batch};

use crate::records::transfer_order::{TransferItemRow, TransferOrderRow, TransferStatus, TransferUnitRow, UnitOutcome};

pub fn transfers(after: Option<Id>) -> Batch {
    let Some(page) = read_batch::<TransferOrderRow>(Filter::default(), after, 20) else { return NOTHING_LEFT };
    let ids = || page.rows.iter().map(|order| order.id);
    let lines = all([TransferItemRow::order_id.one_of(ids()), TransferItemRow::line_no.not_null()]);
    let live = all([TransferUnitRow::order_id.one_of(ids()), TransferUnitRow::live_slot.not_null()]);
    let items = read_every(&lines, |item: &TransferItemRow| item.id);
    let units = read_every(&live, |unit: &TransferUnitRow| unit.id);
    let mut findings = Vec::new();
    for order in &page.rows {
        let of_order = || items.iter().filter(|item| item.order_id == order.id);
        let left = |item: &TransferItemRow| item.left_to_receive().map(Quantity::units);
        let is_right = match order.status {
            TransferStatus::Draft | TransferStatus::Approved | TransferStatus::InTransit => {
                of_order().all(|item| item.left_to_receive() == Some(item.quantity))
            }
            TransferStatus::PartiallyReceived => of_order().any(|item| left(item) > Some(0)),
            TransferStatus::Received => of_order().all(|item| left(item) == Some(0)),
            TransferStatus::Cancelled => of_order().all(|item| left(item).is_some()),
        };
        if !is_right || of_order().any(|item| left(item).is_none()) {
            findings.push(finding("transfer-lines", order.id, "The lines do not fit the order's status."));
        }
        let live = match order.status {
            TransferStatus::Approved => Some(UnitOutcome::Reserved),
            TransferStatus::InTransit | TransferStatus::PartiallyReceived => Some(UnitOutcome::InTransit),
            _ => None,
        };
        let fits = |item: &TransferItemRow| {
            let mut of_line = units.iter().filter(|unit| unit.item_id == item.id);
            let wanted = if item.tracking == Tracking::Serialized && live.is_some() { left(item) } else { Some(0) };
            let count = i128::try_from(of_line.clone().count()).ok().map(|count| count * 1_000_000);
            count == wanted && of_line.all(|unit| unit.outcome == live)
        };
        if !of_order().all(fits) {
            findings.push(finding("transfer-units", order.id, "The units on the order are not those of its lines."));
        }
    }
    (findings, page.last)
}
