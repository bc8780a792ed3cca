//! J4: no line has more on shipments than ordered, and all received goods of an import order came with its shipments.

use std::collections::BTreeMap;

use stoa_sdk::{Finding, Id, all, map};
use stoa_trade::pages::read_every;
use stoa_trade::stages::{Batch, NOTHING_LEFT, finding, read_batch};

use crate::records::order::{OrderKind, OrderRow};
use crate::records::order_item::OrderItemRow;
use crate::records::shipment::{ShipmentItemRow, ShipmentRow, ShipmentStage};

/// Orders of a batch: each may have 50 shipments of 100 lines.
const BATCH: u32 = 4;

pub fn verify(after: Option<Id>) -> Batch {
    let imports = OrderRow::kind.eq(OrderKind::Import);
    let Some(page) = read_batch::<OrderRow>(imports, after, BATCH) else { return NOTHING_LEFT };
    let ids = || page.rows.iter().map(|order| order.id);
    let live = all([OrderItemRow::order_id.one_of(ids()), OrderItemRow::line_no.not_null()]);
    let items = read_every(&live, |item: &OrderItemRow| item.id);
    let shipments = read_every(&ShipmentRow::order_id.one_of(ids()), |shipment: &ShipmentRow| shipment.id);
    let shipped = read_shipped(&shipments);
    let stages = map(shipments.iter().map(|shipment| (shipment.id, shipment.stage)));
    let mut findings: Vec<Finding> = items.iter().filter_map(|item| judge_item(item, &shipped, &stages)).collect();
    findings.extend(shipments.iter().filter_map(|shipment| judge_shipment(shipment, &shipped)));
    (findings, page.last)
}

fn read_shipped(shipments: &[ShipmentRow]) -> Vec<ShipmentItemRow> {
    if shipments.is_empty() {
        return Vec::new();
    }
    let of_shipments = all([
        ShipmentItemRow::shipment_id.one_of(shipments.iter().map(|shipment| shipment.id)),
        ShipmentItemRow::line_no.not_null(),
    ]);
    read_every(&of_shipments, |item: &ShipmentItemRow| item.id)
}

fn judge_item(
    item: &OrderItemRow,
    shipped: &[ShipmentItemRow],
    stages: &BTreeMap<Id, ShipmentStage>,
) -> Option<Finding> {
    let shipped_lines = || shipped.iter().filter(|line| line.order_item_id == item.id);
    let live = shipped_lines().filter(|line| stages.get(&line.shipment_id) != Some(&ShipmentStage::Cancelled));
    let on_the_way: i128 = live.map(|line| line.quantity.units()).sum();
    let came: i128 = shipped_lines().map(|line| line.received.units()).sum();
    let is_wrong = on_the_way > item.quantity.units() || came != item.received.units();
    is_wrong.then(|| finding("J4", item.id, "More is shipped than ordered, or more came than was shipped."))
}

fn judge_shipment(shipment: &ShipmentRow, shipped: &[ShipmentItemRow]) -> Option<Finding> {
    let mut lines = shipped.iter().filter(|line| line.shipment_id == shipment.id);
    let is_here = lines.all(|line| line.left_to_receive().is_zero());
    let is_wrong = is_here != (shipment.stage == ShipmentStage::Received);
    is_wrong.then(|| finding("J4", shipment.id, "The shipment's stage contradicts its receipts."))
}
