//! What pricing keeps: the collections, and what people, API clients and events see of them.

pub mod price;
pub mod price_list;

use stoa_sdk::text_enum;

/// A request body that says nothing: archiving.
#[derive(serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EmptyBody {}

text_enum! {
    /// API clients read nothing else.
    #[derive(Default)]
    pub enum OnlyActive { #[default] Active => "ACTIVE" }
}
