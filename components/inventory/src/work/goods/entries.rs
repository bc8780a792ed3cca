//! The rows of layers and of the ledger of costs, as inflows and outflows make them.

use stoa_sdk::{Problem, new_id};
use stoa_trade::quantity::{self, Amount, Quantity};

use crate::records::cost::{CostEntryRow, LayerRow};
use crate::rules::draw::Slice;
use crate::work::costs::entry::{blank_entry, new_entry};
use crate::work::goods::collect::{Goods, Inflow, Outflow};

impl Goods {
    /// The layer of goods that came in, and its entry.
    pub(super) fn open_layer(&self, inflow: &Inflow, seq: i64) -> Result<(LayerRow, CostEntryRow), Problem> {
        let value = inflow.unit_cost.map(|cost| quantity::value(inflow.quantity, cost));
        let value = value.map(|value| value.ok_or_else(Amount::limit_exceeded)).transpose()?;
        let layer = self.layer(inflow, seq, value);
        let entry = self.inflow_entry(inflow, &layer);
        Ok((layer, entry))
    }

    fn layer(&self, inflow: &Inflow, seq: i64, value: Option<Amount>) -> LayerRow {
        LayerRow {
            id: new_id(),
            created_at: self.now,
            updated_at: self.now,
            legal_entity_id: inflow.place.entity,
            variant_id: inflow.sku.variant,
            product_id: inflow.sku.product,
            unit_id: inflow.unit,
            seq,
            currency_code: inflow.currency_code.clone(),
            unit_cost: inflow.unit_cost,
            quantity: inflow.quantity,
            remaining: inflow.quantity,
            value,
            spent: false,
            receipt_item_id: inflow.receipt_item,
            movement_id: Some(inflow.movement),
        }
    }

    fn inflow_entry(&self, inflow: &Inflow, layer: &LayerRow) -> CostEntryRow {
        CostEntryRow {
            warehouse_id: Some(inflow.place.warehouse),
            movement_id: Some(inflow.movement),
            source_entry_id: inflow.source_entry,
            quantity: inflow.quantity,
            amount: layer.value,
            document_type: inflow.document.map(|(kind, _)| kind),
            document_id: inflow.document.map(|(_, id)| id),
            ..new_entry(layer, inflow.kind, self.now, self.today)
        }
    }

    pub(super) fn outflow_entry(&self, outflow: &Outflow, slice: &Slice) -> CostEntryRow {
        let goods = (outflow.place.entity, outflow.sku.variant, outflow.sku.product);
        CostEntryRow {
            warehouse_id: Some(outflow.place.warehouse),
            layer_id: Some(slice.layer),
            unit_id: outflow.unit,
            movement_id: Some(outflow.movement),
            quantity: Quantity::from_units(-slice.quantity.units()),
            unit_cost: slice.unit_cost,
            amount: slice.amount.map(|amount| Amount::from_units(-amount.units())),
            currency_code: slice.currency_code.clone(),
            document_type: outflow.document.map(|(kind, _)| kind),
            document_id: outflow.document.map(|(_, id)| id),
            receipt_item_id: slice.receipt_item_id,
            ..blank_entry(goods, outflow.kind, self.now, self.today)
        }
    }
}
