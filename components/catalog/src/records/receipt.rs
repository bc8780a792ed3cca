//! What a write answers to an API client: no more than that it is done.

use schemars::JsonSchema;
use serde::Serialize;
use stoa_sdk::Reply;
use stoa_trade::Archivable;
use stoa_trade::life::PublicHead;

/// What a write answers.
#[derive(Serialize, JsonSchema)]
pub struct WriteReceipt {
    #[serde(flatten)]
    head: PublicHead,
}

/// Of a record that is active: clients archive nothing here.
pub fn show_receipt(row: &impl Archivable) -> Reply {
    Reply::json(&WriteReceipt { head: row.public_head() }).of(row.id(), row.version())
}
