//! HTTP: the one way in. Routes come from the generation; refusals are problems on every path.

pub mod accept;
pub mod answer;
pub mod body;
pub mod budget;
mod compression;
mod conditional;
mod connection;
pub mod connection_limit;
pub mod cors;
mod file;
pub mod linger;
pub mod named_host;
pub mod open_files;
pub mod operator;
pub mod peer;
mod pending_responses;
pub mod private;
pub mod problem;
pub mod readiness;
pub mod reference;
mod response_memory;
pub mod server;
pub mod starting;
mod success;
mod validate;
pub mod visit;
