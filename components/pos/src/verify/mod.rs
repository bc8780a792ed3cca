//! The invariants of the point of sale (sales-pos.md 12), checked in bounded batches, each in one snapshot. Unique keys
//! keep T4 and that the rows of a session have versions of their own (T5).

mod receipts;
mod registers;
mod sessions;

use stoa_sdk::Findings;
use stoa_trade::stages::{Stage, verify_stages};

/// Documents of a batch: their lines stay below the limit of a few calls.
const BATCH: u32 = 20;

/// Every stage, in order.
const STAGES: &[Stage] =
    &[("registers", registers::verify), ("sessions", sessions::verify), ("receipts", receipts::verify)];

pub fn verify(cursor: Option<String>) -> Findings {
    verify_stages(STAGES, cursor.as_deref())
}
