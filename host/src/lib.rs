//! Stoa's host. It owns HTTP, identity, authorization, transactions, idempotency, audit and events; it knows nothing of
//! commerce. ARCHITECTURE.md is the map.
pub mod database;
pub mod problem;
pub mod store;
pub mod wit;
