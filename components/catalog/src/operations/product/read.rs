//! Products as they are read: by people, and by API clients the ones on sale.

use schemars::JsonSchema;
use serde::Deserialize;
use stoa_sdk::store::{get, run, select};
use stoa_sdk::{
    Answer, Call, Client, Filter, Id, Instant, Operation, Page, Problem, Text, all, any, contains, has, text_enum,
};
use stoa_trade::ids::{Ids, among};
use stoa_trade::list_query;
use stoa_trade::lists::{changed_since, equals, read_page};
use stoa_trade::{Caller, Status};

use crate::records::lookup::LookupRow;
use crate::records::media;
use crate::records::permission::READ;
use crate::records::product::{
    ApiProduct, Product, ProductRow, ProductState, PublicationStatus, is_public, on_sale, show,
};
use crate::records::product_type::{ProductType, Tracking};
use crate::records::variant::VariantRow;

#[rustfmt::skip]
pub const OPERATIONS: &[Operation] = &[
    Operation::read("/catalog/products", "listProducts", list).summary("Products")
        .needs(READ).query::<ListProducts>().answers::<Page<Product>>()
        .and_client(Client::new(READ).summary("Products on sale").description("Lists products that are ACTIVE and \
            PUBLISHED.")
            .query::<ListApiProducts>().answers::<Page<ApiProduct>>()),
    Operation::read("/catalog/products/{id}", "getProduct", read).summary("A product")
        .needs(READ).query::<ReadProduct>().answers::<Product>(),
    // No twin of the person's: there are no parts to ask for.
    Operation::read("/catalog/products/{id}", "apiGetProduct", read).summary("A product on sale")
        .machine(READ).answers::<ApiProduct>(),
];

/// Variants of a product that `include=variants` shows at most.
const INCLUDED: u32 = 100;

list_query! {
    pub struct ListProducts of Status {
        /// Only these products, at most 100, separated by commas.
        ids: Option<Ids>,
        /// Only this slug.
        slug: Option<Text<1, 160>>,
        /// Only products with a variant of this SKU, ignoring case; archived variants keep their SKU.
        sku: Option<Text<1, 100>>,
        /// Only products whose name or slug, or a variant's SKU, barcode, model number or alias, contains the text, ignoring
        /// case.
        text: Option<Text<1, 200>>,
        category_id: Option<Id>,
        /// With `categoryId`: true includes its descendants.
        #[serde(default)]
        deep: bool,
        brand_id: Option<Id>,
        manufacturer_id: Option<Id>,
        product_type: Option<ProductType>,
        publication_status: Option<PublicationStatus>,
        track_serials: Option<bool>,
        /// Only products changed at or after this instant; a change of which variants are active counts.
        updated_since: Option<Instant>,
    }
}

impl ListProducts {
    /// API clients find products on sale, and by active variants alone.
    fn filter(&self, caller: Caller) -> Filter {
        let (shown, variants) = match (caller, self.status) {
            (Caller::Client, _) => (on_sale(), VariantRow::status.eq(Status::Active)),
            (Caller::Person, Status::Active) => (ProductRow::status.eq(ProductState::Active), Filter::default()),
            (Caller::Person, Status::Archived) => (ProductRow::status.eq(ProductState::Archived), Filter::default()),
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
        all([
            shown,
            filter_by_name(self.ids.as_ref(), self.slug.as_deref(), self.sku.as_deref(), variants.clone()),
            self.text.as_deref().map(|text| about(text, variants)).unwrap_or_default(),
            self.category_id.map(category).unwrap_or_default(),
            equals(ProductRow::brand_id, self.brand_id),
            equals(ProductRow::manufacturer_id, self.manufacturer_id),
            equals(ProductRow::product_type, self.product_type),
            equals(ProductRow::publication_status, self.publication_status),
            self.track_serials.map(serials).unwrap_or_default(),
            changed_since(ProductRow::updated_at, self.updated_since),
        ])
    }
}

list_query! {
    pub struct ListApiProducts of OnlyActive {
        /// Only these products, at most 100, separated by commas.
        ids: Option<Ids>,
        /// Only this slug.
        slug: Option<Text<1, 160>>,
        /// Only products with an active variant of this SKU, ignoring case.
        sku: Option<Text<1, 100>>,
        /// Only products whose name or slug, or an active variant's SKU, barcode, model number or alias, contains the text,
        /// ignoring case.
        text: Option<Text<1, 200>>,
        category_id: Option<Id>,
        brand_id: Option<Id>,
        manufacturer_id: Option<Id>,
        /// Only products changed at or after this instant; a change of which variants are active counts. Products that were
        /// taken off sale are not listed: subscribe to their events.
        updated_since: Option<Instant>,
    }
}

/// Products by what names exactly one each; a SKU by a variant that meets `variants`.
fn filter_by_name(ids: Option<&Ids>, slug: Option<&str>, sku: Option<&str>, variants: Filter) -> Filter {
    let bears = |sku: &str| {
        let variants = all([VariantRow::sku.eq(sku.to_uppercase()), variants]);
        has::<VariantRow, _, _>(ProductRow::id, VariantRow::product_id, variants)
    };
    let slug = slug.map(|slug| ProductRow::slug.eq(slug)).unwrap_or_default();
    all([among(ProductRow::id, ids), slug, sku.map(bears).unwrap_or_default()])
}

/// Products with this text in name or slug, or with a variant that has it and meets `variants`.
fn about(text: &str, variants: Filter) -> Filter {
    let variants = all([contains("text", text), variants]);
    any([contains("text", text), has::<VariantRow, _, _>(ProductRow::id, VariantRow::product_id, variants)])
}

pub fn list(call: &Call) -> Answer {
    let query: ListProducts = call.query()?;
    let caller = Caller::current();
    let rows = read_page(&query.filter(caller), query.cursor, query.limit)?;
    caller.show_page::<Product, ApiProduct, _>(rows, |row: &ProductRow| row.id)
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
    match caller {
        Caller::Person => Ok(show(row, variants.map(|rows| rows.items), media)),
        Caller::Client if is_public(row.status, row.publication_status) => {
            Ok(caller.show_row::<Product, ApiProduct, _>(row))
        }
        Caller::Client => Err(Problem::not_found()),
    }
}
