//! The invariants of the point of sale (sales-pos.md 12), checked in bounded batches, each in one snapshot. The cursor names the stage
//! and the last id. Unique keys keep T4 and that the rows of a session have versions of their own (T5).

mod batch;
mod receipts;
mod registers;
mod sessions;

use stoa_sdk::{Findings, Id};

use crate::verify::batch::Batch;

/// A stage's next batch, after the last id of the batch before.
type Stage = fn(Option<Id>) -> Batch;

/// Every stage, in order.
const STAGES: &[(&str, Stage)] =
    &[("registers", registers::verify), ("sessions", sessions::verify), ("receipts", receipts::verify)];

pub fn verify(cursor: Option<String>) -> Findings {
    let (name, after) = match cursor.as_deref().and_then(|cursor| cursor.split_once(':')) {
        Some((name, id)) => (name, id.parse().ok()),
        None => ("registers", None),
    };
    let position = STAGES.iter().position(|(stage, _)| *stage == name);
    let Some((index, (name, stage))) = position.and_then(|index| Some((index, STAGES.get(index)?))) else {
        return Findings { findings: Vec::new(), next: None };
    };
    let (findings, last) = stage(after);
    let next = match last {
        Some(id) => Some(format!("{name}:{id}")),
        None => STAGES.get(index + 1).map(|(next, _)| format!("{next}:")),
    };
    Findings { findings, next }
}
