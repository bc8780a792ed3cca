//! Variants: what is sold and counted. How they are kept, and what people, API clients and events see of them.

use serde_json::json;
use stoa_sdk::{EventKind, Id, Instant, Json, Reply, collection, view};
use stoa_trade::goods::VariantBody;
use stoa_trade::life::Head;
use stoa_trade::{Archivable, Status, archivable, event_data, resource};

pub use stoa_trade::goods::{ApiVariant, Condition, Grade, SimType};

use crate::records::identity::{EXAMPLE_TIME, PartIdentity, example_id};
use crate::records::product::show_attributes;
use crate::records::product_type::{ProductType, Tracking};
use crate::records::receipt::show_written;

/// Resource type of the audit entries and of the events.
pub const AUDIT: &str = "CATALOG_VARIANT";

pub const CREATED: EventKind<VariantEvent> = EventKind::new("catalog.variant.created", AUDIT, "A variant was created.");
pub const UPDATED: EventKind<VariantEvent> =
    EventKind::new("catalog.variant.updated", AUDIT, "A variant was replaced.");
pub const ARCHIVED: EventKind<PartIdentity> =
    EventKind::new("catalog.variant.archived", AUDIT, "A variant was archived.");

/// Variants of a product at most, archived ones included: what one call can list or archive.
pub const MOST_VARIANTS: i64 = 2_000;

collection! {
    pub record VariantRow in "variant" {
        product_id: Id,
        sku: String,
        barcode: Option<String>,
        model_number: Option<String>,
        storage: Option<String>,
        color: Option<String>,
        condition: Option<Condition>,
        grade: Option<Grade>,
        sim_type: SimType,
        attributes: Json,
        /// Null where the company states none.
        public_attributes: Option<Json>,
        aliases: Json,
        /// The aliases one after the other, to be searched.
        alias_text: Option<String>,
        status: Status,
        archived_at: Option<Instant>,
        /// Copies of what the product cannot change once a variant exists.
        product_type: ProductType,
        unit_code: String,
        tracking: Tracking,
    }
    unique { sku: [sku] }
    index { [product_id, status], [barcode] }
    search { text: [sku, barcode, model_number, alias_text] }
    fixed [product_id, sku]
    members { aliases: "searchAliases", alias_text: "searchAliases" }
}
archivable!(VariantRow);

impl VariantRow {
    /// A new variant of which no more is said than its SKU.
    pub fn new(id: Id, sku: String, product_id: Id, instant: Instant) -> VariantRow {
        VariantRow {
            id,
            version: 1,
            created_at: instant,
            updated_at: instant,
            product_id,
            sku,
            barcode: None,
            model_number: None,
            storage: None,
            color: None,
            condition: None,
            grade: None,
            sim_type: SimType::default(),
            attributes: Json::from_value(&json!({})),
            public_attributes: None,
            aliases: Json::from_value(&json!([])),
            alias_text: None,
            status: Status::Active,
            archived_at: None,
            product_type: ProductType::Good,
            unit_code: String::new(),
            tracking: Tracking::None,
        }
    }

    /// A variant as there may be one, of the product of the same name: what the contract shows, and what tests begin with.
    pub fn example() -> VariantRow {
        VariantRow {
            barcode: Some("0195949036187".to_owned()),
            color: Some("Black".to_owned()),
            unit_code: "UNIT".to_owned(),
            ..VariantRow::new(example_id(2), "PHONE-BLACK".to_owned(), example_id(1), EXAMPLE_TIME)
        }
    }
}

view! { pub VariantId of VariantRow { id: Id } }

fn describe_variant(row: &VariantRow) -> VariantBody {
    VariantBody {
        product_id: row.product_id,
        sku: row.sku.clone(),
        barcode: row.barcode.clone(),
        model_number: row.model_number.clone(),
        storage: row.storage.clone(),
        color: row.color.clone(),
        condition: row.condition,
        grade: row.grade,
        sim_type: row.sim_type,
    }
}

resource! {
    /// A variant as returned to users.
    pub struct Variant of row: VariantRow {
        #[serde(flatten)]
        head: Head = row.head(),
        #[serde(flatten)]
        body: VariantBody = describe_variant(row),
        attributes: Json,
        /// Attributes that API clients and events show too.
        public_attributes: Json = show_attributes(row.public_attributes.as_ref()),
        #[schemars(with = "Vec<String>")]
        search_aliases: Json = row.aliases.clone(),
    }
}

resource! {
    /// A variant that was created.
    pub struct CreatedVariant of row: VariantRow {
        id: Id,
        sku: String,
    }
}

/// The record that was written as an answer, audited under its product.
pub fn show(row: &VariantRow) -> Reply {
    show_written(row, Variant::from_row).subject(row.product_id)
}

/// The record as API clients see it.
pub fn publish_variant(row: &VariantRow) -> ApiVariant {
    let public_attributes = show_attributes(row.public_attributes.as_ref());
    ApiVariant { head: row.public_head(), body: describe_variant(row), public_attributes }
}

event_data! {
    /// Event data of a variant: all members while it is active and its product is public, else ids only.
    pub enum VariantEvent of row: VariantRow, is_public {
        Public(ApiVariant) = publish_variant(row), if row.status == Status::Active && is_public;
        Hidden(PartIdentity) = PartIdentity { id: row.id, product_id: row.product_id },
    }
}
