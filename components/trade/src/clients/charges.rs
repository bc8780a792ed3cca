//! Procurement's charges of import orders, as invoices name them.

use stoa_sdk::Id;

use super::{Key, ask_all};

pub use crate::bindings::commerce::procurement::charges::Charge;

stoa_sdk::service! {
    /// The service as it crosses the border.
    pub mod service = (crate::bindings::commerce::procurement::charges) {
        fn get(ids: &[Key]) -> Vec<Charge>;
    }
}

/// The charges of these ids, in any order; unknown ones are absent.
pub fn get(ids: &[Id]) -> Vec<Charge> {
    ask_all(ids, service::get)
}
