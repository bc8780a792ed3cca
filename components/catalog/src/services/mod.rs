//! Services of the catalog for other modules, as `wit/catalog` says it: one type, an interface in each file.

pub mod articles;
pub mod holdings;
pub mod products;

use stoa_sdk::ServiceAccess;

use crate::records::permission::READ;

/// The catalog as other modules call it.
pub struct Services;

#[cfg(target_arch = "wasm32")]
crate::bindings::export!(Services with_types_in crate::bindings);

/// Everything here is read, but for what goods there are: the module that counts them says that, and no caller does.
pub const ACCESS: &[ServiceAccess] = &[
    access("commerce:catalog/articles", &["get-variants", "find-by-code", "product-variants"]),
    access("commerce:catalog/products", &["show"]),
    access("commerce:catalog/holdings", &["read"]),
    ServiceAccess::new("commerce:catalog/holdings", &["note"], &[], &[]),
];

const fn access(interface: &'static str, functions: &'static [&'static str]) -> ServiceAccess {
    ServiceAccess::new(interface, functions, READ, READ)
}
