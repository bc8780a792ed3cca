//! What other modules call, as `wit/ledger` says it: one type, an interface in each file.

mod books;
mod directory;
mod money;

/// The ledger as other modules call it.
pub struct Services;

#[cfg(target_arch = "wasm32")]
crate::bindings::export!(Services with_types_in crate::bindings);
