//! Variants: what is sold and counted. How they are kept, and what people, API clients and events see of them.

use schemars::JsonSchema;
use serde::Serialize;
use stoa_sdk::{Id, Instant, Json, Reply, collection, facts, text_enum, view};

use crate::records::Status;
use crate::records::identity::PartIdentity;
use crate::records::product_type::{ProductType, Tracking};

/// Resource type of the audit entries and of the events.
pub const AUDIT: &str = "CATALOG_VARIANT";

text_enum! {
    pub enum Condition {
        New => "NEW", Used => "USED", Refurbished => "REFURBISHED", OpenBox => "OPEN_BOX", AsIs => "AS_IS",
    }
}

text_enum! {
    pub enum Grade { A => "A", B => "B", C => "C" }
}

text_enum! {
    #[derive(Default)]
    pub enum SimType {
        Esim => "ESIM", PhysicalSim => "PHYSICAL_SIM", PhysicalEsim => "PHYSICAL_ESIM", DualSim => "DUAL_SIM",
        #[default] NotApplicable => "NOT_APPLICABLE",
    }
}

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
}

view! { pub VariantId of VariantRow { id: Id } }

/// A variant as people read it.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Variant {
    pub id: Id,
    pub tenant_id: Id,
    pub status: Status,
    pub archived_at: Option<Instant>,
    pub created_at: Instant,
    pub updated_at: Instant,
    pub product_id: Id,
    pub sku: String,
    pub barcode: Option<String>,
    pub model_number: Option<String>,
    pub storage: Option<String>,
    pub color: Option<String>,
    pub condition: Option<Condition>,
    pub grade: Option<Grade>,
    pub sim_type: SimType,
    pub attributes: Json,
    #[schemars(with = "Vec<String>")]
    pub search_aliases: Json,
}

impl Variant {
    pub fn of(row: VariantRow, tenant: Id) -> Variant {
        Variant {
            id: row.id,
            tenant_id: tenant,
            status: row.status,
            archived_at: row.archived_at,
            created_at: row.created_at,
            updated_at: row.updated_at,
            product_id: row.product_id,
            sku: row.sku,
            barcode: row.barcode,
            model_number: row.model_number,
            storage: row.storage,
            color: row.color,
            condition: row.condition,
            grade: row.grade,
            sim_type: row.sim_type,
            attributes: row.attributes,
            search_aliases: row.aliases,
        }
    }
}

/// The whole record as an answer to a person; audited under its product.
pub fn show(row: VariantRow) -> Reply {
    let (id, version, product) = (row.id, row.version, row.product_id);
    Reply::json(&Variant::of(row, facts().tenant.into())).of(id, version).subject(product)
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
pub enum VariantEvent<'a> {
    Public(PublicVariant<'a>),
    Hidden(PartIdentity),
}

impl VariantEvent<'_> {
    pub fn of(row: &VariantRow, product_is_public: bool) -> VariantEvent<'_> {
        match row.status == Status::Active && product_is_public {
            true => VariantEvent::Public(PublicVariant::of(row)),
            false => VariantEvent::Hidden(PartIdentity { id: row.id, product_id: row.product_id }),
        }
    }
}
