//! Logs, metrics and traces of requests.

pub mod json_log;
pub mod metric_list;
pub mod otlp;
pub mod parent;
pub mod process;
pub mod trace;
pub mod tracer;
pub mod trail;
