//! How articles are counted, as documents with many lines ask it.

use stoa_sdk::Id;

use crate::articles::{self, Article};
use crate::terms::{Quantity, Tracking};

/// The article of one variant.
pub fn one(variant: Id) -> Option<Article> {
    articles::get_variants(&[variant]).into_iter().find(|article| Id::from(article.variant_id) == variant)
}

/// How it is counted, as documents remember it.
pub fn kind_of(article: &Article) -> Tracking {
    match article.tracking {
        articles::Tracking::None => Tracking::None,
        articles::Tracking::Quantity => Tracking::Quantity,
        articles::Tracking::Serialized => Tracking::Serialized,
    }
}

/// Whether its unit of measure can express the quantity.
pub fn counts(article: &Article, quantity: Quantity) -> bool {
    articles::measured(article, quantity, "").is_ok()
}
