//! Which variants there are goods of, as the module that counts goods says it, and the warning of who archives one.

use schemars::JsonSchema;
use serde::Serialize;
use stoa_sdk::{Id, collection, text_enum};

collection! {
    /// `held`: the place has goods of the variant on hand.
    pub projection HoldingRow in "holding" {
        place_id: Id,
        variant_id: Id,
        product_id: Id,
        held: bool,
    }
    unique { pair: [place_id, variant_id] }
    index { [product_id, id], [variant_id, id] }
    lock_order [place_id, variant_id]
}

text_enum! {
    /// The subject of a warning.
    #[allow(missing_docs, reason = "described values would be alternatives in the schema, not one enumeration")]
    pub enum WarningCode { StockOnHand => "STOCK_ON_HAND" }
}

/// A warning about a request that succeeded.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Warning {
    /// STOCK_ON_HAND: a warehouse has goods of the variant.
    pub code: WarningCode,
    pub variant_id: Id,
}

/// A record that was archived.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Archived{T}")]
pub struct Archived<T> {
    #[serde(flatten)]
    pub record: T,
    /// The first 20 variants that are archived and of which goods are on hand.
    #[schemars(length(max = stoa_trade::limits::WARNINGS))]
    pub warnings: Vec<Warning>,
    /// Number of variants with a warning; `warnings` lists at most 20 of them.
    #[schemars(range(min = 0))]
    pub warning_count: usize,
}
