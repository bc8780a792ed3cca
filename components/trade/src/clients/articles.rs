//! The catalog's articles: variants that can be priced, stocked and sold. A request reads each of them once.

use std::collections::{BTreeMap, BTreeSet};

use stoa_sdk::{Id, Kept, Problem, set};

use super::{Key, get_kept};
use crate::quantity::{Quantity, Tracking, is_countable, scale_fault};

pub use crate::bindings::commerce::catalog::articles::{Article, ProductType, Tracking as ArticleTracking};

stoa_sdk::service! {
    /// The service as it crosses the border.
    pub mod service = (crate::bindings::commerce::catalog::articles) {
        fn get_variants(variants: &[Key]) -> Vec<Article>;
        fn find_by_code(code: &str) -> Vec<Article>;
        fn product_variants(product: Key) -> Vec<Key>;
    }
}

thread_local! {
    static KEPT: Kept<Id, Article> = const { Kept::new() };
}

/// The articles of these variants, archived ones too; unknown ones are absent.
pub fn get(variants: impl IntoIterator<Item = Id>) -> BTreeMap<Id, Article> {
    get_kept(&KEPT, variants, service::get_variants, |article| article.variant_id)
}

/// The article of one variant.
pub fn get_one(variant: Id) -> Option<Article> {
    get([variant]).remove(&variant)
}

/// The products of these variants, archived ones too: the audit entry of a write is found by them.
pub fn products_of(variants: impl IntoIterator<Item = Id>) -> BTreeSet<Id> {
    set(get(variants).values().map(|article| Id::from(article.product_id)))
}

/// Reads them again from here on: code that waited for a lock that guards articles calls it.
pub fn forget() {
    KEPT.with(Kept::forget);
}

/// The till's look-up: by SKU exactly, else every active variant that bears the barcode.
pub fn find_by_code(code: &str) -> Vec<Article> {
    service::find_by_code(code)
}

/// Every variant of a product, archived ones too.
pub fn variants_of(product: Id) -> Vec<Id> {
    service::product_variants(product.into()).into_iter().map(Id::from).collect()
}

/// Returns whether it may be priced, and new goods of it may come in.
pub fn is_active(article: &Article) -> bool {
    article.variant_active && article.product_active
}

/// Returns whether everybody may see it, and buy it.
pub fn is_on_sale(article: &Article) -> bool {
    is_active(article) && article.published
}

/// How it is counted, as documents remember it.
pub fn tracking(article: &Article) -> Tracking {
    match article.tracking {
        ArticleTracking::None => Tracking::None,
        ArticleTracking::Quantity => Tracking::Quantity,
        ArticleTracking::Serialized => Tracking::Serialized,
    }
}

/// The article where there is one.
///
/// # Errors
/// NOT_FOUND at the pointer.
pub fn require<'a>(articles: &'a BTreeMap<Id, Article>, variant: Id, pointer: &str) -> Result<&'a Article, Problem> {
    articles.get(&variant).ok_or_else(|| Problem::reference_missing(pointer))
}

/// The article where there is one that may be used.
///
/// # Errors
/// NOT_FOUND at the pointer; REFERENCE_INVALID there where the variant or its product is archived.
pub fn require_active<'a>(article: Option<&'a Article>, pointer: &str) -> Result<&'a Article, Problem> {
    let article = article.ok_or_else(|| Problem::reference_missing(pointer))?;
    if is_active(article) { Ok(article) } else { Err(Problem::reference_invalid(pointer)) }
}

/// Refuses what is not counted in quantities: services, untracked goods and serialized ones.
///
/// # Errors
/// ILLEGAL_STATE at the pointer.
pub fn require_quantities(article: &Article, pointer: &str) -> Result<(), Problem> {
    match article.tracking {
        ArticleTracking::Quantity => Ok(()),
        ArticleTracking::None | ArticleTracking::Serialized => Err(Problem::illegal_state(pointer)),
    }
}

/// Refuses a quantity finer than the article's unit of measure.
///
/// # Errors
/// VALIDATION_FAILED with QUANTITY_SCALE and the unit's digits at the pointer.
pub fn check_scale(article: &Article, quantity: Quantity, pointer: &str) -> Result<(), Problem> {
    match is_countable(quantity, tracking(article), article.decimal_places) {
        true => Ok(()),
        false => Err(Problem::invalid(vec![scale_fault(pointer, tracking(article), article.decimal_places)])),
    }
}

/// A variant on sale, for the stand-ins of the catalog in tests.
#[cfg(not(target_arch = "wasm32"))]
pub fn example(variant: Id) -> Article {
    Article {
        variant_id: variant.into(),
        product_id: (9, 9),
        sku: "A-1".to_owned(),
        product_name: "Phone".to_owned(),
        product_type: ProductType::Good,
        tracking: ArticleTracking::None,
        unit_code: "UNIT".to_owned(),
        decimal_places: 0,
        condition: None,
        grade: None,
        variant_active: true,
        product_active: true,
        published: true,
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;
    use std::rc::Rc;

    use super::*;

    fn article(variant: Id) -> Article {
        Article { decimal_places: 2, published: false, tracking: ArticleTracking::Quantity, ..example(variant) }
    }

    #[test]
    fn a_request_reads_an_article_once() {
        let asked = Rc::new(RefCell::new(Vec::new()));
        let log = asked.clone();
        service::stand_in::get_variants(move |variants| {
            log.borrow_mut().push(variants.to_vec());
            variants.iter().filter(|key| key.1 != 9).map(|key| article(Id::from(*key))).collect()
        });
        assert_eq!(get([Id(0, 1), Id(0, 9)]).len(), 1);
        assert_eq!(get([Id(0, 1), Id(0, 2), Id(0, 9)]).len(), 2);
        assert!(get_one(Id(0, 9)).is_none());
        assert_eq!(products_of([Id(0, 1), Id(0, 2), Id(0, 9)]), BTreeSet::from([Id(9, 9)]), "and none is read again");
        assert_eq!(*asked.borrow(), [vec![(0, 1), (0, 9)], vec![(0, 2)]]);
        forget();
        assert!(get_one(Id(0, 1)).is_some());
        assert_eq!(asked.borrow().len(), 3);
    }

    #[test]
    fn what_an_article_refuses() {
        let code = |result: Result<(), Problem>| result.err().map(|problem| problem.code);
        let good = article(Id(0, 1));
        let archived = Article { product_active: false, ..good.clone() };
        let unit = Article { tracking: ArticleTracking::Serialized, ..good.clone() };
        for (what, refused, expected) in [
            ("no article", require_active(None, "/v").map(|_| ()), Some("NOT_FOUND")),
            ("an archived one", require_active(Some(&archived), "/v").map(|_| ()), Some("REFERENCE_INVALID")),
            ("an active one", require_active(Some(&good), "/v").map(|_| ()), None),
            ("a unit by quantity", require_quantities(&unit, "/v"), Some("ILLEGAL_STATE")),
            ("two digits of two", check_scale(&good, Quantity::from_units(10_000), "/q"), None),
            ("three digits of two", check_scale(&good, Quantity::from_units(1_000), "/q"), Some("VALIDATION_FAILED")),
            ("half a unit", check_scale(&unit, Quantity::from_units(500_000), "/q"), Some("VALIDATION_FAILED")),
        ] {
            assert_eq!(code(refused).as_deref(), expected, "{what}");
        }
        assert!(is_active(&good) && !is_on_sale(&good));
    }
}
