//! Sales' customers. A request reads each of them once.

use std::collections::BTreeMap;

use stoa_sdk::{Id, Kept};

use super::{Key, get_kept};

pub use crate::bindings::commerce::sales::customers::Customer;

stoa_sdk::service! {
    /// The service as it crosses the border.
    pub mod service = (crate::bindings::commerce::sales::customers) {
        fn get(ids: &[Key]) -> Vec<Customer>;
    }
}

thread_local! {
    static KEPT: Kept<Id, Customer> = const { Kept::new() };
}

/// The customers of these ids, archived ones too; unknown ones are absent.
pub fn get(ids: impl IntoIterator<Item = Id>) -> BTreeMap<Id, Customer> {
    get_kept(&KEPT, ids, service::get, |customer| customer.id)
}
