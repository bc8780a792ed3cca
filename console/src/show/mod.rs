//! Generated pages: lists, records, other reads, and writes.

pub mod list;
pub mod reading;
pub mod record;
pub mod value;
pub mod write;

use axum::response::Response;

use crate::call::{Problem, to_address};
use crate::page::Visit;
use crate::site::operation::Operation;

/// The page at the address of a GET operation. `known`: the parameters of its path.
pub async fn respond(visit: &Visit, operation: &Operation, known: &[(String, String)]) -> Result<Response, Problem> {
    if let Some(collection) = visit.site.collection_at(operation, known) {
        return list::respond(visit, operation, collection, known).await;
    }
    match visit.site.record_at(operation) {
        Some(record) => record::respond(visit, operation, record, known).await,
        None => reading::respond(visit, operation, known).await,
    }
}

/// A value as a segment of a path.
pub fn encode_segment(value: &str) -> String {
    to_address("", &[("", value)]).split_off("?=".len())
}
