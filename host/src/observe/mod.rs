//! Logs, metrics and traces of requests.

pub mod otlp;
pub mod parent;
pub mod trace;
pub mod tracer;
pub mod trail;
