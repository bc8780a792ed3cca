//! Products as they are kept, read and listed.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use stoa_sdk::store::{get, run, select};
use stoa_sdk::{
    Answer, Call, Filter, Id, Instant, Json, Limit, Page, Problem, Reply, Text, all, any, collection, contains, facts,
    has, paged, text_enum, view,
};

use crate::lookup::{LookupRow, Status};
use crate::media::{self, Media, MediaRow};
use crate::public;
use crate::variant::{Variant, VariantRow};

text_enum! {
    /// DELETED rows are never shown: records cannot be removed, so a deleted product keeps its row.
    pub enum ProductState { Active => "ACTIVE", Archived => "ARCHIVED", Deleted => "DELETED" }
}

text_enum! {
    pub enum ProductType { Good => "GOOD", Service => "SERVICE" }
}

text_enum! {
    #[derive(Default)]
    pub enum PublicationStatus { #[default] Draft => "DRAFT", Published => "PUBLISHED" }
}

text_enum! {
    pub enum VariantMode { Single => "SINGLE", Multiple => "MULTIPLE" }
}

text_enum! {
    /// How stock of the product is counted.
    pub enum Tracking { None => "NONE", Quantity => "QUANTITY", Serialized => "SERIALIZED" }
}

/// Variants of a product that `include=variants` shows at most.
const INCLUDED: u32 = 100;

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
    pub fn shown(row: Option<ProductRow>) -> Result<ProductRow, Problem> {
        row.filter(|row| row.status != ProductState::Deleted).ok_or_else(Problem::not_found)
    }

    /// The locked row, if it may be changed by this call.
    ///
    /// # Errors
    /// NOT_FOUND, PRECONDITION_FAILED, ARCHIVED.
    pub fn writable(call: &Call, row: Option<ProductRow>) -> Result<ProductRow, Problem> {
        let row = ProductRow::shown(row)?;
        call.matches(row.id, row.version)?;
        row.unarchived()
    }

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
    pub fn shown(head: Option<ProductHead>) -> Result<ProductHead, Problem> {
        head.filter(|head| head.status != ProductState::Deleted).ok_or_else(Problem::not_found)
    }

    pub fn is_public(&self) -> bool {
        public::is_public(self.status, self.publication_status)
    }
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

/// The whole record as an answer, with the parts that were asked for.
pub fn answer(row: ProductRow, variants: Option<Vec<VariantRow>>, media: Option<Vec<MediaRow>>) -> Reply {
    let (id, version) = (row.id, row.version);
    let tenant = Id::from(facts().tenant);
    let variants = variants.map(|rows| rows.into_iter().map(|row| Variant::of(row, tenant)).collect());
    let media = media.map(|rows| rows.into_iter().map(|row| Media::of(row, tenant)).collect());
    Reply::json(&Product { variants, media, ..Product::of(row, tenant) }).of(id, version)
}

/// What a delete answers.
#[derive(Serialize, JsonSchema)]
pub struct DeletedProduct {
    pub id: Id,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ListProducts {
    cursor: Option<Id>,
    #[serde(default)]
    limit: Limit,
    #[serde(default)]
    status: Status,
    /// Part of the name or slug, or of a variant's SKU, barcode, model number or alias, in any case.
    text: Option<Text<1, 200>>,
    category_id: Option<Id>,
    /// With `categoryId`: its descendants too.
    #[serde(default)]
    deep: bool,
    brand_id: Option<Id>,
    manufacturer_id: Option<Id>,
    product_type: Option<ProductType>,
    publication_status: Option<PublicationStatus>,
    track_serials: Option<bool>,
}

impl ListProducts {
    fn filter(&self) -> Filter {
        let status = match self.status {
            Status::Active => ProductState::Active,
            Status::Archived => ProductState::Archived,
        };
        let category = |id: Id| match self.deep {
            true => {
                has::<LookupRow, _, _>(ProductRow::category_id, LookupRow::id, contains("lineage", &id.to_string()))
            }
            false => ProductRow::category_id.eq(id),
        };
        let serials = |serials: bool| match serials {
            true => ProductRow::tracking.eq(Tracking::Serialized),
            false => ProductRow::tracking.ne(Tracking::Serialized),
        };
        let wanted = [
            self.text.as_deref().map(|text| about(text, Filter::default())),
            self.category_id.map(category),
            self.brand_id.map(|id| ProductRow::brand_id.eq(id)),
            self.manufacturer_id.map(|id| ProductRow::manufacturer_id.eq(id)),
            self.product_type.map(|kind| ProductRow::product_type.eq(kind)),
            self.publication_status.map(|status| ProductRow::publication_status.eq(status)),
            self.track_serials.map(serials),
        ];
        all([ProductRow::status.eq(status)].into_iter().chain(wanted.into_iter().flatten()))
    }
}

/// Products with this text in name or slug, or with a variant that has it and meets `variants`.
pub fn about(text: &str, variants: Filter) -> Filter {
    let variants = all([contains("text", text), variants]);
    any([contains("text", text), has::<VariantRow, _, _>(ProductRow::id, VariantRow::product_id, variants)])
}

pub fn list(call: &Call) -> Answer {
    let query: ListProducts = call.query()?;
    let filter = query.filter();
    let rows = paged(query.limit, |limit| run(select::<ProductRow>(filter.clone()).after(query.cursor).limit(limit)))?;
    let tenant = Id::from(facts().tenant);
    Ok(Reply::json(&Page::of(rows.items, rows.more, |row| row.id, |row| Product::of(row, tenant))))
}

text_enum! {
    /// Parts of a product, in either order.
    pub enum Included {
        Variants => "variants", Media => "media",
        VariantsAndMedia => "variants,media", MediaAndVariants => "media,variants",
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReadProduct {
    /// What to answer with the product.
    include: Option<Included>,
}

pub fn read(call: &Call) -> Answer {
    let id = call.path_id("id")?;
    let ReadProduct { include } = call.query()?;
    let variants = all([VariantRow::product_id.eq(id), VariantRow::status.eq(Status::Active)]);
    let variants = include.filter(|parts| *parts != Included::Media).map(|_| select(variants).limit(INCLUDED));
    let media = include.filter(|parts| *parts != Included::Variants).map(|_| select(media::active(id)));
    let (row, variants, media) = run((get(id), variants, media))?;
    Ok(answer(ProductRow::shown(row)?, variants.map(|rows| rows.items), media.map(|rows| rows.items)))
}
