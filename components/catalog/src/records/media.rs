//! Media: addresses of pictures and other files of a product, or of one of its variants. Only metadata: nothing is fetched. How
//! they are kept, and what people, API clients and events see of them.

use schemars::JsonSchema;
use serde::Serialize;
use stoa_sdk::{Filter, Id, Instant, Reply, all, collection, facts, view};

use crate::records::Status;
use crate::records::identity::PartIdentity;

/// Resource type of the audit entries and of the events.
pub const AUDIT: &str = "CATALOG_MEDIA";

/// Active media of a product at most; also what `include=media` shows.
pub const MOST: u32 = 100;

collection! {
    pub record MediaRow in "media" {
        product_id: Id,
        variant_id: Option<Id>,
        url: String,
        alt_text: Option<String>,
        position: i64,
        status: Status,
        archived_at: Option<Instant>,
    }
    index { [product_id, position, id] }
    checks { place: [position >= 0] }
}

view! { pub MediaId of MediaRow { id: Id } }

/// Active media of a product.
pub fn active(product: Id) -> Filter {
    all([MediaRow::product_id.eq(product), MediaRow::status.eq(Status::Active)])
}

/// A medium as people read it.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Media {
    pub id: Id,
    pub tenant_id: Id,
    pub status: Status,
    pub archived_at: Option<Instant>,
    pub created_at: Instant,
    pub updated_at: Instant,
    pub product_id: Id,
    pub url: String,
    pub variant_id: Option<Id>,
    pub alt_text: Option<String>,
    pub position: i64,
}

impl Media {
    pub fn of(row: MediaRow, tenant: Id) -> Media {
        Media {
            id: row.id,
            tenant_id: tenant,
            status: row.status,
            archived_at: row.archived_at,
            created_at: row.created_at,
            updated_at: row.updated_at,
            product_id: row.product_id,
            url: row.url,
            variant_id: row.variant_id,
            alt_text: row.alt_text,
            position: row.position,
        }
    }
}

/// The whole record as an answer to a person; audited under its product.
pub fn show(row: MediaRow) -> Reply {
    let (id, version, product) = (row.id, row.version, row.product_id);
    Reply::json(&Media::of(row, facts().tenant.into())).of(id, version).subject(product)
}

/// A medium as API clients read it.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PublicMedia<'a> {
    id: Id,
    status: Status,
    url: &'a str,
    variant_id: Option<Id>,
    alt_text: Option<&'a str>,
    position: i64,
    product_id: Id,
}

impl PublicMedia<'_> {
    pub fn of(row: &MediaRow) -> PublicMedia<'_> {
        PublicMedia {
            id: row.id,
            status: row.status,
            url: &row.url,
            variant_id: row.variant_id,
            alt_text: row.alt_text.as_deref(),
            position: row.position,
            product_id: row.product_id,
        }
    }
}

/// A medium in an event: whole while it is active and what it shows is public, otherwise ids.
#[derive(Serialize)]
#[serde(untagged)]
pub enum MediaEvent<'a> {
    Public(PublicMedia<'a>),
    Hidden(PartIdentity),
}

impl MediaEvent<'_> {
    /// `is_public`: of the product, and of the variant where one is named.
    pub fn of(row: &MediaRow, is_public: bool) -> MediaEvent<'_> {
        match row.status == Status::Active && is_public {
            true => MediaEvent::Public(PublicMedia::of(row)),
            false => MediaEvent::Hidden(PartIdentity { id: row.id, product_id: row.product_id }),
        }
    }
}
