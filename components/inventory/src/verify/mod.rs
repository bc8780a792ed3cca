//! Inventory's invariants, checked in bounded batches, each in one snapshot. The cursor names the stage and the last id.

mod costs;
mod movements;
mod postings;
mod reservations;
mod sales;
mod stock;
mod transfers;
mod unit_stock;
mod units;

use stoa_sdk::Findings;
use stoa_trade::stages::{Stage, verify_stages};

/// Every stage, in order.
const STAGES: &[Stage] = &[
    ("stock", stock::verify),
    ("pools", costs::pools),
    ("layers", costs::layers),
    ("items", costs::items),
    ("entities", costs::entities),
    ("reservations", reservations::verify),
    ("movements", movements::verify),
    ("sales", sales::verify),
    ("postings", postings::verify),
    ("units", units::units),
    ("unit-entries", units::entries),
    ("unit-stock", unit_stock::stock),
    ("transfers", transfers::transfers),
];

pub fn verify(cursor: Option<String>) -> Findings {
    verify_stages(STAGES, cursor.as_deref())
}
