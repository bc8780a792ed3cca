//! What bodies say of an import order's shipments and charges.

use schemars::JsonSchema;
use serde::Deserialize;
use stoa_sdk::{Date, Id};
use stoa_trade::document::number::DocumentNumber;
use stoa_trade::document::version::ExpectedVersion;
use stoa_trade::quantity::Positive;
use stoa_trade::text::{Line, Prose};

use crate::records::charge::ChargeType;
use crate::records::shipment::ShipmentStage;

/// A shipment, to plan and to replace it.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ShipmentInput {
    /// The order's.
    pub expected_version: ExpectedVersion,
    /// Unique in the order, ignoring case; immutable.
    pub number: DocumentNumber,
    #[serde(default)]
    pub reference: Option<Line<0, 120>>,
    #[serde(default)]
    pub carrier: Option<Line<0, 120>>,
    /// Numbers of its containers.
    #[serde(default)]
    #[schemars(length(max = 50), extend("default" = []))]
    pub containers: Vec<Line<1, 20>>,
    #[serde(default)]
    pub departs_on: Option<Date>,
    #[serde(default)]
    pub arrives_on: Option<Date>,
    /// Each line of the order once.
    #[schemars(length(min = 1, max = 100))]
    pub items: Vec<ShipmentItemInput>,
}

/// Goods of a line of the order on a shipment.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ShipmentItemInput {
    pub order_item_id: Id,
    pub quantity: Positive,
}

/// A step of a shipment on its way.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ShipmentAdvance {
    /// The order's.
    pub expected_version: ExpectedVersion,
    pub stage: ShipmentStage,
    /// The day on which it happened.
    pub occurred_on: Date,
    #[serde(default)]
    pub note: Option<Prose<0, 500>>,
}

/// A charge, to add and to replace it.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ChargeInput {
    /// The order's.
    pub expected_version: ExpectedVersion,
    #[serde(rename = "type")]
    pub kind: ChargeType,
    /// In the order's currency.
    pub amount: Positive,
    #[serde(default)]
    pub description: Option<Line<0, 200>>,
    /// Who bills it.
    #[serde(default)]
    pub supplier_id: Option<Id>,
    #[serde(default)]
    pub reference: Option<Line<0, 120>>,
    /// The shipment whose goods it is for; null: any.
    #[serde(default)]
    pub shipment_id: Option<Id>,
}

/// What of a charge goes to which goods.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AllocateCharge {
    /// The order's.
    pub expected_version: ExpectedVersion,
    /// Each line of a receipt once.
    #[schemars(length(min = 1, max = 100))]
    pub allocations: Vec<AllocationInput>,
}

/// The part of one line, stated: nothing is pro-rated.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AllocationInput {
    /// A tracked line of a receipt of this order.
    pub receipt_item_id: Id,
    pub amount: Positive,
}
