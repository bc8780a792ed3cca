//! Products: how they are kept, and what people, API clients and events see of them.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;
use stoa_sdk::descriptor::schemas::never_null;
use stoa_sdk::{EventKind, Filter, Id, Instant, Json, Problem, Reply, all, collection, text_enum, view};
use stoa_trade::life::{Head, PublicHead};
use stoa_trade::places::CatalogProductExtensions;
use stoa_trade::{Archivable, Identity, Status, event_data, resource};

pub use stoa_trade::goods::{ApiProduct, PublicationStatus, VariantMode};

use crate::records::identity::{EXAMPLE_TIME, example_id};
use crate::records::media::{Media, MediaRow};
use crate::records::product_type::{ProductType, Tracking};
use crate::records::variant::{CreatedVariant, Variant, VariantRow};

/// Resource type of the audit entries and of the events.
pub const AUDIT: &str = "CATALOG_PRODUCT";

pub const CREATED: EventKind<ProductEvent> = EventKind::new("catalog.product.created", AUDIT, "A product was created.");
pub const UPDATED: EventKind<ProductEvent> = EventKind::new("catalog.product.updated", AUDIT, "A product was changed.");
pub const ARCHIVED: EventKind<Identity> = EventKind::new("catalog.product.archived", AUDIT, "A product was archived.");
pub const DELETED: EventKind<Identity> =
    EventKind::new("catalog.product.deleted", AUDIT, "A product that was never used was deleted.");

text_enum! {
    /// DELETED rows are never shown: records cannot be removed, so a deleted product keeps its row.
    pub enum ProductState { Active => "ACTIVE", Archived => "ARCHIVED", Deleted => "DELETED" }
}

collection! {
    pub record ProductRow in "product" {
        name: String,
        /// Null once deleted, so that it is free again.
        slug: Option<String>,
        product_type: ProductType,
        unit_code: String,
        tracking: Tracking,
        publication_status: PublicationStatus,
        status: ProductState,
        archived_at: Option<Instant>,
        variant_mode: VariantMode,
        category_id: Option<Id>,
        brand_id: Option<Id>,
        manufacturer_id: Option<Id>,
        description: Option<String>,
        short_description: Option<String>,
        attributes: Json,
        /// Null where the company states none.
        public_attributes: Option<Json>,
        /// Kept with every change of a variant, under the lock of this row; so is what follows.
        active_variants: i64,
        /// Number of variants, archived variants included.
        total_variants: i64,
        /// The only active variant, where there is exactly one.
        single_variant_id: Option<Id>,
        single_sku: Option<String>,
    }
    unique { slug: [slug] }
    index { [status, id], [category_id], [brand_id], [manufacturer_id], [unit_code] }
    search { text: [name, slug] }
    checks { variants: [active_variants >= 0, total_variants >= active_variants] }
    members { unit_code: "unitOfMeasure" }
}

/// By hand: a product has a third state, in which no caller sees it.
impl Archivable for ProductRow {
    fn status(&self) -> Status {
        if self.status == ProductState::Active { Status::Active } else { Status::Archived }
    }

    fn become_archived(&mut self, instant: Instant) {
        self.status = ProductState::Archived;
        self.archived_at = Some(instant);
    }

    fn public_head(&self) -> PublicHead {
        PublicHead {
            id: self.id,
            status: Archivable::status(self),
            created_at: self.created_at,
            updated_at: self.updated_at,
        }
    }

    fn archived_at(&self) -> Option<Instant> {
        self.archived_at
    }
}

impl ProductRow {
    /// The one active variant of a SINGLE product.
    pub fn single(&self) -> Option<(Id, &str)> {
        if self.variant_mode != VariantMode::Single {
            return None;
        }
        Some((self.single_variant_id?, self.single_sku.as_deref()?))
    }

    /// The row unless it is absent or deleted.
    ///
    /// # Errors
    /// NOT_FOUND.
    pub fn require(row: Option<ProductRow>) -> Result<ProductRow, Problem> {
        row.filter(|row| row.status != ProductState::Deleted).ok_or_else(Problem::not_found)
    }

    /// A new product of which no more is said than its name.
    pub fn new(id: Id, name: String, instant: Instant) -> ProductRow {
        ProductRow {
            id,
            version: 1,
            created_at: instant,
            updated_at: instant,
            name,
            slug: None,
            product_type: ProductType::Good,
            unit_code: String::new(),
            tracking: Tracking::None,
            publication_status: PublicationStatus::Draft,
            status: ProductState::Active,
            archived_at: None,
            variant_mode: VariantMode::Single,
            category_id: None,
            brand_id: None,
            manufacturer_id: None,
            description: None,
            short_description: None,
            attributes: Json::from_value(&json!({})),
            public_attributes: None,
            active_variants: 0,
            total_variants: 0,
            single_variant_id: None,
            single_sku: None,
        }
    }

    /// A product as there may be one: what the contract shows, and what tests begin with.
    pub fn example() -> ProductRow {
        let variant = VariantRow::example();
        ProductRow {
            slug: Some("phone".to_owned()),
            unit_code: variant.unit_code,
            publication_status: PublicationStatus::Published,
            active_variants: 1,
            total_variants: 1,
            single_variant_id: Some(variant.id),
            single_sku: Some(variant.sku),
            ..ProductRow::new(example_id(1), "Phone".to_owned(), EXAMPLE_TIME)
        }
    }
}

