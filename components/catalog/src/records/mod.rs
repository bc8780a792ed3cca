//! What the catalog keeps: the collections, and what people, API clients and events see of them.

pub mod identity;
pub mod lookup;
pub mod media;
pub mod product;
pub mod product_type;
pub mod receipt;
pub mod variant;

use stoa_sdk::text_enum;

text_enum! {
    /// ARCHIVED records are immutable.
    #[derive(Default)]
    pub enum Status { #[default] Active => "ACTIVE", Archived => "ARCHIVED" }
}

text_enum! {
    /// API clients read nothing else.
    #[derive(Default)]
    pub enum OnlyActive { #[default] Active => "ACTIVE" }
}

/// A request body that says nothing: archiving.
#[derive(serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EmptyBody {}
