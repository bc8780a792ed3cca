//! What may be seen without a person's rights: the projections of machine reads and of events. No tenant, no archive fields,
//! no free attributes, no tracking.

use serde::Serialize;
use stoa_sdk::{Id, Instant};

use crate::lookup::{LookupRow, Status};
use crate::product::{ProductRow, ProductState, ProductType, PublicationStatus, VariantMode};
use crate::variant::{Condition, Grade, SimType, VariantRow};

/// All that is told of a record that is not public.
#[derive(Serialize)]
pub struct Identity {
    pub id: Id,
}

/// A variant that is not public.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct VariantIdentity {
    pub id: Id,
    pub product_id: Id,
}

/// A lookup or unit.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Lookup<'a> {
    id: Id,
    name: &'a str,
    code: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    decimal_places: Option<i64>,
}

impl Lookup<'_> {
    pub fn of(row: &LookupRow) -> Lookup<'_> {
        Lookup { id: row.id, name: &row.name, code: &row.code, decimal_places: row.decimal_places }
    }
}

/// A product: whole while it is active and published, otherwise its id.
#[derive(Serialize)]
#[serde(untagged)]
pub enum Product<'a> {
    Public(Box<PublicProduct<'a>>),
    Hidden(Identity),
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PublicProduct<'a> {
    id: Id,
    status: Status,
    created_at: Instant,
    updated_at: Instant,
    name: &'a str,
    slug: Option<&'a str>,
    variant_mode: VariantMode,
    variant_count: i64,
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

/// Whether a product may be read by machines.
pub fn is_public(status: ProductState, publication: PublicationStatus) -> bool {
    status == ProductState::Active && publication == PublicationStatus::Published
}

impl Product<'_> {
    pub fn of(row: &ProductRow) -> Product<'_> {
        if !is_public(row.status, row.publication_status) {
            return Product::Hidden(Identity { id: row.id });
        }
        Product::Public(Box::new(PublicProduct {
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
        }))
    }
}

/// A variant: whole while it is active under a public product, otherwise ids.
#[derive(Serialize)]
#[serde(untagged)]
pub enum Variant<'a> {
    Public(PublicVariant<'a>),
    Hidden(VariantIdentity),
}

#[derive(Serialize)]
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

impl Variant<'_> {
    pub fn of(row: &VariantRow, product_is_public: bool) -> Variant<'_> {
        if row.status != Status::Active || !product_is_public {
            return Variant::Hidden(VariantIdentity { id: row.id, product_id: row.product_id });
        }
        Variant::Public(PublicVariant {
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
        })
    }
}
