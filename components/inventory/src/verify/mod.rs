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
use stoa_trade::snapshot::{check_lines, check_totals};
use stoa_trade::stages::{Stage, verify_stages};

use crate::work::costs::totals::{EntityCosts, VariantCosts};

/// Every stage, in order.
const STAGES: &[Stage] = &[
    ("stock", stock::verify),
    ("pools", costs::pools),
    ("layers", costs::layers),
    ("items", costs::items),
    ("entities", costs::entities),
    ("cost-entries", check_lines::<VariantCosts, 3>),
    ("variant-cost-totals", check_totals::<VariantCosts, 3>),
    ("cost-lines", check_lines::<EntityCosts, 3>),
    ("cost-totals", check_totals::<EntityCosts, 3>),
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
