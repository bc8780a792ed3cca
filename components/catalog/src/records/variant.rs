//! Variants: what is sold and counted. How they are kept, and what people, API clients and events see of them.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;
use stoa_sdk::{EventData, EventKind, Id, Instant, Json, Reply, collection, view};
use stoa_trade::goods::VariantBody;
use stoa_trade::life::Head;
use stoa_trade::{Archivable, Status, archivable};

pub use stoa_trade::goods::{ApiVariant, Condition, Grade, SimType};

use crate::records::identity::{EXAMPLE_TIME, PartIdentity, example_id};
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

impl From<VariantRow> for VariantBody {
    fn from(row: VariantRow) -> VariantBody {
        VariantBody {
            product_id: row.product_id,
            sku: row.sku,
            barcode: row.barcode,
            model_number: row.model_number,
            storage: row.storage,
            color: row.color,
            condition: row.condition,
            grade: row.grade,
            sim_type: row.sim_type,
        }
    }
}

/// A variant as returned to users.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Variant {
    #[serde(flatten)]
    head: Head,
    #[serde(flatten)]
    body: VariantBody,
    attributes: Json,
    #[schemars(with = "Vec<String>")]
    search_aliases: Json,
}

impl From<VariantRow> for Variant {
    fn from(row: VariantRow) -> Variant {
        let (attributes, search_aliases) = (row.attributes.clone(), row.aliases.clone());
        Variant { head: row.head(), attributes, search_aliases, body: row.into() }
    }
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

/// The record that was written as an answer, audited under its product.
pub fn show(row: VariantRow) -> Reply {
    let product = row.product_id;
    show_written::<Variant, _>(row).subject(product)
}

impl From<VariantRow> for ApiVariant {
    fn from(row: VariantRow) -> ApiVariant {
        ApiVariant { head: row.public_head(), body: row.into() }
    }
}

/// Event data of a variant: all members while it is active and its product is public, else ids only.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum VariantEvent {
    Public(ApiVariant),
    Hidden(PartIdentity),
}

impl VariantEvent {
    pub fn from_row(row: &VariantRow, product_is_public: bool) -> VariantEvent {
        match row.status == Status::Active && product_is_public {
            true => VariantEvent::Public(row.clone().into()),
            false => VariantEvent::Hidden(PartIdentity { id: row.id, product_id: row.product_id }),
        }
    }
}

impl EventData for VariantEvent {
    fn example() -> VariantEvent {
        VariantEvent::from_row(&VariantRow::example(), true)
    }
}
