//! Stock counts as they are kept.

use stoa_sdk::{Id, Instant, Json, collection, text_enum};

use crate::terms::{Quantity, Tracking, UnitCost};

text_enum! {
    pub enum CountStatus { Open => "OPEN", Posted => "POSTED", Cancelled => "CANCELLED" }
}

collection! {
    pub record StockCountRow in "stock_count" {
        number: String,
        number_key: String,
        warehouse_id: Id,
        legal_entity_id: Id,
        notes: Option<String>,
        status: CountStatus,
        posted_at: Option<Instant>,
    }
    unique { number: [legal_entity_id, number_key] }
    index { [warehouse_id, status], [status, id] }
    search { number: [number] }
}

collection! {
    /// `units`: an object of the unit's id to its version and whether it was found.
    pub record StockCountLineRow in "stock_count_line" {
        count_id: Id,
        variant_id: Id,
        tracking: Tracking,
        expected: Quantity,
        counted: Quantity,
        unit_cost: Option<UnitCost>,
        counted_at: Instant,
        units: Json,
    }
    unique { variant: [count_id, variant_id] }
}
