//! The invariants of sales (sales-pos.md 7), checked in bounded batches, each in one snapshot. The cursor names the
//! stage and the last id. Unique keys keep S3, S12 and S13, locks S5 and S6.

mod orders;
mod quotations;
mod returns;

use stoa_sdk::Findings;
use stoa_trade::snapshot::{check_lines, check_totals};
use stoa_trade::stages::{Stage, verify_stages};

use crate::work::month_totals::{Deliveries, FIGURES};

/// Documents of a batch: their lines stay below what a few calls answer.
const DOCUMENTS: u32 = 20;

/// Every stage, in order.
const STAGES: &[Stage] = &[
    ("orders", orders::verify),
    ("quotations", quotations::verify),
    ("returns", returns::verify),
    ("delivery-lines", check_lines::<Deliveries, FIGURES>),
    ("delivery-totals", check_totals::<Deliveries, FIGURES>),
];

pub fn verify(cursor: Option<String>) -> Findings {
    verify_stages(STAGES, cursor.as_deref())
}
