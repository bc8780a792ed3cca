//! Media: addresses of pictures and other files of a product, or of one of its variants. Only metadata: nothing is fetched. How
//! they are kept, and what people, API clients and events see of them.

use stoa_sdk::{EventKind, Filter, Id, Instant, Reply, all, any, collection, has, view};
use stoa_trade::goods::MediaBody;
use stoa_trade::life::Head;
use stoa_trade::{Archivable, Status, archivable, event_data, resource};

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

fn describe_medium(row: &MediaRow) -> MediaBody {
    let MediaRow { url, variant_id, alt_text, position, .. } = row.clone();
    MediaBody { url, variant_id, alt_text, position }
}

resource! {
    /// A media record as returned to users.
    pub struct Media of row: MediaRow {
        #[serde(flatten)]
        head: Head = row.head(),
        product_id: Id,
        #[serde(flatten)]
        body: MediaBody = describe_medium(row),
    }
}

/// The record as an answer, audited under its product: API clients read media only in lists.
pub fn show(row: &MediaRow) -> Reply {
    show_written(row, Media::from_row).subject(row.product_id)
}

/// The record as API clients see it.
pub fn publish_medium(row: &MediaRow) -> ApiMedia {
    ApiMedia { id: row.id, status: row.status, product_id: row.product_id, body: describe_medium(row) }
}

event_data! {
    /// Event data of a media record: all members while it is active and its product is public, else ids only.
    pub enum MediaEvent of row: MediaRow, is_public {
        Public(ApiMedia) = publish_medium(row), if row.status == Status::Active && is_public;
        Hidden(PartIdentity) = PartIdentity { id: row.id, product_id: row.product_id },
    }
}
