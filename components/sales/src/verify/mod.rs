//! The invariants of sales (sales-pos.md 7), checked in bounded batches, each in one snapshot. The cursor names the stage and the last
//! id. Unique keys keep S3, S12 and S13, locks S5 and S6.

mod batch;
mod orders;
mod quotations;
mod returns;

use stoa_sdk::{Findings, Id};

use crate::verify::batch::Batch;

/// A stage's next batch, after the last id of the batch before.
type Stage = fn(Option<Id>) -> Batch;

/// Every stage, in order.
const STAGES: &[(&str, Stage)] =
    &[("orders", orders::verify), ("quotations", quotations::verify), ("returns", returns::verify)];

pub fn verify(cursor: Option<String>) -> Findings {
    let (name, after) = match cursor.as_deref().and_then(|cursor| cursor.split_once(':')) {
        Some((name, id)) => (name, id.parse().ok()),
        None => ("orders", None),
    };
    let at = STAGES.iter().position(|(stage, _)| *stage == name);
    let Some((at, (name, stage))) = at.and_then(|at| Some((at, STAGES.get(at)?))) else {
        return Findings { findings: Vec::new(), next: None };
    };
    let (findings, last) = stage(after);
    let next = match last {
        Some(id) => Some(format!("{name}:{id}")),
        None => STAGES.get(at + 1).map(|(next, _)| format!("{next}:")),
    };
    Findings { findings, next }
}
