//! New rows of the ledger of costs.

use stoa_sdk::{Date, Id, Instant, new_id};
use stoa_trade::quantity::Quantity;

use crate::records::cost::{CostEntryRow, CostKind, LayerRow};

/// An entry about goods of an entity, variant and product, of nothing yet: to be completed.
pub fn blank_entry(
    (legal_entity_id, variant_id, product_id): (Id, Id, Id),
    kind: CostKind,
    now: Instant,
    entry_date: Date,
) -> CostEntryRow {
    CostEntryRow {
        id: new_id(),
        created_at: now,
        updated_at: now,
        legal_entity_id,
        variant_id,
        product_id,
        warehouse_id: None,
        layer_id: None,
        unit_id: None,
        movement_id: None,
        source_entry_id: None,
        kind,
        destination: None,
        quantity: Quantity::ZERO,
        unit_cost_before: None,
        unit_cost: None,
        amount: None,
        currency_code: None,
        entry_date,
        document_type: None,
        document_id: None,
        receipt_item_id: None,
    }
}

/// An entry about goods of a layer, of nothing yet: to be completed.
pub fn new_entry(layer: &LayerRow, kind: CostKind, now: Instant, entry_date: Date) -> CostEntryRow {
    CostEntryRow {
        layer_id: Some(layer.id),
        unit_id: layer.unit_id,
        unit_cost: layer.unit_cost,
        currency_code: layer.currency_code.clone(),
        receipt_item_id: layer.receipt_item_id,
        ..blank_entry((layer.legal_entity_id, layer.variant_id, layer.product_id), kind, now, entry_date)
    }
}
