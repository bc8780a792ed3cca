//! What stands behind the services of `wit/ledger`: one type, three interfaces.

/// The ledger as other modules call it.
pub struct Services;
