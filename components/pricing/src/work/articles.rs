//! The catalog's service, as pricing uses it: the seam between a component and a native build.

use std::collections::BTreeSet;

#[cfg(not(target_arch = "wasm32"))]
use stoa_sdk::NativeService;
use stoa_sdk::{Id, Problem, set};

pub use crate::bindings::commerce::catalog::articles::{Article, ProductType, Tracking};

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

/// The article of one variant.
pub fn get_variant(variant: Id) -> Option<Article> {
    get_variants(&[variant]).into_iter().find(|article| Id::from(article.variant_id) == variant)
}

/// Whether prices may be set for it.
pub fn is_active(article: &Article) -> bool {
    article.variant_active && article.product_active
}

/// Whether its prices resolve.
pub fn is_sold(article: &Article) -> bool {
    is_active(article) && article.published
}

/// Those of the variants that are on sale.
pub fn select_sold(variants: &[Id]) -> BTreeSet<Id> {
    let articles = if variants.is_empty() { Vec::new() } else { get_variants(variants) };
    set(articles.iter().filter(|article| is_sold(article)).map(|article| Id::from(article.variant_id)))
}

/// Refuses a variant that is missing or archived.
pub fn require_active(article: Option<&Article>, pointer: &str) -> Result<(), Problem> {
    match article {
        None => Err(Problem::reference_missing(pointer)),
        Some(article) if !is_active(article) => Err(Problem::reference_invalid(pointer)),
        Some(_) => Ok(()),
    }
}
