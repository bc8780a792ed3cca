//! What may be seen without a person's rights: the projections of machine reads and of events. No tenant, no archive fields,
//! no free attributes, no aliases, no tracking.

use schemars::JsonSchema;
use serde::Serialize;
use stoa_sdk::{Id, Instant};

use crate::lookup::{LookupRow, Status};
use crate::media::MediaRow;
use crate::product::{ProductRow, ProductState, ProductType, PublicationStatus, VariantMode};
use crate::variant::{Condition, Grade, SimType, VariantRow};

/// All that is told of a record that is not public.
#[derive(Serialize)]
pub struct Identity {
    pub id: Id,
}

/// A variant or medium that is not public.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PartIdentity {
    pub id: Id,
    pub product_id: Id,
}

/// A lookup or unit as API clients read it.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PublicCatalogLookup<'a> {
    id: Id,
    name: &'a str,
    code: &'a str,
    /// Units only.
    #[serde(skip_serializing_if = "Option::is_none")]
    decimal_places: Option<i64>,
}

impl PublicCatalogLookup<'_> {
    pub fn of(row: &LookupRow) -> PublicCatalogLookup<'_> {
        PublicCatalogLookup { id: row.id, name: &row.name, code: &row.code, decimal_places: row.decimal_places }
    }
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

/// Whether a product may be read by API clients.
pub fn is_public(status: ProductState, publication: PublicationStatus) -> bool {
    status == ProductState::Active && publication == PublicationStatus::Published
}

/// A product in an event: whole while it is active and published, otherwise its id.
#[derive(Serialize)]
#[serde(untagged)]
pub enum Product<'a> {
    Public(Box<PublicProduct<'a>>),
    Hidden(Identity),
}

impl Product<'_> {
    pub fn of(row: &ProductRow) -> Product<'_> {
        match is_public(row.status, row.publication_status) {
            true => Product::Public(Box::new(PublicProduct::of(row))),
            false => Product::Hidden(Identity { id: row.id }),
        }
    }
}

/// A variant as API clients read it.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PublicVariant<'a> {
    id: Id,
    status: Status,
    created_at: Instant,
    updated_at: Instant,
    product_id: Id,
    sku: &'a str,
    barcode: Option<&'a str>,
    model_number: Option<&'a str>,
    storage: Option<&'a str>,
    color: Option<&'a str>,
    condition: Option<Condition>,
    grade: Option<Grade>,
    sim_type: SimType,
}

impl PublicVariant<'_> {
    pub fn of(row: &VariantRow) -> PublicVariant<'_> {
        PublicVariant {
            id: row.id,
            status: row.status,
            created_at: row.created_at,
            updated_at: row.updated_at,
            product_id: row.product_id,
            sku: &row.sku,
            barcode: row.barcode.as_deref(),
            model_number: row.model_number.as_deref(),
            storage: row.storage.as_deref(),
            color: row.color.as_deref(),
            condition: row.condition,
            grade: row.grade,
            sim_type: row.sim_type,
        }
    }
}

/// A variant in an event: whole while it is active under a public product, otherwise ids.
#[derive(Serialize)]
#[serde(untagged)]
pub enum Variant<'a> {
    Public(PublicVariant<'a>),
    Hidden(PartIdentity),
}

impl Variant<'_> {
    pub fn of(row: &VariantRow, product_is_public: bool) -> Variant<'_> {
        match row.status == Status::Active && product_is_public {
            true => Variant::Public(PublicVariant::of(row)),
            false => Variant::Hidden(PartIdentity { id: row.id, product_id: row.product_id }),
        }
    }
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
pub enum Media<'a> {
    Public(PublicMedia<'a>),
    Hidden(PartIdentity),
}

impl Media<'_> {
    /// `is_public`: of the product, and of the variant where one is named.
    pub fn of(row: &MediaRow, is_public: bool) -> Media<'_> {
        match row.status == Status::Active && is_public {
            true => Media::Public(PublicMedia::of(row)),
            false => Media::Hidden(PartIdentity { id: row.id, product_id: row.product_id }),
        }
    }
}
