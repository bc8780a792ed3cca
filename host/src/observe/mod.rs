//! Logs, metrics and traces of requests.

pub mod catalog;
pub mod json_log;
pub mod otlp;
pub mod parent;
pub mod process;
pub mod trace;
pub mod tracer;
pub mod trail;
