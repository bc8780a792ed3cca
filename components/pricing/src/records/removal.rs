//! Prices that API clients read before and read no longer: for readers that keep a copy of a list.

use schemars::JsonSchema;
use serde::Serialize;
use stoa_sdk::{Id, Instant, text_enum};

text_enum! {
    /// Kind of the record.
    pub enum RemovedPriceType { Price => "PRICE" }
}

text_enum! {
    /// NOT_IN_EFFECT: the price is active, and its period is over or has not begun.
    pub enum PriceRemovalStatus { Archived => "ARCHIVED", NotInEffect => "NOT_IN_EFFECT" }
}

/// A price that API clients do not read.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PriceRemoval {
    pub resource_type: RemovedPriceType,
    pub id: Id,
    pub variant_id: Id,
    pub status: PriceRemovalStatus,
    /// Instant of the last change, or the end of the period if that is later.
    pub updated_at: Instant,
}
