//! What a record lives through: active, then archived, for ever.

use stoa_sdk::text_enum;

text_enum! {
    /// ARCHIVED records are immutable.
    #[derive(Default)]
    pub enum Status { #[default] Active => "ACTIVE", Archived => "ARCHIVED" }
}

/// A request body that says nothing: archiving.
#[derive(serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EmptyBody {}
