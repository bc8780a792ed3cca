//! What a write answers to an API client: no more than that it is done.

use schemars::JsonSchema;
use serde::Serialize;
use stoa_sdk::{Id, Instant, Reply};
use stoa_trade::{Archivable, Status};

/// What a write answers.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct WriteReceipt {
    id: Id,
    status: Status,
    created_at: Instant,
    updated_at: Instant,
}

/// Of a record that is active: clients archive nothing here.
pub fn show_receipt(row: &impl Archivable) -> Reply {
    let head = row.head();
    let receipt =
        WriteReceipt { id: head.id, status: head.status, created_at: head.created_at, updated_at: head.updated_at };
    Reply::json(&receipt).of(head.id, row.version())
}
