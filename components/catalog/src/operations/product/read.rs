//! Products as they are read: by people, and by API clients the ones on sale; API clients that write the catalog read drafts too.

use schemars::JsonSchema;
use serde::Deserialize;
use stoa_sdk::store::{get, run, select};
use stoa_sdk::{
    Answer, Call, Client, Filter, Id, Instant, Operation, Page, Problem, Text, all, any, contains, has, text_enum,
};
use stoa_trade::ids::{Ids, among};
use stoa_trade::lists::{changed_since, equals};
use stoa_trade::places::CatalogProductExtensions;
use stoa_trade::{Caller, Status, client_query, list_query, points};

use crate::records::lookup::LookupRow;
use crate::records::media;
use crate::records::permission::READ;
use crate::records::product::{
    ApiProduct, Product, ProductRow, ProductState, PublicationStatus, is_public, on_sale, publish_product,
};
use crate::records::product_type::{ProductType, Tracking};
use crate::records::variant::VariantRow;
use crate::rules::access::{may_read_every_state, require_may_list_drafts};

#[rustfmt::skip]
pub const OPERATIONS: &[Operation] = &[
    Operation::read("/catalog/products", "listProducts", list).summary("Products")
        .needs(READ).query::<ListUserProducts>().answers::<Page<Product>>()
        .and_client(Client::new(READ).summary("Products on sale").description("Lists products that are ACTIVE and \
            PUBLISHED; with `drafts`, the DRAFT ones too.")
            .query::<ListApiProducts>().answers::<Page<ApiProduct>>()),
    Operation::read("/catalog/products/{id}", "getProduct", read).summary("A product")
        .needs(READ).query::<ReadProduct>().answers::<Product>().reaches(&[points::VIEWS.0]),
    // No twin of the person's: there are no parts to ask for.
    Operation::read("/catalog/products/{id}", "apiGetProduct", read).summary("A product on sale")
        .description("An API client with the scope `catalog.write` reads every product, in whatever state it is.")
        .machine(READ).answers::<ApiProduct>().reaches(&[points::VIEWS.0]),
];

/// Variants of a product that `include=variants` shows at most.
const INCLUDED: u32 = 100;

list_query! {
    pub struct ListProducts of ProductRow {
        #[serde(default)]
        status: Status = filter_by_status(status, drafts),
        /// Only these products, at most 100, separated by commas.
        ids: Option<Ids> = among(ProductRow::id, ids.as_ref()),
        /// Only this slug.
        slug: Option<Text<1, 160>> = equals(ProductRow::slug, slug.as_deref()),
        /// Only products with a variant of this SKU, ignoring case; archived variants keep their SKU.
        sku: Option<Text<1, 100>> = filter_by_sku(sku.as_deref()),
        /// Only products whose name or slug, or a variant's SKU, barcode, model number or alias, contains the text, ignoring
        /// case.
        text: Option<Text<1, 200>> = filter_by_text(text.as_deref()),
        category_id: Option<Id> = filter_by_category(category_id, deep),
        /// With `categoryId`: true includes its descendants.
        #[serde(default)]
        deep: bool = Filter::default(),
        brand_id: Option<Id>,
        manufacturer_id: Option<Id>,
        product_type: Option<ProductType>,
        publication_status: Option<PublicationStatus>,
        track_serials: Option<bool> = track_serials.map(filter_by_serials).unwrap_or_default(),
        /// Only products changed at or after this instant; a change of which variants are active counts.
        updated_since: Option<Instant> = changed_since(ProductRow::updated_at, updated_since),
        /// True includes products that are not published. Requires the scope `catalog.write`.
        #[serde(default)]
        drafts: bool = Filter::default(),
    }
}

client_query! {
    /// Users ask for drafts by `publicationStatus`.
    ListUserProducts of ListProducts without ["drafts"]
}

client_query! {
    ListApiProducts of active ListProducts without ["deep", "productType", "publicationStatus", "trackSerials"] but {
        "sku": "Only products with an active variant of this SKU, ignoring case.",
        "text": "Only products whose name or slug, or an active variant's SKU, barcode, model number or alias, \
            contains the text, ignoring case.",
        "updatedSince": "Only products changed at or after this instant; a change of which variants are active counts. \
            Products that were taken off sale are in `GET /api-client/catalog/removals`.",
    }
}

/// API clients find products on sale, and drafts where they ask for them.
fn filter_by_status(status: Status, drafts: bool) -> Filter {
    match (Caller::current(), status) {
        (Caller::Client, _) if !drafts => on_sale(),
        (_, Status::Active) => ProductRow::status.eq(ProductState::Active),
        (_, Status::Archived) => ProductRow::status.eq(ProductState::Archived),
    }
}

/// Products with a variant that meets the filter; API clients find them only by active variants.
fn filter_by_variant(variant: Filter) -> Filter {
    let active = Caller::current().is_client().then(|| VariantRow::status.eq(Status::Active));
    let variants = all([variant].into_iter().chain(active));
    has::<VariantRow, _, _>(ProductRow::id, VariantRow::product_id, variants)
}

fn filter_by_sku(sku: Option<&str>) -> Filter {
    sku.map(|sku| filter_by_variant(VariantRow::sku.eq(sku.to_uppercase()))).unwrap_or_default()
}

/// Products with this text in name or slug, or with a variant that has it.
fn filter_by_text(text: Option<&str>) -> Filter {
    let about = |text| any([contains("text", text), filter_by_variant(contains("text", text))]);
    text.map(about).unwrap_or_default()
}

fn filter_by_category(category: Option<Id>, with_descendants: bool) -> Filter {
    let within = |id: Id| match with_descendants {
        true => has::<LookupRow, _, _>(ProductRow::category_id, LookupRow::id, contains("lineage", &id.to_string())),
        false => ProductRow::category_id.eq(id),
    };
    category.map(within).unwrap_or_default()
}

fn filter_by_serials(has_serials: bool) -> Filter {
    match has_serials {
        true => ProductRow::tracking.eq(Tracking::Serialized),
        false => ProductRow::tracking.ne(Tracking::Serialized),
    }
}

pub fn list(call: &Call) -> Answer {
    let query: ListProducts = call.query()?;
    require_may_list_drafts(query.drafts)?;
    let rows = query.page([])?;
    Caller::current().answer_page(rows, Product::alone, publish_product)
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
    /// Additional records in the response: `variants`, `media` or both.
    include: Option<Included>,
}

pub fn read(call: &Call) -> Answer {
    let id = call.path_id("id")?;
    let ReadProduct { include } = call.query()?;
    let variants = all([VariantRow::product_id.eq(id), VariantRow::status.eq(Status::Active)]);
    let variants = include.filter(|parts| *parts != Included::Media).map(|_| select(variants).limit(INCLUDED));
    let media = include.filter(|parts| *parts != Included::Variants).map(|_| select(media::active(id)).whole());
    let (row, variants, media) = run((get(id), variants, media))?;
    let row = ProductRow::require(row)?;
    let caller = Caller::current();
    if !is_public(row.status, row.publication_status) && !may_read_every_state(caller) {
        return Err(Problem::not_found());
    }
    let variants = variants.map(|rows| rows.items);
    let extensions = || CatalogProductExtensions::read(id);
    let person = || Product::from_row(&row, variants.as_deref(), media.as_deref()).with_extensions(extensions());
    let client = || ApiProduct { extensions: extensions(), ..publish_product(&row) };
    Ok(caller.show(person, client).of(id, row.version))
}
