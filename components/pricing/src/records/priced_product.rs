//! A product with its variants and what they cost: the page of a shop. People and API clients see the same.
//!
//! Product, variants and media are the catalog's documents and are passed on as they come; their types are what the contract
//! promises of them.

use schemars::JsonSchema;
use serde::Serialize;
use stoa_sdk::{Id, Json};
use stoa_trade::goods::{ApiMedia, ApiProduct, ApiVariant};

use crate::records::offer::ApiResolvedPrice;
use crate::records::price_list::ApiPriceList;

/// A product on sale with its variants and their prices in effect.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PricedProduct {
    #[schemars(with = "ApiProduct")]
    pub product: Json,
    /// Price list of these prices; it states the currency.
    pub price_list: ApiPriceList,
    /// Active variants, sorted by id.
    pub variants: Vec<PricedVariant>,
    /// Cursor for further variants; null if there are none.
    pub next_cursor: Option<Id>,
    /// Present with `expand=media`: the active media, without media of archived variants.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Vec<ApiMedia>>")]
    pub media: Option<Vec<Json>>,
}

/// A variant and its price.
#[derive(Debug, Serialize, JsonSchema)]
pub struct PricedVariant {
    #[schemars(with = "ApiVariant")]
    pub variant: Json,
    /// Null if no price is in effect.
    pub price: Option<ApiResolvedPrice>,
}
