//! What a write answers to an API client: no more than that it is done.

use schemars::JsonSchema;
use serde::Serialize;
use stoa_sdk::{Id, Instant, Reply};

use crate::records::Status;

/// What a write answers.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct WriteReceipt {
    id: Id,
    status: Status,
    created_at: Instant,
    updated_at: Instant,
}

/// A written record is always active: clients archive nothing here.
pub fn receipt(id: Id, version: i64, created_at: Instant, updated_at: Instant) -> Reply {
    Reply::json(&WriteReceipt { id, status: Status::Active, created_at, updated_at }).of(id, version)
}
