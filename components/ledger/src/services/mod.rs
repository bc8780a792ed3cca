//! Services for other modules, as `wit/ledger` declares them: one type, an interface in each file.

mod books;
mod directory;
mod money;

use stoa_sdk::ServiceAccess;

use crate::records::permission::{FIGURES, SETTINGS};

/// The ledger as other modules call it.
pub struct Services;

#[cfg(target_arch = "wasm32")]
crate::bindings::export!(Services with_types_in crate::bindings);

/// Permissions that callers must hold. Entities, branches and money accounts every member reads, and what `admit` and
/// `resolve` judge is not a figure of the books.
pub const ACCESS: &[ServiceAccess] = &[
    access("commerce:ledger/directory", &["hold", "release"], SETTINGS),
    access("commerce:ledger/books", &["post", "post-all", "mirror", "mirror-all", "begin"], SETTINGS),
    access("commerce:ledger/books", &["role-balances", "entries"], FIGURES),
    access("commerce:ledger/money", &["flows"], FIGURES),
];

/// No API client keeps books.
const fn access(
    interface: &'static str,
    functions: &'static [&'static str],
    permissions: &'static [&'static str],
) -> ServiceAccess {
    ServiceAccess { interface, functions, permissions, scopes: &[] }
}
