//! Stoa's host. It owns HTTP, identity, authorization, transactions, idempotency, audit and events; it knows nothing of
//! commerce. ARCHITECTURE.md is the map.
pub mod contract;
pub mod problem;
pub mod wit;
