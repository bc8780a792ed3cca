//! The service `commerce:catalog/products`: a product on sale as a shop shows it, in one round trip.

use serde::Serialize;
use stoa_sdk::host::fault;
use stoa_sdk::store::{Rows, get, run, select};
use stoa_sdk::{Id, Limit, all, fit_page};
use stoa_trade::Status;

use crate::bindings::exports::commerce::catalog::products as service;
use crate::bindings::exports::commerce::catalog::products::Guest;
use crate::records::media::{self, MediaRow, publish_medium};
use crate::records::product::{ProductRow, is_public, publish_product};
use crate::records::variant::{VariantRow, publish_variant};
use crate::services::Services;

pub use service::{ShownProduct, ShownVariant};

impl Guest for Services {
    fn show(product: (u64, u64), after: Option<(u64, u64)>, limit: u32, with_media: bool) -> Option<ShownProduct> {
        let (row, variants, media) = read(product.into(), after.map(Id::from), limit, with_media);
        let row = row.filter(|row| is_public(row.status, row.publication_status))?;
        Some(ShownProduct {
            document: document(&publish_product(&row)),
            more: variants.more,
            variants: variants.items.into_iter().map(show_variant).collect(),
            media: media.into_iter().flatten().map(|row| document(&publish_medium(&row))).collect(),
        })
    }
}

type Read = (Option<ProductRow>, Rows<VariantRow>, Option<Vec<MediaRow>>);

/// A page may be shorter than its limit: attributes that the reply leaves out are read with the variants.
fn read(product: Id, after: Option<Id>, limit: u32, with_media: bool) -> Read {
    let active = all([VariantRow::product_id.eq(product), VariantRow::status.eq(Status::Active)]);
    let page = fit_page(Limit(limit), |limit| {
        let media = with_media.then(|| select(media::public(product)).whole());
        run((get(product), select(active.clone()).after(after).limit(limit), media))
    });
    page.unwrap_or_else(|problem| fault(&format!("a read failed: {}", problem.code)))
}

fn show_variant(row: VariantRow) -> ShownVariant {
    ShownVariant { id: row.id.into(), document: document(&publish_variant(&row)) }
}

fn document(shown: &impl Serialize) -> String {
    serde_json::to_string(shown).unwrap_or_else(|_| fault("a record does not serialize"))
}
