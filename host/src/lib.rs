//! Stoa's host. It owns HTTP, identity, authorization, transactions, idempotency, audit and events; it knows nothing of
//! commerce. ARCHITECTURE.md is the map.
pub mod calendar;
pub mod cli;
pub mod contract;
pub mod database;
pub mod deployment;
pub mod events;
pub mod gate;
pub mod governance;
pub mod http;
pub mod identity;
pub mod ids;
pub mod keyring;
pub mod log_writer;
pub mod oci;
pub mod operations;
pub mod pipeline;
pub mod platform;
pub mod problem;
pub mod purge;
pub mod sandbox;
pub mod secret_file;
pub mod settings;
pub mod store;
pub mod watchdog;
pub mod wit;
