//! Procurement's suppliers. A request reads each of them once.

use std::collections::BTreeMap;

use stoa_sdk::{Id, Kept};

use super::{Key, get_kept};

pub use crate::bindings::commerce::procurement::suppliers::Supplier;

stoa_sdk::service! {
    /// The service as it crosses the border.
    pub mod service = (crate::bindings::commerce::procurement::suppliers) {
        fn get(ids: &[Key]) -> Vec<Supplier>;
    }
}

thread_local! {
    static KEPT: Kept<Id, Supplier> = const { Kept::new() };
}

/// The suppliers of these ids, archived ones too; unknown ones are absent.
pub fn get(ids: impl IntoIterator<Item = Id>) -> BTreeMap<Id, Supplier> {
    get_kept(&KEPT, ids, service::get, |supplier| supplier.id)
}
