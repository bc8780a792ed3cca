//! The catalog's products on sale, as documents that are shown as they come.

use stoa_sdk::host::fault;
use stoa_sdk::{Id, Json};

use super::Key;

pub use crate::bindings::commerce::catalog::products::{ShownProduct, ShownVariant};

stoa_sdk::service! {
    /// The service as it crosses the border.
    pub mod service = (crate::bindings::commerce::catalog::products) {
        fn show(product: Key, after: Option<Key>, limit: u32, with_media: bool) -> Option<ShownProduct>;
    }
}

/// The product, if it is on sale, with at most `limit` (1 to 100) of its active variants: those after this id.
pub fn show(product: Id, after: Option<Id>, limit: u32, with_media: bool) -> Option<ShownProduct> {
    service::show(product.into(), after.map(Key::from), limit, with_media)
}

/// The catalog's answer of a record, to be part of another answer.
pub fn document(text: String) -> Json {
    Json::from_text(text).unwrap_or_else(|| fault("a document of the catalog is no JSON"))
}
