//! Charges of import orders, and what of them was allocated to the goods of receipts: as they are kept, and as they are
//! shown. They are in the order's currency and raise what goods cost, never what is owed for them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use stoa_sdk::{Id, collection, text_enum};
use stoa_trade::quantity::{Amount, Money};
use stoa_trade::{JsonList, resource};

text_enum! {
    /// Type of a charge.
    pub enum ChargeType {
        Freight => "FREIGHT",
        Insurance => "INSURANCE",
        Duty => "DUTY",
        Customs => "CUSTOMS",
        Handling => "HANDLING",
        Storage => "STORAGE",
        Inspection => "INSPECTION",
        Other => "OTHER",
    }
}

text_enum! {
    /// ESTIMATED: nothing is allocated; only then can the charge become CANCELLED. PARTIALLY_ALLOCATED: a part is allocated.
    /// ALLOCATED: the whole amount is allocated.
    pub enum ChargeStatus {
        Estimated => "ESTIMATED",
        PartiallyAllocated => "PARTIALLY_ALLOCATED",
        Allocated => "ALLOCATED",
        Cancelled => "CANCELLED",
    }
}

impl ChargeStatus {
    /// Returns whether it can be changed and allocated.
    pub fn is_open(self) -> bool {
        matches!(self, ChargeStatus::Estimated | ChargeStatus::PartiallyAllocated)
    }
}

collection! {
    pub record ChargeRow in "charge" {
        order_id: Id,
        shipment_id: Option<Id>,
        kind: ChargeType,
        description: Option<String>,
        amount: Money,
        allocated: Money = "0",
        status: ChargeStatus,
        supplier_id: Option<Id>,
        reference: Option<String>,
    }
    index { [order_id], [supplier_id] }
    checks { allocated: [allocated >= 0, allocated <= amount] }
    counters [allocated]
    fixed [order_id]
    members { kind: "type" }
}

impl ChargeRow {
    /// The amount that is not allocated.
    pub fn rest(&self) -> Money {
        // The collection's own check: no more is allocated than there is.
        self.amount.checked_sub(self.allocated).unwrap_or(Money::ZERO)
    }

    /// The status that follows from what is allocated of it.
    pub fn status_when(amount: Money, allocated: Money) -> ChargeStatus {
        match (allocated.is_zero(), allocated == amount) {
            (true, _) => ChargeStatus::Estimated,
            (false, true) => ChargeStatus::Allocated,
            (false, false) => ChargeStatus::PartiallyAllocated,
        }
    }
}

text_enum! {
    /// State of the goods when the charge was allocated: ON_HAND, or the way in which they had left stock.
    pub enum Destination {
        OnHand => "ON_HAND",
        Sold => "SOLD",
        AdjustedOut => "ADJUSTED_OUT",
        Damaged => "DAMAGED",
        Lost => "LOST",
        Returned => "RETURNED",
    }
}

/// A part of an allocation. The parts add up to its amount.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AllocatedPart {
    pub destination: Destination,
    pub amount: Amount,
}

collection! {
    pub ledger AllocationRow in "charge_allocation" {
        charge_id: Id,
        receipt_item_id: Id,
        amount: Money,
        destinations: JsonList<AllocatedPart>,
    }
    index { [charge_id, id], [receipt_item_id] }
}

resource! {
    /// A charge of an import order.
    pub struct Charge of row: ChargeRow, allocations: &[AllocationRow], with_costs: bool {
        id: Id,
        #[serde(rename = "type")]
        kind: ChargeType,
        description: Option<String>,
        amount: Money,
        allocated_amount: Money = row.allocated,
        status: ChargeStatus,
        /// Id of the supplier who bills the charge; null for none.
        supplier_id: Option<Id>,
        reference: Option<String>,
        shipment_id: Option<Id>,
        // Those of all charges of the order are given.
        allocations: Vec<ChargeAllocation> = allocations
            .iter()
            .filter(|allocation| allocation.charge_id == row.id)
            .map(|allocation| ChargeAllocation::from_row(allocation, with_costs))
            .collect(),
    }
}

resource! {
    /// Part of a charge that is allocated to a line of a receipt.
    pub struct ChargeAllocation of row: AllocationRow, with_costs: bool {
        receipt_item_id: Id,
        amount: Money,
        /// Present only for callers who may read costs.
        #[serde(skip_serializing_if = "Option::is_none")]
        destinations: Option<JsonList<AllocatedPart>> = with_costs.then(|| row.destinations.clone()),
    }
}
