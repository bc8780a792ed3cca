//! The catalog as API clients see it: reads show what is on sale and no more, writes are those of people and answer a receipt.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use stoa_sdk::store::{get, run, select};
use stoa_sdk::{
    Answer, Call, Filter, Id, Instant, Limit, Page, Problem, Reply, Text, all, any, contains, has, paged, text_enum,
};

use crate::lookup::{self, LookupPath, LookupRow, Status};
use crate::media::{self, MediaRow};
use crate::product::{ProductHead, ProductRow, ProductState, PublicationStatus, about};
use crate::public::{self, PublicCatalogLookup, PublicMedia, PublicProduct, PublicVariant};
use crate::variant::VariantRow;
use crate::{product_change, product_create, variant_change};

text_enum! {
    /// API clients read nothing else.
    #[derive(Default)]
    pub enum OnlyActive { #[default] Active => "ACTIVE" }
}

/// What a write answers.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct WriteReceipt {
    id: Id,
    status: Status,
    created_at: Instant,
    updated_at: Instant,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ListPublicLookups {
    cursor: Option<Id>,
    #[serde(default)]
    limit: Limit,
    /// Only ACTIVE ones are shown.
    #[serde(default)]
    #[allow(dead_code, reason = "there is one status to ask for")]
    status: OnlyActive,
    /// Part of the name or code, in any case.
    text: Option<Text<1, 200>>,
    /// Changed at or after this instant.
    updated_since: Option<Instant>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ListPublicProducts {
    cursor: Option<Id>,
    #[serde(default)]
    limit: Limit,
    /// Only ACTIVE ones are shown.
    #[serde(default)]
    #[allow(dead_code, reason = "there is one status to ask for")]
    status: OnlyActive,
    /// Part of the name or slug, or of an active variant's SKU, barcode, model number or alias, in any case.
    text: Option<Text<1, 200>>,
    category_id: Option<Id>,
    brand_id: Option<Id>,
    manufacturer_id: Option<Id>,
    /// Changed at or after this instant, by a change of which variants are active too. Products that were taken off sale are
    /// no longer shown: events tell of them.
    updated_since: Option<Instant>,
}

/// Variants or media of a product.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ListPublicParts {
    cursor: Option<Id>,
    #[serde(default)]
    limit: Limit,
    /// Only ACTIVE ones are shown.
    #[serde(default)]
    #[allow(dead_code, reason = "there is one status to ask for")]
    status: OnlyActive,
    /// Changed at or after this instant.
    updated_since: Option<Instant>,
}

/// Products on sale.
fn on_sale() -> Filter {
    all([ProductRow::status.eq(ProductState::Active), ProductRow::publication_status.eq(PublicationStatus::Published)])
}

pub fn list_lookups(call: &Call) -> Answer {
    let LookupPath { kind } = call.path()?;
    let query: ListPublicLookups = call.query()?;
    let wanted = [
        query.text.as_deref().map(|text| contains("text", text)),
        query.updated_since.map(|since| LookupRow::updated_at.ge(since)),
    ];
    let of_kind = [LookupRow::kind.eq(kind), LookupRow::status.eq(Status::Active)];
    let filter = all(of_kind.into_iter().chain(wanted.into_iter().flatten()));
    let rows = paged(query.limit, |limit| run(select::<LookupRow>(filter.clone()).after(query.cursor).limit(limit)))?;
    Ok(Reply::json(&Page::of(&rows.items, rows.more, |row| row.id, PublicCatalogLookup::of)))
}

pub fn list_products(call: &Call) -> Answer {
    let query: ListPublicProducts = call.query()?;
    let wanted = [
        query.text.as_deref().map(|text| about(text, VariantRow::status.eq(Status::Active))),
        query.category_id.map(|id| ProductRow::category_id.eq(id)),
        query.brand_id.map(|id| ProductRow::brand_id.eq(id)),
        query.manufacturer_id.map(|id| ProductRow::manufacturer_id.eq(id)),
        query.updated_since.map(|since| ProductRow::updated_at.ge(since)),
    ];
    let filter = all([on_sale()].into_iter().chain(wanted.into_iter().flatten()));
    let rows = paged(query.limit, |limit| run(select::<ProductRow>(filter.clone()).after(query.cursor).limit(limit)))?;
    Ok(Reply::json(&Page::of(&rows.items, rows.more, |row| row.id, PublicProduct::of)))
}

pub fn read_product(call: &Call) -> Answer {
    let row: Option<ProductRow> = run(get(call.path_id("id")?))?;
    let row = row.filter(|row| public::is_public(row.status, row.publication_status)).ok_or_else(Problem::not_found)?;
    Ok(Reply::json(&PublicProduct::of(&row)).of(row.id, row.version))
}

/// # Errors
/// NOT_FOUND unless the product is on sale.
fn shown(product: Option<&ProductHead>) -> Result<(), Problem> {
    if product.is_some_and(ProductHead::is_public) { Ok(()) } else { Err(Problem::not_found()) }
}

pub fn list_variants(call: &Call) -> Answer {
    let product_id = call.path_id("productId")?;
    let query: ListPublicParts = call.query()?;
    let since = query.updated_since.map(|since| VariantRow::updated_at.ge(since));
    let active = [VariantRow::product_id.eq(product_id), VariantRow::status.eq(Status::Active)];
    let filter = all(active.into_iter().chain(since));
    let (product, rows) = paged(query.limit, |limit| {
        run((get(product_id), select::<VariantRow>(filter.clone()).after(query.cursor).limit(limit)))
    })?;
    shown(product.as_ref())?;
    Ok(Reply::json(&Page::of(&rows.items, rows.more, |row| row.id, PublicVariant::of)))
}

pub fn read_variant(call: &Call) -> Answer {
    let id = call.path_id("id")?;
    let product = has::<VariantRow, _, _>(ProductRow::id, VariantRow::product_id, VariantRow::id.eq(id));
    let (row, product) = run((get::<VariantRow>(id), select(product).limit(1)))?;
    shown(product.items.first())?;
    let row = row.filter(|row| row.status == Status::Active).ok_or_else(Problem::not_found)?;
    Ok(Reply::json(&PublicVariant::of(&row)).of(row.id, row.version))
}

/// Media of archived variants are hidden.
pub fn list_media(call: &Call) -> Answer {
    let product_id = call.path_id("productId")?;
    let query: ListPublicParts = call.query()?;
    let variants = all([VariantRow::product_id.eq(product_id), VariantRow::status.eq(Status::Active)]);
    let of_active = has::<VariantRow, _, _>(MediaRow::variant_id, VariantRow::id, variants);
    let since = query.updated_since.map(|since| MediaRow::updated_at.ge(since));
    let active = [media::active(product_id), any([MediaRow::variant_id.is_null(), of_active])];
    let filter = all(active.into_iter().chain(since));
    let (product, rows) = paged(query.limit, |limit| {
        run((get(product_id), select::<MediaRow>(filter.clone()).after(query.cursor).limit(limit)))
    })?;
    shown(product.as_ref())?;
    Ok(Reply::json(&Page::of(&rows.items, rows.more, |row| row.id, PublicMedia::of)))
}

/// A written record is always active: clients archive nothing here.
fn receipt(id: Id, version: i64, created_at: Instant, updated_at: Instant) -> Reply {
    Reply::json(&WriteReceipt { id, status: Status::Active, created_at, updated_at }).of(id, version)
}

pub fn create_lookup(call: &Call) -> Answer {
    let row = lookup::created(call)?;
    Ok(receipt(row.id, row.version, row.created_at, row.updated_at))
}

pub fn replace_lookup(call: &Call) -> Answer {
    let (row, changed) = lookup::replaced(call)?;
    Ok(receipt(row.id, row.version, row.created_at, row.updated_at).changed(changed))
}

pub fn create_product(call: &Call) -> Answer {
    let row = product_create::created(call)?.row;
    Ok(receipt(row.id, row.version, row.created_at, row.updated_at))
}

pub fn replace_product(call: &Call) -> Answer {
    let (row, changed) = product_change::replaced(call)?;
    Ok(receipt(row.id, row.version, row.created_at, row.updated_at).changed(changed))
}

pub fn create_variant(call: &Call) -> Answer {
    let row = variant_change::created(call)?;
    Ok(receipt(row.id, row.version, row.created_at, row.updated_at).subject(row.product_id))
}

pub fn replace_variant(call: &Call) -> Answer {
    let (row, changed) = variant_change::replaced(call)?;
    Ok(receipt(row.id, row.version, row.created_at, row.updated_at).subject(row.product_id).changed(changed))
}

pub fn create_media(call: &Call) -> Answer {
    let row = media::created(call)?;
    Ok(receipt(row.id, row.version, row.created_at, row.updated_at).subject(row.product_id))
}

pub fn replace_media(call: &Call) -> Answer {
    let (row, changed) = media::replaced(call)?;
    Ok(receipt(row.id, row.version, row.created_at, row.updated_at).subject(row.product_id).changed(changed))
}
