//! Records that API clients read before and read no longer: for readers that keep a copy of the catalog.

use schemars::JsonSchema;
use serde::Serialize;
use stoa_sdk::{Id, Instant, text_enum};

text_enum! {
    /// Kind of the records.
    pub enum RemovedType { Product => "PRODUCT", Variant => "VARIANT", Media => "MEDIA", Lookup => "LOOKUP" }
}

text_enum! {
    /// UNPUBLISHED: the product is active and not published.
    pub enum RemovalStatus { Archived => "ARCHIVED", Deleted => "DELETED", Unpublished => "UNPUBLISHED" }
}

/// A record that API clients without `catalog.write` cannot read. It has ids only, so that drafts stay hidden.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Removal {
    pub resource_type: RemovedType,
    pub id: Id,
    /// Product of a variant or of media; null for products and lookups.
    pub product_id: Option<Id>,
    /// ARCHIVED: the record is archived. DELETED: the product was deleted. UNPUBLISHED: the product is not published.
    pub status: RemovalStatus,
    /// Instant of the change that removed the record, or of a later one.
    pub updated_at: Instant,
}
