//! The stock projection: what every warehouse holds of every variant.

use stoa_sdk::{Id, collection};

use crate::terms::Quantity;

collection! {
    /// `sellable`: of a normal warehouse, whose type never changes. `revision` counts the changes.
    pub projection StockRow in "stock" {
        warehouse_id: Id,
        variant_id: Id,
        product_id: Id,
        legal_entity_id: Id,
        sellable: bool,
        on_hand: Quantity = "0",
        reserved: Quantity = "0",
        incoming: Quantity = "0",
        damaged: Quantity = "0",
        quarantined: Quantity = "0",
        in_transit: Quantity = "0",
        returned: Quantity = "0",
        revision: i64 = 0,
    }
    unique { pair: [warehouse_id, variant_id] }
    index { [variant_id, id], [product_id, id], [legal_entity_id, id], [updated_at] }
    checks {
        available: [reserved >= 0, on_hand >= reserved],
        custody: [damaged >= 0, quarantined >= 0, in_transit >= 0, returned >= 0],
        incoming: [incoming >= 0],
    }
    lock_order [warehouse_id, variant_id]
    counters [on_hand, reserved, incoming, damaged, quarantined, in_transit, returned, revision]
}

impl StockRow {
    /// What can be reserved and sold.
    pub fn available(&self) -> Quantity {
        if self.sellable { Quantity::from_units(self.on_hand.units() - self.reserved.units()) } else { Quantity::ZERO }
    }
}

impl StockRow {
    /// All that is there, in millionths.
    pub fn custody(&self) -> i128 {
        [self.on_hand, self.damaged, self.quarantined, self.in_transit, self.returned].map(Quantity::units).iter().sum()
    }
}