view! {
    /// The columns of a product that its variants and media are checked against.
    pub ProductHead of ProductRow { id: Id, status: ProductState, publication_status: PublicationStatus }
}

impl ProductHead {
    /// The head unless the product is absent or deleted.
    ///
    /// # Errors
    /// NOT_FOUND.
    pub fn require(head: Option<ProductHead>) -> Result<ProductHead, Problem> {
        head.filter(|head| head.status != ProductState::Deleted).ok_or_else(Problem::not_found)
    }

    /// # Errors
    /// NOT_FOUND unless the product is on sale.
    pub fn require_public(head: Option<&ProductHead>) -> Result<(), Problem> {
        if head.is_some_and(ProductHead::is_public) { Ok(()) } else { Err(Problem::not_found()) }
    }

    pub fn is_public(&self) -> bool {
        is_public(self.status, self.publication_status)
    }
}

view! { pub ProductId of ProductRow { id: Id } }

/// Returns whether a product may be read by API clients.
pub fn is_public(status: ProductState, publication: PublicationStatus) -> bool {
    status == ProductState::Active && publication == PublicationStatus::Published
}

/// Products on sale.
pub fn on_sale() -> Filter {
    all([ProductRow::status.eq(ProductState::Active), ProductRow::publication_status.eq(PublicationStatus::Published)])
}

resource! {
    /// A product as returned to users.
    pub struct Product of row: ProductRow, variants: Option<&[VariantRow]>, media: Option<&[MediaRow]> {
        #[serde(flatten)]
        head: Head = row.head(),
        name: String,
        slug: Option<String>,
        /// `SINGLE` for a product with one variant, else `MULTIPLE`.
        variant_mode: VariantMode,
        product_type: ProductType,
        category_id: Option<Id>,
        brand_id: Option<Id>,
        manufacturer_id: Option<Id>,
        unit_of_measure: String = row.unit_code.clone(),
        track_inventory: bool = row.tracking != Tracking::None,
        track_serials: bool = row.tracking == Tracking::Serialized,
        publication_status: PublicationStatus,
        description: Option<String>,
        short_description: Option<String>,
        attributes: Json,
        /// Attributes that API clients and events show too.
        public_attributes: Json = show_attributes(row.public_attributes.as_ref()),
        /// Number of active variants.
        #[schemars(range(min = 0))]
        variant_count: i64 = row.active_variants,
        /// SKU of the only active variant; null unless the product is SINGLE and has exactly one.
        single_sku: Option<String> = row.single().map(|(_, sku)| sku.to_owned()),
        single_variant_id: Option<Id> = row.single().map(|(id, _)| id),
        /// Present after a create that included variants, in the order of the request, and in a read with
        /// `include=variants`: the first 100 active variants.
        #[serde(skip_serializing_if = "Option::is_none")]
        variants: Option<Vec<Variant>> = variants.map(|rows| rows.iter().map(Variant::from_row).collect()),
        /// Active media; present in a read with `include=media` only.
        #[serde(skip_serializing_if = "Option::is_none")]
        media: Option<Vec<Media>> = media.map(|rows| rows.iter().map(Media::from_row).collect()),
        /// Members that extensions add; present in a read of one product only.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[schemars(transform = never_null)]
        extensions: Option<CatalogProductExtensions> = None,
    }
}

impl Product {
    /// The product without its parts.
    pub fn alone(row: &ProductRow) -> Product {
        Product::from_row(row, None, None)
    }

    /// The product with what extensions add to it.
    pub fn with_extensions(self, extensions: Option<CatalogProductExtensions>) -> Product {
        Product { extensions, ..self }
    }
}

/// Receipt of a created product.
#[derive(Serialize, JsonSchema)]
pub struct ProductReceipt {
    #[serde(flatten)]
    head: PublicHead,
    /// Variants created with it, in the order of the request.
    variants: Vec<CreatedVariant>,
}

/// The receipt of a product that was created with these variants.
pub fn show_receipt(row: &ProductRow, variants: &[VariantRow]) -> Reply {
    let variants = variants.iter().map(CreatedVariant::from_row).collect();
    Reply::json(&ProductReceipt { head: row.public_head(), variants }).of(row.id, row.version)
}

/// Attributes that are for everybody, as they are answered.
pub fn show_attributes(kept: Option<&Json>) -> Json {
    kept.cloned().unwrap_or_else(|| Json::from_value(&json!({})))
}

/// The record as API clients see it.
pub fn publish_product(row: &ProductRow) -> ApiProduct {
    ApiProduct {
        head: row.public_head(),
        name: row.name.clone(),
        slug: row.slug.clone(),
        variant_mode: row.variant_mode,
        variant_count: row.active_variants,
        single_sku: row.single().map(|(_, sku)| sku.to_owned()),
        product_type: row.product_type,
        category_id: row.category_id,
        brand_id: row.brand_id,
        manufacturer_id: row.manufacturer_id,
        unit_of_measure: row.unit_code.clone(),
        publication_status: row.publication_status,
        description: row.description.clone(),
        short_description: row.short_description.clone(),
        public_attributes: show_attributes(row.public_attributes.as_ref()),
        extensions: None,
    }
}

event_data! {
    /// Event data of a product: all members while it is active and published, else its id only.
    pub enum ProductEvent of row: ProductRow {
        Public(Box<ApiProduct>) = Box::new(publish_product(row)), if is_public(row.status, row.publication_status);
        Hidden(Identity) = Identity { id: row.id },
    }
}
