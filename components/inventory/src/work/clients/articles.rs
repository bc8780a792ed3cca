//! The catalog's service, as inventory uses it: the seam between a component and a native build.

use std::collections::BTreeMap;

use stoa_sdk::{Id, Problem, item, map, set};

use crate::records::quantity::Quantity;
use crate::records::tracking;

pub use crate::bindings::commerce::catalog::articles::Article;
pub use crate::bindings::commerce::catalog::articles::Tracking;
#[cfg(not(target_arch = "wasm32"))]
use stoa_sdk::NativeService;

#[cfg(not(target_arch = "wasm32"))]
thread_local! {
    /// What stands for the catalog on this thread of a native program.
    pub static GET_VARIANTS: NativeService<[Id], Vec<Article>> = const { NativeService::new() };
}

/// The articles of these variants, in any order; unknown ones are absent.
pub fn get_variants(variants: &[Id]) -> Vec<Article> {
    #[cfg(target_arch = "wasm32")]
    {
        let ids: Vec<(u64, u64)> = variants.iter().map(|id| (*id).into()).collect();
        crate::bindings::commerce::catalog::articles::get_variants(&ids)
    }
    #[cfg(not(target_arch = "wasm32"))]
    GET_VARIANTS.with(|service| service.call(variants))
}

/// The articles of these variants by variant; unknown ones are absent.
pub fn by_variant(variants: impl IntoIterator<Item = Id>) -> BTreeMap<Id, Article> {
    let ids: Vec<Id> = set(variants).into_iter().collect();
    if ids.is_empty() {
        return BTreeMap::new();
    }
    map(get_variants(&ids).into_iter().map(|article| (Id::from(article.variant_id), article)))
}

/// Whether new goods of it may come in.
pub fn is_active(article: &Article) -> bool {
    article.variant_active && article.product_active
}

/// Whether everybody may know its stock.
pub fn is_public(article: &Article) -> bool {
    is_active(article) && article.published
}

/// The article where it is there.
///
/// # Errors
/// NOT_FOUND at the pointer.
pub fn require<'a>(articles: &'a BTreeMap<Id, Article>, variant: Id, pointer: &str) -> Result<&'a Article, Problem> {
    articles.get(&variant).ok_or_else(|| Problem::reference_missing(pointer))
}

/// Refuses what is not counted in quantities: services, untracked goods and serialized ones.
///
/// # Errors
/// ILLEGAL_STATE at the pointer.
pub fn check_in_quantities(article: &Article, pointer: &str) -> Result<(), Problem> {
    match article.tracking {
        Tracking::Quantity => Ok(()),
        Tracking::None | Tracking::Serialized => Err(Problem::illegal_state(pointer)),
    }
}

/// Refuses a quantity finer than the article's unit.
///
/// # Errors
/// VALIDATION_FAILED with QUANTITY_SCALE at the pointer.
pub fn check_scale(article: &Article, quantity: Quantity, pointer: &str) -> Result<(), Problem> {
    let places = match article.tracking {
        Tracking::Serialized => 0,
        Tracking::None | Tracking::Quantity => article.decimal_places,
    };
    let step = 10_i128.pow(6_u32.saturating_sub(u32::from(places)));
    if quantity.units() % step == 0 { Ok(()) } else { Err(Problem::invalid(vec![item(pointer, "QUANTITY_SCALE")])) }
}

/// How it is counted, as documents remember it.
pub fn tracking(article: &Article) -> tracking::Tracking {
    match article.tracking {
        Tracking::None => tracking::Tracking::None,
        Tracking::Quantity => tracking::Tracking::Quantity,
        Tracking::Serialized => tracking::Tracking::Serialized,
    }
}

/// The article of one variant.
pub fn get_one(variant: Id) -> Option<Article> {
    get_variants(&[variant]).into_iter().find(|article| Id::from(article.variant_id) == variant)
}

/// Whether its unit of measure can express the quantity.
pub fn fits_scale(article: &Article, quantity: Quantity) -> bool {
    check_scale(article, quantity, "").is_ok()
}
