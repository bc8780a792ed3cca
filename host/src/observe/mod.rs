//! Logs, metrics and traces of requests.

pub mod trail;
