//! Request bodies of an import order's shipments and charges.

use schemars::JsonSchema;
use serde::Deserialize;
use stoa_sdk::{Date, Id};
use stoa_trade::document::number::DocumentNumber;
use stoa_trade::document::version::ExpectedVersion;
use stoa_trade::quantity::Positive;
use stoa_trade::text::{Line, Prose};

use crate::records::charge::ChargeType;
use crate::records::shipment::ShipmentStage;
use crate::work::charging::AllocationInput;

/// A shipment in a request.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ShipmentInput {
    /// The `version` of the order that you read.
    pub expected_version: ExpectedVersion,
    /// Unique in the order, ignoring case. Immutable.
    pub number: DocumentNumber,
    pub reference: Option<Line<0, 120>>,
    pub carrier: Option<Line<0, 120>>,
    /// Container numbers.
    #[serde(default)]
    #[schemars(length(max = stoa_trade::limits::CONTAINERS), extend("default" = []))]
    pub containers: Vec<Line<1, 20>>,
    pub departs_on: Option<Date>,
    pub arrives_on: Option<Date>,
    /// Each line of the order at most once.
    #[schemars(length(min = 1, max = stoa_trade::limits::LINES))]
    pub items: Vec<ShipmentItemInput>,
}

/// Goods of an order line on a shipment.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ShipmentItemInput {
    pub order_item_id: Id,
    pub quantity: Positive,
}

/// A step of a shipment.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ShipmentAdvance {
    /// The `version` of the order that you read.
    pub expected_version: ExpectedVersion,
    pub stage: ShipmentStage,
    /// Day on which the shipment reached the stage.
    pub occurred_on: Date,
    pub note: Option<Prose<0, 500>>,
}

/// A charge in a request.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ChargeInput {
    /// The `version` of the order that you read.
    pub expected_version: ExpectedVersion,
    #[serde(rename = "type")]
    pub kind: ChargeType,
    /// Amount in the currency of the order.
    pub amount: Positive,
    pub description: Option<Line<0, 200>>,
    /// Id of the supplier who bills the charge; null for none.
    pub supplier_id: Option<Id>,
    pub reference: Option<Line<0, 120>>,
    /// Shipment that caused the charge; null: any shipment of the order.
    pub shipment_id: Option<Id>,
}

/// Allocation of a charge to lines of receipts.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AllocateCharge {
    /// The `version` of the order that you read.
    pub expected_version: ExpectedVersion,
    /// Each line of a receipt at most once.
    #[schemars(length(min = 1, max = stoa_trade::limits::ALLOCATIONS))]
    pub allocations: Vec<AllocationInput>,
}
