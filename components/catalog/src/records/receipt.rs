//! Answers to the writes of an API client: no more than that the write is done.

use schemars::JsonSchema;
use serde::Serialize;
use stoa_sdk::{Id, Reply};
use stoa_trade::Archivable;
use stoa_trade::life::PublicHead;

use crate::records::product::ProductRow;
use crate::records::variant::VariantRow;

/// Receipt of a write.
#[derive(Serialize, JsonSchema)]
pub struct WriteReceipt {
    #[serde(flatten)]
    head: PublicHead,
}

/// Receipt of a created product.
#[derive(Serialize, JsonSchema)]
pub struct ProductReceipt {
    #[serde(flatten)]
    head: PublicHead,
    /// Variants created with it, in the order of the request.
    variants: Vec<CreatedVariant>,
}

/// A variant that was created.
#[derive(Serialize, JsonSchema)]
pub struct CreatedVariant {
    pub id: Id,
    pub sku: String,
}

impl From<VariantRow> for CreatedVariant {
    fn from(row: VariantRow) -> CreatedVariant {
        CreatedVariant { id: row.id, sku: row.sku }
    }
}

/// The receipt of a product that was created with these variants.
pub fn show_product_receipt(row: &ProductRow, variants: Vec<VariantRow>) -> Reply {
    let variants = variants.into_iter().map(CreatedVariant::from).collect();
    Reply::json(&ProductReceipt { head: row.public_head(), variants }).of(row.id, row.version)
}

/// The receipt of a record that is active: clients archive nothing here.
pub fn show_receipt(row: &impl Archivable) -> Reply {
    Reply::json(&WriteReceipt { head: row.public_head() }).of(row.id(), row.version())
}
