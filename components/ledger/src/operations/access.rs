//! Settings common to several reads of amounts.

use stoa_sdk::Operation;

use crate::records::permission::FIGURES;

/// A read that shows amounts: nothing may keep it.
pub const fn figures(operation: Operation) -> Operation {
    operation.needs(FIGURES).cache_control("no-store")
}
