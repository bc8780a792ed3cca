//! Services of pricing for other modules: a file for each interface.

pub mod prices;

use stoa_sdk::ServiceAccess;

use crate::records::permission::READ;

/// Everything here is read.
pub const ACCESS: &[ServiceAccess] = &[ServiceAccess {
    interface: "commerce:pricing/prices",
    functions: &["get-list", "find-list", "resolve", "quote"],
    permissions: READ,
    scopes: READ,
}];
