//! Products as they are read: by people, and by API clients the ones on sale.

use schemars::JsonSchema;
use serde::Deserialize;
use stoa_sdk::store::{get, run, select};
use stoa_sdk::{
    Answer, Call, Filter, Id, Instant, Limit, Operation, Page, Problem, Reply, Text, all, any, contains, facts, has,
    paged, text_enum,
};

use crate::records::lookup::LookupRow;
use crate::records::media;
use crate::records::product::{
    Product, ProductRow, ProductState, PublicProduct, PublicationStatus, is_public, on_sale, show,
};
use crate::records::product_type::{ProductType, Tracking};
use crate::records::variant::VariantRow;
use crate::records::{OnlyActive, Status};
use crate::rules::access::READ;

const PRODUCTS_AT: &str = "/tenants/{tenantId}/catalog/products";
const PRODUCT_AT: &str = "/tenants/{tenantId}/catalog/products/{id}";
const CLIENT_PRODUCTS_AT: &str = "/api-client/catalog/products";
const CLIENT_PRODUCT_AT: &str = "/api-client/catalog/products/{id}";

#[rustfmt::skip]
pub const OPERATIONS: &[Operation] = &[
    Operation::read(PRODUCTS_AT, "listProducts", list).summary("Products")
        .needs(READ).query::<ListProducts>().answers::<Page<Product>>(),
    Operation::read(PRODUCT_AT, "getProduct", read).summary("A product")
        .needs(READ).query::<ReadProduct>().answers::<Product>(),
    Operation::read(CLIENT_PRODUCTS_AT, "apiListProducts", api_list).summary("Products on sale")
        .description("ACTIVE and PUBLISHED ones.")
        .machine(READ).query::<ListPublicProducts>().answers::<Page<PublicProduct>>(),
    Operation::read(CLIENT_PRODUCT_AT, "apiGetProduct", api_read).summary("A product on sale")
        .machine(READ).answers::<PublicProduct>(),
];

/// Variants of a product that `include=variants` shows at most.
const INCLUDED: u32 = 100;

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

/// Products with this text in name or slug, or with a variant that has it and meets `variants`.
fn about(text: &str, variants: Filter) -> Filter {
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
    Ok(show(ProductRow::require(row)?, variants.map(|rows| rows.items), media.map(|rows| rows.items)))
}

pub fn api_list(call: &Call) -> Answer {
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

pub fn api_read(call: &Call) -> Answer {
    let row: Option<ProductRow> = run(get(call.path_id("id")?))?;
    let row = row.filter(|row| is_public(row.status, row.publication_status)).ok_or_else(Problem::not_found)?;
    Ok(Reply::json(&PublicProduct::of(&row)).of(row.id, row.version))
}
