//! Implementation of the services of `wit/finance`.

mod tills;

use stoa_sdk::ServiceAccess;

use crate::records::permission::SALES;

/// Finance as other modules call it.
pub struct Services;

#[cfg(target_arch = "wasm32")]
crate::bindings::export!(Services with_types_in crate::bindings);

/// Permissions that callers must hold, as for the operations of the register.
pub const ACCESS: &[ServiceAccess] =
    &[tills(&["open", "prepare", "collect", "move", "close"], SALES.write), tills(&["read"], SALES.read)];

/// No API client works at a register.
const fn tills(functions: &'static [&'static str], permissions: &'static [&'static str]) -> ServiceAccess {
    ServiceAccess { interface: "commerce:finance/tills", functions, permissions, scopes: &[] }
}
