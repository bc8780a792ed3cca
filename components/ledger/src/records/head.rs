//! What every record below a legal entity says of itself first.

use schemars::JsonSchema;
use serde::Serialize;
use stoa_sdk::{Id, Instant, tenant};
use stoa_trade::Status;

/// The first members of a record's answer.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Head {
    id: Id,
    tenant_id: Id,
    /// ARCHIVED records are immutable and keep their codes.
    status: Status,
    archived_at: Option<Instant>,
    created_at: Instant,
    updated_at: Instant,
    legal_entity_id: Id,
    code: String,
    name: String,
}

impl Head {
    /// `times`: when the record was created and last changed.
    pub fn new(
        id: Id,
        entity: Id,
        [code, name]: [String; 2],
        status: Status,
        archived_at: Option<Instant>,
        [created_at, updated_at]: [Instant; 2],
    ) -> Head {
        let tenant_id = tenant();
        Head { id, tenant_id, status, archived_at, created_at, updated_at, legal_entity_id: entity, code, name }
    }
}
