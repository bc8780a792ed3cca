//! The invariants of procurement (inventory-procurement.md B4), checked in bounded batches, each in one snapshot.
//! Unique keys keep J6; that its keys are folded as they should be is checked with the rows.

mod charges;
mod imports;
mod incoming;
mod orders;
mod receipts;
mod suppliers;

use stoa_sdk::Findings;
use stoa_trade::stages::{Stage, verify_stages};

/// Every stage, in order.
const STAGES: &[Stage] = &[
    ("suppliers", suppliers::verify),
    ("orders", orders::verify),
    ("incoming", incoming::verify),
    ("receipts", receipts::verify),
    ("imports", imports::verify),
    ("charges", charges::verify),
];

pub fn verify(cursor: Option<String>) -> Findings {
    verify_stages(STAGES, cursor.as_deref())
}
