//! New rows of the ledger of costs.

use stoa_sdk::{Date, Instant, new_id};
use stoa_trade::quantity::Quantity;

use crate::records::cost::{CostEntryRow, CostKind, LayerRow};

/// An entry about goods of a layer, of nothing yet: to be completed.
pub fn new_entry(layer: &LayerRow, kind: CostKind, now: Instant, entry_date: Date) -> CostEntryRow {
    CostEntryRow {
        id: new_id(),
        created_at: now,
        updated_at: now,
        legal_entity_id: layer.legal_entity_id,
        variant_id: layer.variant_id,
        product_id: layer.product_id,
        warehouse_id: None,
        layer_id: Some(layer.id),
        unit_id: layer.unit_id,
        movement_id: None,
        source_entry_id: None,
        kind,
        destination: None,
        quantity: Quantity::ZERO,
        unit_cost_before: None,
        unit_cost: layer.unit_cost,
        amount: None,
        currency_code: layer.currency_code.clone(),
        entry_date,
        document_type: None,
        document_id: None,
        receipt_item_id: layer.receipt_item_id,
    }
}
