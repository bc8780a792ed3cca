//! Goods on hand, as reported to the catalog: which variants there are any of.

use stoa_sdk::Id;

use super::{Key, MOST};

pub use crate::bindings::commerce::catalog::holdings::Holding;

stoa_sdk::service! {
    /// The service as it crosses the border.
    pub mod service = (crate::bindings::commerce::catalog::holdings) {
        fn note(holdings: &[Holding]);
        fn read(pairs: &[(Key, Key)]) -> Vec<bool>;
    }
}

/// Says of places and variants whether there are goods on hand; none cost nothing.
pub fn note(holdings: &[Holding]) {
    holdings.chunks(MOST).for_each(service::note);
}

/// Returns whether it was said last that there are goods of the variant in the place, in the order of the pairs.
pub fn read(pairs: impl IntoIterator<Item = (Id, Id)>) -> Vec<bool> {
    let pairs: Vec<(Key, Key)> = pairs.into_iter().map(|(place, variant)| (place.into(), variant.into())).collect();
    pairs.chunks(MOST).flat_map(service::read).collect()
}
