//! Procurement's suppliers, as documents name them.

use stoa_sdk::Id;

use super::{Key, ask_all};

pub use crate::bindings::commerce::procurement::suppliers::Supplier;

stoa_sdk::service! {
    /// The service as it crosses the border.
    pub mod service = (crate::bindings::commerce::procurement::suppliers) {
        fn get(ids: &[Key]) -> Vec<Supplier>;
    }
}

/// The suppliers of these ids, in any order; unknown ones are absent.
pub fn get(ids: &[Id]) -> Vec<Supplier> {
    ask_all(ids, service::get)
}
