//! Media: addresses of pictures and other files of a product, or of one of its variants. Only metadata: nothing is fetched. How
//! they are kept, and what people, API clients and events see of them.

use schemars::JsonSchema;
use serde::Serialize;
use stoa_sdk::{EventData, EventKind, Filter, Id, Instant, Reply, all, any, collection, has, view};
use stoa_trade::goods::MediaBody;
use stoa_trade::life::Head;
use stoa_trade::{Archivable, Status, archivable};

pub use stoa_trade::goods::ApiMedia;

use crate::records::identity::{EXAMPLE_TIME, PartIdentity, example_id};
use crate::records::receipt::show_written;
use crate::records::variant::VariantRow;

/// Resource type of the audit entries and of the events.
pub const AUDIT: &str = "CATALOG_MEDIA";

pub const CREATED: EventKind<MediaEvent> =
    EventKind::new("catalog.media.created", AUDIT, "Media were added to a product.");
pub const UPDATED: EventKind<MediaEvent> = EventKind::new("catalog.media.updated", AUDIT, "Media were replaced.");
pub const ARCHIVED: EventKind<PartIdentity> = EventKind::new("catalog.media.archived", AUDIT, "Media were archived.");

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
    fixed [product_id]
}
archivable!(MediaRow);

impl MediaRow {
    /// A medium as there may be one, of the product of the same name: what the contract shows, and what tests begin with.
    pub fn example() -> MediaRow {
        MediaRow {
            id: example_id(3),
            version: 1,
            created_at: EXAMPLE_TIME,
            updated_at: EXAMPLE_TIME,
            product_id: example_id(1),
            variant_id: None,
            url: "https://media.example.com/phone.jpg".to_owned(),
            alt_text: Some("The phone from the front".to_owned()),
            position: 0,
            status: Status::Active,
            archived_at: None,
        }
    }
}

view! { pub MediaId of MediaRow { id: Id } }

/// Active media of a product.
pub fn active(product: Id) -> Filter {
    all([MediaRow::product_id.eq(product), MediaRow::status.eq(Status::Active)])
}

/// Active media of a product but those of archived variants: what API clients see.
pub fn public(product: Id) -> Filter {
    let variants = all([VariantRow::product_id.eq(product), VariantRow::status.eq(Status::Active)]);
    let of_active = has::<VariantRow, _, _>(MediaRow::variant_id, VariantRow::id, variants);
    all([active(product), any([MediaRow::variant_id.is_null(), of_active])])
}

impl From<MediaRow> for MediaBody {
    fn from(row: MediaRow) -> MediaBody {
        let MediaRow { url, variant_id, alt_text, position, .. } = row;
        MediaBody { url, variant_id, alt_text, position }
    }
}

/// A media record as returned to users.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Media {
    #[serde(flatten)]
    head: Head,
    product_id: Id,
    #[serde(flatten)]
    body: MediaBody,
}

impl From<MediaRow> for Media {
    fn from(row: MediaRow) -> Media {
        Media { head: row.head(), product_id: row.product_id, body: row.into() }
    }
}

/// The record as an answer, audited under its product: API clients read media in lists alone.
pub fn show(row: MediaRow) -> Reply {
    let product = row.product_id;
    show_written::<Media, _>(row).subject(product)
}

impl From<MediaRow> for ApiMedia {
    fn from(row: MediaRow) -> ApiMedia {
        ApiMedia { id: row.id, status: row.status, product_id: row.product_id, body: row.into() }
    }
}

/// Event data of a media record: all members while it is active and its product is public, else ids only.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum MediaEvent {
    Public(ApiMedia),
    Hidden(PartIdentity),
}

impl MediaEvent {
    /// `is_public`: of the product, and of the variant where one is named.
    pub fn from_row(row: &MediaRow, is_public: bool) -> MediaEvent {
        match row.status == Status::Active && is_public {
            true => MediaEvent::Public(row.clone().into()),
            false => MediaEvent::Hidden(PartIdentity { id: row.id, product_id: row.product_id }),
        }
    }
}

impl EventData for MediaEvent {
    fn example() -> MediaEvent {
        MediaEvent::from_row(&MediaRow::example(), true)
    }
}
