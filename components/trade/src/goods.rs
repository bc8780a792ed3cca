//! Goods that a shop sells, as everybody reads them: the catalog publishes them, and a module that shows them with something else
//! passes them on.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use stoa_sdk::descriptor::schemas::never_null;
use stoa_sdk::{Id, Json, text_enum};

use crate::Status;
use crate::life::PublicHead;
use crate::places::CatalogProductExtensions;
use crate::quantity::Money;

text_enum! {
    pub enum ProductType { Good => "GOOD", Service => "SERVICE" }
}

text_enum! {
    pub enum VariantMode { Single => "SINGLE", Multiple => "MULTIPLE" }
}

text_enum! {
    #[derive(Default)]
    pub enum PublicationStatus { #[default] Draft => "DRAFT", Published => "PUBLISHED" }
}

text_enum! {
    pub enum Condition {
        New => "NEW", Used => "USED", Refurbished => "REFURBISHED", OpenBox => "OPEN_BOX", AsIs => "AS_IS",
    }
}

text_enum! {
    pub enum Grade { A => "A", B => "B", C => "C" }
}

text_enum! {
    #[derive(Default)]
    pub enum SimType {
        Esim => "ESIM", PhysicalSim => "PHYSICAL_SIM", PhysicalEsim => "PHYSICAL_ESIM", DualSim => "DUAL_SIM",
        #[default] NotApplicable => "NOT_APPLICABLE",
    }
}

/// A product as returned to API clients.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "PublicProduct")]
pub struct ApiProduct {
    #[serde(flatten)]
    pub head: PublicHead,
    pub name: String,
    pub slug: Option<String>,
    /// `SINGLE` for a product with one variant, else `MULTIPLE`.
    pub variant_mode: VariantMode,
    /// Number of active variants.
    #[schemars(range(min = 0))]
    pub variant_count: i64,
    /// SKU of the only active variant; null unless the product is SINGLE and has exactly one.
    pub single_sku: Option<String>,
    pub product_type: ProductType,
    pub category_id: Option<Id>,
    pub brand_id: Option<Id>,
    pub manufacturer_id: Option<Id>,
    pub unit_of_measure: String,
    pub publication_status: PublicationStatus,
    pub description: Option<String>,
    pub short_description: Option<String>,
    /// Attributes that every reader of the catalog may see.
    pub public_attributes: Json,
    /// Members that extensions add; present in a read of one product only.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(transform = never_null)]
    pub extensions: Option<CatalogProductExtensions>,
}

/// The members of a variant that users, API clients and events all see.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct VariantBody {
    pub product_id: Id,
    pub sku: String,
    pub barcode: Option<String>,
    pub model_number: Option<String>,
    pub storage: Option<String>,
    pub color: Option<String>,
    pub condition: Option<Condition>,
    pub grade: Option<Grade>,
    pub sim_type: SimType,
}

/// A variant as returned to API clients.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "PublicVariant")]
pub struct ApiVariant {
    #[serde(flatten)]
    pub head: PublicHead,
    #[serde(flatten)]
    pub body: VariantBody,
    /// Attributes that every reader of the catalog may see.
    pub public_attributes: Json,
}

/// The members of a medium that users, API clients and events all see.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MediaBody {
    pub url: String,
    pub variant_id: Option<Id>,
    pub alt_text: Option<String>,
    pub position: i64,
}

/// A media record as returned to API clients.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "PublicMedia")]
pub struct ApiMedia {
    pub id: Id,
    pub status: Status,
    #[serde(flatten)]
    pub body: MediaBody,
    pub product_id: Id,
}

/// Change of the price of one unit by an extension.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PriceAdjustment {
    /// Name of the module that changed the price.
    pub module: String,
    /// Price of one unit after the change.
    pub amount: Money,
    /// Reason that the module states.
    pub reason: String,
}
