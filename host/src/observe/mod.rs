//! Logs, metrics and traces of requests.

pub mod catalog;
pub mod json_log;
pub mod process;
pub mod trail;
