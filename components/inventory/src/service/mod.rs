//! What stands behind the services of `wit/inventory`: one type, an interface a file. Those of warehouses and costs stand with
//! their resources.

mod incoming;
mod levels;
mod orders;
mod receive;
mod send_back;
mod stock;
mod take_back;

/// Inventory as other modules call it.
pub struct Services;
