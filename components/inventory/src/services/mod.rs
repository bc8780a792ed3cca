//! What stands behind the services of `wit/inventory`: one type, an interface a file.

mod costs;
mod stock;
mod units;
mod warehouses;
mod wire;

#[cfg(target_arch = "wasm32")]
crate::bindings::export!(Services with_types_in crate::bindings);

/// Inventory as other modules call it.
pub struct Services;
