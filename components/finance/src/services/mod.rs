//! What stands behind the services of `wit/finance`.

mod bindings;
mod tills;

/// Finance as other modules call it.
pub struct Services;
