//! A product with its variants and what they cost: the page of a shop. People and API clients see the same.
//!
//! Product, variants and media are the catalog's documents and are passed on as they come. Their types here are what the contract
//! promises of them, word for word as the catalog publishes them, so that both are one component of the document.

use schemars::JsonSchema;
use serde::Serialize;
use stoa_sdk::{Id, Json, text_enum};
use stoa_trade::Status;
use stoa_trade::life::PublicHead;

use crate::records::price::PublicPrice;
use crate::records::price_list::PublicPriceList;

/// A product on sale with its variants and their prices in effect.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PricedProduct {
    #[schemars(with = "PublicProduct")]
    pub product: Json,
    /// Whose prices these are: it states the currency.
    pub price_list: PublicPriceList,
    /// Active ones, in the order of their ids.
    pub variants: Vec<PricedVariant>,
    /// Where further variants begin; null where there are none.
    pub next_cursor: Option<Id>,
    /// With `expand=media`: the active ones, without those of archived variants.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Vec<PublicMedia>>")]
    pub media: Option<Vec<Json>>,
}

/// A variant and what it costs.
#[derive(Debug, Serialize, JsonSchema)]
pub struct PricedVariant {
    #[schemars(with = "PublicVariant")]
    pub variant: Json,
    /// Null where no price is in effect.
    pub price: Option<PublicPrice>,
}

text_enum! { pub enum ProductType { Good => "GOOD", Service => "SERVICE" } }

text_enum! { pub enum VariantMode { Single => "SINGLE", Multiple => "MULTIPLE" } }

text_enum! { pub enum PublicationStatus { Draft => "DRAFT", Published => "PUBLISHED" } }

text_enum! {
    pub enum Condition {
        New => "NEW", Used => "USED", Refurbished => "REFURBISHED", OpenBox => "OPEN_BOX", AsIs => "AS_IS",
    }
}

text_enum! { pub enum Grade { A => "A", B => "B", C => "C" } }

text_enum! {
    pub enum SimType {
        Esim => "ESIM", PhysicalSim => "PHYSICAL_SIM", PhysicalEsim => "PHYSICAL_ESIM", DualSim => "DUAL_SIM",
        NotApplicable => "NOT_APPLICABLE",
    }
}

/// A product as API clients read it.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PublicProduct {
    #[serde(flatten)]
    head: PublicHead,
    name: String,
    slug: Option<String>,
    /// What it is in practice.
    variant_mode: VariantMode,
    /// Active variants.
    #[schemars(range(min = 0))]
    variant_count: i64,
    /// Of a SINGLE product with exactly one active variant.
    single_sku: Option<String>,
    product_type: ProductType,
    category_id: Option<Id>,
    brand_id: Option<Id>,
    manufacturer_id: Option<Id>,
    unit_of_measure: String,
    publication_status: PublicationStatus,
    description: Option<String>,
    short_description: Option<String>,
}

/// A variant as API clients read it.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PublicVariant {
    #[serde(flatten)]
    head: PublicHead,
    product_id: Id,
    sku: String,
    barcode: Option<String>,
    model_number: Option<String>,
    storage: Option<String>,
    color: Option<String>,
    condition: Option<Condition>,
    grade: Option<Grade>,
    sim_type: SimType,
}

/// A medium as API clients read it.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PublicMedia {
    id: Id,
    status: Status,
    url: String,
    variant_id: Option<Id>,
    alt_text: Option<String>,
    position: i64,
    product_id: Id,
}
