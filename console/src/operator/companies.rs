//! Companies: their list, their status, entitlements and keys.
