//! Costs of goods, pools, layers and the ledger of their changes: as they are kept, and as people read them.

use schemars::JsonSchema;
use serde::Serialize;
use stoa_sdk::{Date, Id, Instant, collection, text_enum, view};
use stoa_trade::quantity::{Amount, Quantity, UnitCost};
use stoa_trade::resource;

use crate::records::movement::DocumentType;

collection! {
    /// One per entity and variant. A request that changes layers locks its row, which counts them in the order of commits.
    pub projection PoolRow in "cost_pool" {
        legal_entity_id: Id,
        variant_id: Id,
        product_id: Id,
        next_seq: i64 = 1,
    }
    unique { pool: [legal_entity_id, variant_id] }
    index { [variant_id], [product_id] }
    lock_order [legal_entity_id, variant_id]
    counters [next_seq]
}

collection! {
    /// Goods that came in together at one cost. `value` is what remains of them at that cost; null where none is known.
    pub projection LayerRow in "cost_layer" {
        legal_entity_id: Id,
        variant_id: Id,
        product_id: Id,
        unit_id: Option<Id>,
        seq: i64,
        currency_code: Option<String>,
        unit_cost: Option<UnitCost>,
        quantity: Quantity,
        remaining: Quantity,
        value: Option<Amount>,
        spent: bool,
        receipt_item_id: Option<Id>,
        movement_id: Option<Id>,
    }
    index {
        [legal_entity_id, variant_id, spent, seq], [variant_id, id], [unit_id, spent], [receipt_item_id, spent],
        [spent, id],
    }
    checks { remaining: [remaining >= 0, quantity >= remaining] }
}

text_enum! {
    pub enum CostKind {
        Received => "RECEIVED", AdjustedIn => "ADJUSTED_IN", Sold => "SOLD", Back => "BACK",
        AdjustedOut => "ADJUSTED_OUT", Damaged => "DAMAGED", Lost => "LOST", Returned => "RETURNED",
        Charge => "CHARGE", Correction => "CORRECTION", Assigned => "ASSIGNED",
    }
}

text_enum! {
    /// Where goods are, to whom a correction or charge is dealt.
    pub enum Destination {
        OnHand => "ON_HAND", Sold => "SOLD", AdjustedOut => "ADJUSTED_OUT", Damaged => "DAMAGED", Lost => "LOST",
        Returned => "RETURNED",
    }
}

collection! {
    /// Every change of what goods are worth. `amount` is signed: what went out is below zero. A CORRECTION, CHARGE or ASSIGNED
    /// row re-costs `quantity` goods from `unit_cost_before` to `unit_cost`: those of `layer_id`, or the gone ones of
    /// `source_entry_id`, whose amount then is that of the destination and no part of the layers' value.
    pub ledger CostEntryRow in "cost_entry" {
        legal_entity_id: Id,
        variant_id: Id,
        product_id: Id,
        warehouse_id: Option<Id>,
        layer_id: Option<Id>,
        unit_id: Option<Id>,
        movement_id: Option<Id>,
        source_entry_id: Option<Id>,
        kind: CostKind,
        destination: Option<Destination>,
        quantity: Quantity,
        unit_cost_before: Option<UnitCost>,
        unit_cost: Option<UnitCost>,
        amount: Option<Amount>,
        currency_code: Option<String>,
        entry_date: Date,
        document_type: Option<DocumentType>,
        document_id: Option<Id>,
        receipt_item_id: Option<Id>,
    }
    unique { once: [movement_id, layer_id, kind] }
    index {
        [legal_entity_id, variant_id, entry_date], [movement_id], [receipt_item_id, id], [unit_id, id],
        [source_entry_id], [layer_id], [legal_entity_id, entry_date], [legal_entity_id, id],
    }
}

view! {
    /// Goods and cost of an entry, without when and why: a line's goods may have gone in very many slices.
    pub EntryOfGoods of CostEntryRow {
        id: Id, legal_entity_id: Id, variant_id: Id, product_id: Id, warehouse_id: Option<Id>, layer_id: Option<Id>,
        unit_id: Option<Id>, movement_id: Option<Id>, source_entry_id: Option<Id>, kind: CostKind, quantity: Quantity,
        unit_cost_before: Option<UnitCost>, unit_cost: Option<UnitCost>, amount: Option<Amount>,
        currency_code: Option<String>, receipt_item_id: Option<Id>,
    }
}

collection! {
    /// How much of what a SALE movement sold came back.
    pub projection SaleBalanceRow in "sale_balance" {
        movement_id: Id,
        sold: Quantity,
        returned: Quantity = "0",
    }
    unique { movement: [movement_id] }
    checks { returned: [returned >= 0, sold >= returned] }
    counters [returned]
}

resource! {
    /// Goods received together at one cost.
    pub struct CostLayer of row: LayerRow {
        id: Id,
        legal_entity_id: Id,
        variant_id: Id,
        inventory_unit_id: Option<Id> = row.unit_id,
        currency_code: Option<String>,
        /// Cost of one unit of measure; null if unknown.
        unit_cost: Option<UnitCost>,
        quantity: Quantity,
        remaining: Quantity,
        /// Value of the remaining quantity; null if the cost is unknown.
        value: Option<Amount>,
        purchase_receipt_item_id: Option<Id> = row.receipt_item_id,
        created_at: Instant,
    }
}

/// Goods of a legal entity and their value.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ValuationRow {
    pub legal_entity_id: Id,
    pub variant_id: Id,
    pub product_id: Id,
    pub quantity: Quantity,
    /// Part of the quantity without a known cost.
    pub uncosted_quantity: Quantity,
    pub values: Vec<Value>,
}

/// Value of goods in one currency; null for a legal entity without books.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "ValuationValue")]
pub struct Value {
    pub currency_code: Option<String>,
    pub quantity: Quantity,
    pub value: Amount,
}
