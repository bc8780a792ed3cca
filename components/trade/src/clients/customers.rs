//! Sales' customers, as documents name them.

use stoa_sdk::Id;

use super::{Key, ask_all};

pub use crate::bindings::commerce::sales::customers::Customer;

stoa_sdk::service! {
    /// The service as it crosses the border.
    pub mod service = (crate::bindings::commerce::sales::customers) {
        fn get(ids: &[Key]) -> Vec<Customer>;
    }
}

/// The customers of these ids, in any order; unknown ones are absent.
pub fn get(ids: &[Id]) -> Vec<Customer> {
    ask_all(ids, service::get)
}
