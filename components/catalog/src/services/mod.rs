//! What other modules ask of the catalog, as `wit/catalog` says it: one type, an interface in each file.

pub mod articles;
pub mod products;

/// The catalog as other modules call it.
pub struct Services;

#[cfg(target_arch = "wasm32")]
crate::bindings::export!(Services with_types_in crate::bindings);
