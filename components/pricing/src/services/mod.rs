//! Services of pricing for other modules: a file for each interface.

pub mod offers;
pub mod prices;

use stoa_sdk::ServiceAccess;

use crate::records::permission::READ;

/// Everything here is read.
pub const ACCESS: &[ServiceAccess] = &[
    ServiceAccess::new("commerce:pricing/prices", &["get-list", "find-list", "resolve", "quote"], READ, READ),
    ServiceAccess::new("commerce:pricing/offers", &["make"], READ, READ),
];
