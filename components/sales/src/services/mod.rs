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

const ORDERS: &str = "commerce:sales/orders";

/// Permissions and scopes that callers must hold, as for the operations that do the same.
pub const ACCESS: &[ServiceAccess] = &[
    ServiceAccess::new("commerce:sales/customers", &["get"], READ_CUSTOMERS, READ_CUSTOMERS),
    ServiceAccess::new(ORDERS, &["items", "position", "figures"], READ, READ),
    ServiceAccess::new(ORDERS, &["bill"], CREATE, CLIENT_WRITE),
    ServiceAccess::new(ORDERS, &["deliver"], MOVE_GOODS, CLIENT_MOVE_GOODS),
    ServiceAccess::new(ORDERS, &["sell"], CONFIRM, CLIENT_CONFIRM),
];
