//! Answers to writes: a person sees the record, an API client no more than that the write is done.

use schemars::JsonSchema;
use serde::Serialize;
use stoa_sdk::Reply;
use stoa_trade::life::PublicHead;
use stoa_trade::{Archivable, Caller};

/// Receipt of a write.
#[derive(Serialize, JsonSchema)]
pub struct WriteReceipt {
    #[serde(flatten)]
    head: PublicHead,
}

/// The record that was written: the whole of it for a person, a receipt for an API client.
pub fn show_written<R: Archivable, P: Serialize>(row: &R, person: impl FnOnce(&R) -> P) -> Reply {
    let receipt = || WriteReceipt { head: row.public_head() };
    Caller::current().show(|| person(row), receipt).of(row.id(), row.version())
}
