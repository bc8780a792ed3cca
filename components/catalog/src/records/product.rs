//! Products: how they are kept, and what people, API clients and events see of them.

use schemars::JsonSchema;
use serde::Serialize;
use stoa_sdk::{Filter, Id, Instant, Json, Problem, Reply, all, collection, facts, text_enum, view};

use crate::records::Status;
use crate::records::identity::Identity;
use crate::records::media::{Media, MediaRow};
use crate::records::product_type::{ProductType, Tracking};
use crate::records::variant::{Variant, VariantRow};

/// Resource type of the audit entries and of the events.
pub const AUDIT: &str = "CATALOG_PRODUCT";

text_enum! {
    /// DELETED rows are never shown: records cannot be removed, so a deleted product keeps its row.
    pub enum ProductState { Active => "ACTIVE", Archived => "ARCHIVED", Deleted => "DELETED" }
}

text_enum! {
    #[derive(Default)]
    pub enum PublicationStatus { #[default] Draft => "DRAFT", Published => "PUBLISHED" }
}

text_enum! {
    pub enum VariantMode { Single => "SINGLE", Multiple => "MULTIPLE" }
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
        /// Kept with every change of a variant, under the lock of this row; so is what follows.
        active_variants: i64,
        /// Archived ones too.
        total_variants: i64,
        /// The only active variant, where there is exactly one.
        single_variant_id: Option<Id>,
        single_sku: Option<String>,
    }
    unique { slug: [slug] }
    index { [status, id], [category_id], [brand_id], [manufacturer_id], [unit_code] }
    search { text: [name, slug] }
    checks { variants: [active_variants >= 0, total_variants >= active_variants] }
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

    /// The row unless it is archived.
    ///
    /// # Errors
    /// ARCHIVED.
    pub fn unarchived(self) -> Result<ProductRow, Problem> {
        if self.status == ProductState::Archived { Err(Problem::archived()) } else { Ok(self) }
    }
}

view! {
    /// What variants and media ask of their product.
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

/// Whether a product may be read by API clients.
pub fn is_public(status: ProductState, publication: PublicationStatus) -> bool {
    status == ProductState::Active && publication == PublicationStatus::Published
}

/// Products on sale.
pub fn on_sale() -> Filter {
    all([ProductRow::status.eq(ProductState::Active), ProductRow::publication_status.eq(PublicationStatus::Published)])
}

/// A product as people read it.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Product {
    pub id: Id,
    pub tenant_id: Id,
    pub status: Status,
    pub archived_at: Option<Instant>,
    pub created_at: Instant,
    pub updated_at: Instant,
    pub name: String,
    pub slug: Option<String>,
    /// What it is in practice.
    pub variant_mode: VariantMode,
    pub product_type: ProductType,
    pub category_id: Option<Id>,
    pub brand_id: Option<Id>,
    pub manufacturer_id: Option<Id>,
    pub unit_of_measure: String,
    pub track_inventory: bool,
    pub track_serials: bool,
    pub publication_status: PublicationStatus,
    pub description: Option<String>,
    pub short_description: Option<String>,
    pub attributes: Json,
    /// Active variants.
    #[schemars(range(min = 0))]
    pub variant_count: i64,
    /// Of a SINGLE product with exactly one active variant.
    pub single_sku: Option<String>,
    pub single_variant_id: Option<Id>,
    /// After a create that carried variants, in its order; of a read with `include=variants` the first 100 active ones.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub variants: Option<Vec<Variant>>,
    /// Of a read with `include=media`: the active ones.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub media: Option<Vec<Media>>,
}

impl Product {
    pub fn of(row: ProductRow, tenant: Id) -> Product {
        let single = row.single().map(|(id, sku)| (id, sku.to_owned()));
        Product {
            id: row.id,
            tenant_id: tenant,
            status: if row.status == ProductState::Active { Status::Active } else { Status::Archived },
            archived_at: row.archived_at,
            created_at: row.created_at,
            updated_at: row.updated_at,
            name: row.name,
            slug: row.slug,
            variant_mode: row.variant_mode,
            product_type: row.product_type,
            category_id: row.category_id,
            brand_id: row.brand_id,
            manufacturer_id: row.manufacturer_id,
            unit_of_measure: row.unit_code,
            track_inventory: row.tracking != Tracking::None,
            track_serials: row.tracking == Tracking::Serialized,
            publication_status: row.publication_status,
            description: row.description,
            short_description: row.short_description,
            attributes: row.attributes,
            variant_count: row.active_variants,
            single_variant_id: single.as_ref().map(|(id, _)| *id),
            single_sku: single.map(|(_, sku)| sku),
            variants: None,
            media: None,
        }
    }
}

/// The whole record as an answer to a person, with the parts that were asked for.
pub fn show(row: ProductRow, variants: Option<Vec<VariantRow>>, media: Option<Vec<MediaRow>>) -> Reply {
    let (id, version) = (row.id, row.version);
    let tenant = Id::from(facts().tenant);
    let variants = variants.map(|rows| rows.into_iter().map(|row| Variant::of(row, tenant)).collect());
    let media = media.map(|rows| rows.into_iter().map(|row| Media::of(row, tenant)).collect());
    Reply::json(&Product { variants, media, ..Product::of(row, tenant) }).of(id, version)
}

/// A product as API clients read it.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PublicProduct<'a> {
    id: Id,
    status: Status,
    created_at: Instant,
    updated_at: Instant,
    name: &'a str,
    slug: Option<&'a str>,
    /// What it is in practice.
    variant_mode: VariantMode,
    /// Active variants.
    #[schemars(range(min = 0))]
    variant_count: i64,
    /// Of a SINGLE product with exactly one active variant.
    single_sku: Option<&'a str>,
    product_type: ProductType,
    category_id: Option<Id>,
    brand_id: Option<Id>,
    manufacturer_id: Option<Id>,
    unit_of_measure: &'a str,
    publication_status: PublicationStatus,
    description: Option<&'a str>,
    short_description: Option<&'a str>,
}

impl PublicProduct<'_> {
    /// Of a row that is public.
    pub fn of(row: &ProductRow) -> PublicProduct<'_> {
        PublicProduct {
            id: row.id,
            status: Status::Active,
            created_at: row.created_at,
            updated_at: row.updated_at,
            name: &row.name,
            slug: row.slug.as_deref(),
            variant_mode: row.variant_mode,
            variant_count: row.active_variants,
            single_sku: row.single().map(|(_, sku)| sku),
            product_type: row.product_type,
            category_id: row.category_id,
            brand_id: row.brand_id,
            manufacturer_id: row.manufacturer_id,
            unit_of_measure: &row.unit_code,
            publication_status: row.publication_status,
            description: row.description.as_deref(),
            short_description: row.short_description.as_deref(),
        }
    }
}

/// A product in an event: whole while it is active and published, otherwise its id.
#[derive(Serialize)]
#[serde(untagged)]
pub enum ProductEvent<'a> {
    Public(Box<PublicProduct<'a>>),
    Hidden(Identity),
}

impl ProductEvent<'_> {
    pub fn of(row: &ProductRow) -> ProductEvent<'_> {
        match is_public(row.status, row.publication_status) {
            true => ProductEvent::Public(Box::new(PublicProduct::of(row))),
            false => ProductEvent::Hidden(Identity { id: row.id }),
        }
    }
}
