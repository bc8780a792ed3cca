//! Implementation of the services of `wit/inventory`: one type, an interface a file.

mod costs;
mod stock;
mod units;
mod warehouses;

use stoa_sdk::ServiceAccess;

use crate::records::permission::{ADJUST, CLIENT_READ, CLIENT_WRITE, READ, READ_COSTS, READ_UNITS, WRITE_COSTS};

/// Inventory as other modules call it.
pub struct Services;

#[cfg(target_arch = "wasm32")]
crate::bindings::export!(Services with_types_in crate::bindings);

/// Permissions and scopes that callers need, as for the operations that do the same.
pub const ACCESS: &[ServiceAccess] = &[
    read("commerce:inventory/warehouses", &["get-many", "locations", "find-by-code"]),
    read("commerce:inventory/stock", &["levels", "transferred-incoming"]),
    ServiceAccess::new(
        "commerce:inventory/stock",
        &["reserve", "release", "deliver", "return-from-customer", "receive", "change-incoming", "return-to-supplier"],
        ADJUST,
        CLIENT_WRITE,
    ),
    read("commerce:inventory/units", &["get-many", "of-receipt-items", "of-allocations"]),
    // No API client reads identities.
    ServiceAccess::new("commerce:inventory/units", &["find"], READ_UNITS, &[]),
    ServiceAccess::new("commerce:inventory/costs", &["valuation", "flows"], READ_COSTS, &[]),
    ServiceAccess::new("commerce:inventory/costs", &["correct", "charge", "open"], WRITE_COSTS, &[]),
];

const fn read(interface: &'static str, functions: &'static [&'static str]) -> ServiceAccess {
    ServiceAccess::new(interface, functions, READ, CLIENT_READ)
}
