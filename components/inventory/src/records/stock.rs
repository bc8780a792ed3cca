//! The stock projection, what every warehouse holds of every variant: as it is kept, as it is read, and the event of its change.

use schemars::JsonSchema;
use serde::Serialize;
use stoa_sdk::{Column, EventData, EventKind, Id, Instant, collection, tenant};
use stoa_trade::quantity::{Quantity, Tracking};
use stoa_trade::resource;

use crate::records::EXAMPLE_ID;

/// Every change of stock.
pub const STOCK_UPDATED: EventKind<StockChange> =
    EventKind::new("inventory.updated", "STOCK_LEVEL", "The stock of a variant in a warehouse changed.");

/// The events of operations that change stock.
pub const UPDATED: &[&str] = &[STOCK_UPDATED.code];

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
    index { [variant_id, id], [product_id, id], [legal_entity_id, id] }
    checks {
        available: [reserved >= 0, on_hand >= reserved],
        custody: [damaged >= 0, quarantined >= 0, in_transit >= 0, returned >= 0],
        incoming: [incoming >= 0],
    }
    lock_order [warehouse_id, variant_id]
    counters [on_hand, reserved, incoming, damaged, quarantined, in_transit, returned, revision]
}

impl StockRow {
    /// All figures, in the order of a change's.
    pub const FIGURES: [Column<Quantity>; 7] = [
        StockRow::on_hand,
        StockRow::reserved,
        StockRow::incoming,
        StockRow::damaged,
        StockRow::quarantined,
        StockRow::in_transit,
        StockRow::returned,
    ];

    /// The quantity that can be reserved and sold.
    pub fn available(&self) -> Quantity {
        if self.sellable { Quantity::from_units(self.on_hand.units() - self.reserved.units()) } else { Quantity::ZERO }
    }

    /// All that is there, in millionths.
    pub fn custody(&self) -> i128 {
        [self.on_hand, self.damaged, self.quarantined, self.in_transit, self.returned].map(Quantity::units).iter().sum()
    }
}

resource! {
    /// Quantities of a variant in a warehouse.
    #[schemars(rename = "PublicStockLevel")]
    pub struct ApiStockLevel of row: StockRow {
        id: Id,
        /// Number that rises by one with every change.
        version: i64 = row.revision,
        warehouse_id: Id,
        variant_id: Id,
        product_id: Id,
        legal_entity_id: Id,
        /// For a serialized variant: units that are AVAILABLE or RESERVED.
        on_hand: Quantity,
        reserved: Quantity,
        /// Quantity that can be sold; zero if the warehouse does not sell.
        available: Quantity = row.available(),
        /// Quantity on approved purchase orders and on transfer orders to the warehouse.
        incoming: Quantity,
        updated_at: Instant,
    }
}

resource! {
    /// Quantities of a variant in a warehouse, as returned to users.
    pub struct StockLevel of row: StockRow {
        tenant_id: Id = tenant(),
        damaged: Quantity,
        quarantined: Quantity,
        in_transit: Quantity,
        returned: Quantity,
        #[serde(flatten)]
        public: ApiStockLevel = ApiStockLevel::from_row(row),
    }
}

/// Totals over all warehouses.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Totals {
    pub on_hand: Quantity,
    pub reserved: Quantity,
    pub available: Quantity,
    pub incoming: Quantity,
}

/// The stock of one variant.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "VariantStockOf{T}")]
pub struct VariantStock<T> {
    pub variant_id: Id,
    pub tracking_mode: Tracking,
    pub totals: Totals,
    pub items: Vec<T>,
    /// Cursor of the next page; null on the last page.
    pub next_cursor: Option<Id>,
}

resource! {
    /// Data of a stock event: quantities of goods that are public, else only ids.
    pub struct StockChange of row: StockRow, is_public: bool {
        warehouse_id: Id,
        variant_id: Id,
        #[serde(flatten)]
        figures: Option<PublicFigures> = is_public.then(|| PublicFigures::from_row(row)),
    }
}

resource! {
    struct PublicFigures of row: StockRow {
        on_hand: Quantity,
        reserved: Quantity,
        available: Quantity = row.available(),
    }
}

impl EventData for StockChange {
    fn example() -> StockChange {
        StockChange {
            warehouse_id: EXAMPLE_ID,
            variant_id: EXAMPLE_ID,
            figures: Some(PublicFigures {
                on_hand: Quantity::from_units(12_000_000),
                reserved: Quantity::from_units(2_000_000),
                available: Quantity::from_units(10_000_000),
            }),
        }
    }
}
