//! What other modules call, as `wit/procurement` says it: one type, an interface in each file.

mod charges;
mod orders;
mod suppliers;

/// Procurement as other modules call it.
pub struct Services;

#[cfg(target_arch = "wasm32")]
crate::bindings::export!(Services with_types_in crate::bindings);
