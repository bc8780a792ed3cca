//! What stands behind the services of `wit/sales`: one type, an interface a file.

mod customers;
mod orders;

/// Sales as other modules call it.
pub struct Services;

#[cfg(target_arch = "wasm32")]
crate::bindings::export!(Services with_types_in crate::bindings);
