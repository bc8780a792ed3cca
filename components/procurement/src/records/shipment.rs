//! Shipments of import orders: as they are kept, and as they are shown. Goods enter stock once their shipment is cleared.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use stoa_sdk::{Date, Id, Instant, collection, text_enum};
use stoa_trade::quantity::Quantity;
use stoa_trade::{JsonList, resource};

text_enum! {
    /// PLANNED, SHIPPED, ARRIVED, CUSTOMS and CLEARED follow in this order; steps may be skipped. RECEIVED and CANCELLED are
    /// final.
    pub enum ShipmentStage {
        Planned => "PLANNED",
        Shipped => "SHIPPED",
        Arrived => "ARRIVED",
        Customs => "CUSTOMS",
        Cleared => "CLEARED",
        Received => "RECEIVED",
        Cancelled => "CANCELLED",
    }
}

impl ShipmentStage {
    /// Those in which goods are on their way.
    pub const UNDER_WAY: [ShipmentStage; 4] =
        [ShipmentStage::Shipped, ShipmentStage::Arrived, ShipmentStage::Customs, ShipmentStage::Cleared];

    /// Returns whether the shipment has come to its end.
    pub fn is_closed(self) -> bool {
        matches!(self, ShipmentStage::Received | ShipmentStage::Cancelled)
    }
}

/// A step of a shipment.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ShipmentStep {
    pub stage: ShipmentStage,
    /// Day on which the shipment reached the stage.
    pub occurred_on: Date,
    pub note: Option<String>,
    /// Instant at which a caller recorded it.
    pub at: Instant,
}

collection! {
    pub record ShipmentRow in "shipment" {
        order_id: Id,
        number: String,
        number_key: String,
        stage: ShipmentStage,
        reference: Option<String>,
        carrier: Option<String>,
        containers: JsonList<String>,
        departs_on: Option<Date>,
        arrives_on: Option<Date>,
        history: JsonList<ShipmentStep>,
    }
    unique { number: [order_id, number_key] }
    index { [order_id], [stage, order_id], [arrives_on] }
    fixed [order_id, number]
}

collection! {
    /// `line_no` null: taken out of the shipment.
    pub record ShipmentItemRow in "shipment_item" {
        shipment_id: Id,
        order_item_id: Id,
        line_no: Option<i64>,
        quantity: Quantity,
        received: Quantity = "0",
    }
    unique { item: [shipment_id, order_item_id] }
    index { [order_item_id] }
    checks { received: [received >= 0, received <= quantity] }
    counters [received]
}

impl ShipmentItemRow {
    /// The quantity that was shipped and did not come yet.
    pub fn left_to_receive(&self) -> Quantity {
        // The collection's own check: no more is received than shipped.
        self.quantity.checked_sub(self.received).unwrap_or(Quantity::ZERO)
    }
}

resource! {
    /// A shipment of an import order.
    pub struct Shipment of row: ShipmentRow, items: &[ShipmentItemRow] {
        id: Id,
        number: String,
        stage: ShipmentStage,
        reference: Option<String>,
        carrier: Option<String>,
        containers: JsonList<String>,
        departs_on: Option<Date>,
        arrives_on: Option<Date>,
        items: Vec<ShipmentItem> = row.pick_lines(items).into_iter().map(ShipmentItem::from_row).collect(),
        /// Steps of the shipment, the oldest first.
        history: JsonList<ShipmentStep>,
    }
}

resource! {
    /// Goods of an order line on a shipment.
    pub struct ShipmentItem of row: ShipmentItemRow {
        order_item_id: Id,
        quantity: Quantity,
        received_quantity: Quantity = row.received,
    }
}

impl ShipmentRow {
    /// Its lines in their order, of those of all shipments of the order.
    fn pick_lines<'a>(&self, items: &'a [ShipmentItemRow]) -> Vec<&'a ShipmentItemRow> {
        let mut lines: Vec<_> =
            items.iter().filter(|item| item.shipment_id == self.id && item.line_no.is_some()).collect();
        lines.sort_by_key(|item| item.line_no);
        lines
    }
}
