//! Generated pages: lists, records, other reads, and writes.

pub mod list;
pub mod record;
pub mod value;
pub mod write;

use axum::response::Response;

use crate::call::{Problem, to_address};
use crate::page::Visit;
use crate::site::operation::Operation;

/// The page at the address of a GET operation. `known`: the parameters of its path.
pub async fn respond(visit: &Visit, operation: &Operation, known: &[(String, String)]) -> Result<Response, Problem> {
    let collection = visit.site.collection_at(operation, known);
    match visit.site.record_at(operation).filter(|_| collection.is_none()) {
        Some(record) => record::respond(visit, operation, record, known).await,
        None => list::respond(visit, operation, collection, known).await,
    }
}

/// A value as a segment of a path.
pub fn encode_segment(value: &str) -> String {
    to_address("", &[("", value)]).split_off("?=".len())
}
