//! What stands behind the services of `wit/inventory`: one type, an interface a file.

mod bindings;
mod costs;
mod stock;
mod units;
mod warehouses;
mod wire;

/// Inventory as other modules call it.
pub struct Services;
