//! Which articles are on sale: the catalog says it.

use std::collections::BTreeSet;

use stoa_sdk::{Id, set};
use stoa_trade::clients::articles::{get, get_one, is_on_sale};

/// Those of the variants that are on sale.
pub fn select_on_sale(variants: impl IntoIterator<Item = Id>) -> BTreeSet<Id> {
    set(get(variants).into_iter().filter(|(_, article)| is_on_sale(article)).map(|(id, _)| id))
}

/// Returns whether the variant is on sale.
pub fn is_variant_on_sale(variant: Id) -> bool {
    get_one(variant).as_ref().is_some_and(is_on_sale)
}
