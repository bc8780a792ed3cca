//! Implementation of the services of `wit/sales`: one type, an interface a file.

mod customers;
mod orders;

use stoa_sdk::ServiceAccess;

use crate::records::permission::{
    CLIENT_CONFIRM, CLIENT_MOVE_GOODS, CLIENT_WRITE, CONFIRM, CREATE, MOVE_GOODS, READ, READ_CUSTOMERS,
};

/// Sales as other modules call it.
pub struct Services;

#[cfg(target_arch = "wasm32")]
crate::bindings::export!(Services with_types_in crate::bindings);

/// Permissions and scopes that callers must hold, as for the operations that do the same.
pub const ACCESS: &[ServiceAccess] = &[
    ServiceAccess::new("commerce:sales/customers", &["get"], READ_CUSTOMERS, READ_CUSTOMERS),
    orders(&["items", "position", "figures"], READ, READ),
    orders(&["bill"], CREATE, CLIENT_WRITE),
    orders(&["deliver"], MOVE_GOODS, CLIENT_MOVE_GOODS),
    orders(&["sell"], CONFIRM, CLIENT_CONFIRM),
];

const fn orders(
    functions: &'static [&'static str],
    permissions: &'static [&'static str],
    scopes: &'static [&'static str],
) -> ServiceAccess {
    ServiceAccess { interface: "commerce:sales/orders", functions, permissions, scopes }
}
