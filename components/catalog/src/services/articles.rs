//! The service `commerce:catalog/articles`: what other modules ask of variants. One round trip for up to 1,000.

use stoa_sdk::store::{MOST_KEYS, find, read, select};
use stoa_sdk::{Field, Id, all, has, map, view};
use stoa_trade::Status;

use crate::bindings::exports::commerce::catalog::articles as service;
use crate::bindings::exports::commerce::catalog::articles::Guest;
use crate::records::lookup::{Kind, LookupRow};
use crate::records::product::{ProductRow, ProductState, PublicationStatus};
use crate::records::product_type::{ProductType, Tracking};
use crate::records::variant::{Condition, Grade, VariantId, VariantRow};
use crate::services::Services;

pub use service::Article;

view! {
    VariantOfArticle of VariantRow {
        id: Id, product_id: Id, sku: String, condition: Option<Condition>, grade: Option<Grade>, status: Status,
        product_type: ProductType, unit_code: String, tracking: Tracking,
    }
}

view! {
    ProductOfArticle of ProductRow { id: Id, name: String, status: ProductState, publication_status: PublicationStatus }
}

view! { UnitOfArticle of LookupRow { code: String, decimal_places: Option<i64> } }

impl Guest for Services {
    fn get_variants(variants: Vec<(u64, u64)>) -> Vec<Article> {
        let ids: Vec<Id> = variants.into_iter().map(Id::from).collect();
        ids.chunks(MOST_KEYS).flat_map(read_articles).collect()
    }

    fn find_by_code(code: String) -> Vec<Article> {
        let barcode = all([VariantRow::barcode.eq(code.as_str()), VariantRow::status.eq(Status::Active)]);
        let barcode = select::<VariantId>(barcode).limit(u32::try_from(MOST_KEYS).unwrap_or(u32::MAX));
        let (sku, barcode) = read((find::<VariantId>("sku", [vec![code.put()]]), barcode));
        let ids = if sku.is_empty() { barcode.items } else { sku };
        read_articles(&ids.into_iter().map(|variant| variant.id).collect::<Vec<_>>())
    }

    fn product_variants(product: (u64, u64)) -> Vec<(u64, u64)> {
        let rows = read(select::<VariantId>(VariantRow::product_id.eq(Id::from(product))).whole());
        rows.into_iter().map(|variant| variant.id.into()).collect()
    }
}

/// Units are found by the code that each variant keeps a copy of, so that nothing has to be read first.
fn read_articles(ids: &[Id]) -> Vec<Article> {
    if ids.is_empty() {
        return Vec::new();
    }
    let these = || VariantRow::id.one_of(ids.iter().copied());
    let products = has::<VariantRow, _, _>(ProductRow::id, VariantRow::product_id, these());
    let units = has::<VariantRow, _, _>(LookupRow::code, VariantRow::unit_code, these());
    let (variants, products, units) = read((
        select::<VariantOfArticle>(these()).whole(),
        select::<ProductOfArticle>(products).whole(),
        select::<UnitOfArticle>(all([LookupRow::kind.eq(Kind::Units), units])).whole(),
    ));
    let products = map(products.into_iter().map(|product| (product.id, product)));
    let units = map(units.into_iter().map(|unit| (unit.code, unit.decimal_places)));
    let article = |variant: VariantOfArticle| {
        let product = products.get(&variant.product_id)?;
        let places = units.get(&variant.unit_code).copied().flatten()?;
        Some(article(variant, product, places))
    };
    variants.into_iter().filter_map(article).collect()
}

fn article(variant: VariantOfArticle, product: &ProductOfArticle, decimal_places: i64) -> Article {
    Article {
        variant_id: variant.id.into(),
        product_id: variant.product_id.into(),
        sku: variant.sku,
        product_name: product.name.clone(),
        product_type: match variant.product_type {
            ProductType::Good => service::ProductType::Good,
            ProductType::Service => service::ProductType::Service,
        },
        tracking: match variant.tracking {
            Tracking::None => service::Tracking::None,
            Tracking::Quantity => service::Tracking::Quantity,
            Tracking::Serialized => service::Tracking::Serialized,
        },
        unit_code: variant.unit_code,
        // At most 6.
        decimal_places: u8::try_from(decimal_places).unwrap_or_default(),
        condition: variant.condition.map(|condition| condition.as_str().to_owned()),
        grade: variant.grade.map(|grade| grade.as_str().to_owned()),
        variant_active: variant.status == Status::Active,
        product_active: product.status == ProductState::Active,
        published: product.publication_status == PublicationStatus::Published,
    }
}
