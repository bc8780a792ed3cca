//! What stands behind the services of `wit/sales`: one type, an interface a file.

mod bindings;
mod customers;
mod orders;

/// Sales as other modules call it.
pub struct Services;
