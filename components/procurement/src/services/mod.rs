//! Services for other modules, as declared in `wit/procurement`: one type, an interface in each file.

mod charges;
mod orders;
mod suppliers;

use stoa_sdk::ServiceAccess;

use crate::records::permission::{
    BUY, CLIENT_READ, CLIENT_READ_SUPPLIERS, CLIENT_RECEIVE, CLIENT_WRITE, CREATE, READ, RECEIVE,
};

/// Procurement as other modules call it.
pub struct Services;

#[cfg(target_arch = "wasm32")]
crate::bindings::export!(Services with_types_in crate::bindings);

const ORDERS: &str = "commerce:procurement/orders";

/// Permissions and scopes that callers need, as for the operations that do the same.
pub const ACCESS: &[ServiceAccess] = &[
    ServiceAccess::new("commerce:procurement/suppliers", &["get"], READ, CLIENT_READ_SUPPLIERS),
    ServiceAccess::new("commerce:procurement/charges", &["get"], READ, CLIENT_READ),
    ServiceAccess::new(ORDERS, &["items", "receipt-items", "position"], READ, CLIENT_READ),
    ServiceAccess::new(ORDERS, &["bill"], CREATE, CLIENT_WRITE),
    ServiceAccess::new(ORDERS, &["receive"], RECEIVE, CLIENT_RECEIVE),
    // It approves the order that it writes, which no API client may.
    ServiceAccess::new(ORDERS, &["buy"], BUY, &[]),
];
