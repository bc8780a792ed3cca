//! Inventory's invariants, checked in bounded batches, each in one snapshot. The cursor names the stage and the last id.

mod batch;
mod costs;
mod movements;
mod postings;
mod reservations;
mod sales;
mod stock;
mod transfers;
mod unit_stock;
mod units;

use stoa_sdk::{Findings, Id};

use crate::verify::batch::Batch;

/// A stage's next batch, after the last id of the batch before.
type Stage = fn(Option<Id>) -> Batch;

/// Every stage, in order.
const STAGES: &[(&str, Stage)] = &[
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
    let (name, after) = match cursor.as_deref().and_then(|cursor| cursor.split_once(':')) {
        Some((name, id)) => (name, id.parse().ok()),
        None => ("stock", None),
    };
    let Some(at) = STAGES.iter().position(|(stage, _)| *stage == name) else {
        return Findings { findings: Vec::new(), next: None };
    };
    let Some((name, stage)) = STAGES.get(at) else { return Findings { findings: Vec::new(), next: None } };
    let (findings, last) = stage(after);
    let next = match last {
        Some(id) => Some(format!("{name}:{id}")),
        None => STAGES.get(at + 1).map(|(next, _)| format!("{next}:")),
    };
    Findings { findings, next }
}
