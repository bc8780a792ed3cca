//! Pricing: the lists, and the prices in effect at an instant.

use std::collections::BTreeMap;

use stoa_sdk::host::fault;
use stoa_sdk::{Decimal, Id, Instant, map};

use super::{Key, MOST, keys};

pub use crate::bindings::commerce::pricing::prices::{Price, PriceList, Quotation, Visibility};

stoa_sdk::service! {
    /// The service as it crosses the border.
    pub mod service = (crate::bindings::commerce::pricing::prices) {
        fn get_list(price_list: Key) -> Option<PriceList>;
        fn find_list(code: &str) -> Option<PriceList>;
        fn resolve(price_list: Key, variants: &[Key], time: i64) -> Vec<Price>;
        fn quote(price_list: Key, variants: &[Key], time: i64) -> Option<Quotation>;
    }
}

/// A price in effect.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Quoted {
    /// The price's own id.
    pub price: Id,
    /// The amount for one unit of the variant.
    pub amount: Decimal<6>,
}

/// The list, archived or not, and the prices in effect in it by variant: none if it is archived, and a variant without one is
/// absent. None where there is no such list. At most 1,000 variants.
pub fn quote(
    list: Id,
    variants: impl IntoIterator<Item = Id>,
    instant: Instant,
) -> Option<(PriceList, BTreeMap<Id, Quoted>)> {
    let variants = keys(variants);
    if variants.len() > MOST {
        fault("more variants than pricing quotes at once");
    }
    let Quotation { price_list, prices } = service::quote(list.into(), &variants, instant.0)?;
    let quoted = prices.into_iter().map(|price| match price.amount.parse() {
        Ok(amount) => (price.variant_id.into(), Quoted { price: price.price_id.into(), amount }),
        Err(_) => fault("a price is no decimal"),
    });
    Some((price_list, map(quoted)))
}
