//! Request body of a goods receipt.

use schemars::JsonSchema;
use serde::Deserialize;
use stoa_sdk::Id;
use stoa_trade::document::version::ExpectedVersion;
use stoa_trade::quantity::Positive;
use stoa_trade::text::Prose;
use stoa_trade::unit_identity::UnitInput;

use crate::rules::arrival::{Arrival, ArrivedCharge, ArrivedLine};

/// Received goods and services of an order.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct GoodsReceiptInput {
    /// The `version` of the order that you read.
    pub expected_version: ExpectedVersion,
    pub reason: Prose<1, 1000>,
    /// Location in the warehouse of the order.
    #[serde(default)]
    pub warehouse_location_id: Option<Id>,
    /// Each line of the order at most once.
    #[schemars(length(min = 1, max = stoa_trade::limits::LINES))]
    pub items: Vec<GoodsReceiptItemInput>,
    /// Required for an import order, and rejected for any other.
    #[serde(default)]
    pub shipment_id: Option<Id>,
    /// Charges of an import order that are known at the receipt: they become part of the cost of the goods.
    #[serde(default)]
    #[schemars(length(max = stoa_trade::limits::CHARGES), extend("default" = []))]
    pub charges: Vec<ReceiptChargeInput>,
}

/// Received quantity of a line of the order.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct GoodsReceiptItemInput {
    pub order_item_id: Id,
    /// At most the outstanding quantity.
    pub quantity: Positive,
    /// New units of a serialized line, as many as its quantity; empty for any other line.
    #[serde(default)]
    #[schemars(length(max = stoa_trade::limits::UNITS), extend("default" = []))]
    pub units: Vec<UnitInput>,
}

/// Part of a charge to allocate to goods of this receipt.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ReceiptChargeInput {
    pub charge_id: Id,
    #[schemars(length(min = 1, max = stoa_trade::limits::ALLOCATIONS))]
    pub allocations: Vec<ReceiptAllocationInput>,
}

/// Share of one line. State it: nothing is pro-rated.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ReceiptAllocationInput {
    /// Tracked line of this receipt.
    pub order_item_id: Id,
    pub amount: Positive,
}

impl GoodsReceiptInput {
    /// The received goods.
    pub fn into_arrival(self) -> Arrival {
        let line = |line: GoodsReceiptItemInput| ArrivedLine {
            order_item: line.order_item_id,
            quantity: line.quantity.0,
            units: line.units,
        };
        let charge = |charge: ReceiptChargeInput| ArrivedCharge {
            charge: charge.charge_id,
            allocations: charge.allocations.into_iter().map(|part| (part.order_item_id, part.amount.0)).collect(),
        };
        Arrival {
            reason: self.reason.into(),
            location: self.warehouse_location_id,
            shipment: self.shipment_id,
            lines: self.items.into_iter().map(line).collect(),
            charges: self.charges.into_iter().map(charge).collect(),
        }
    }
}
