//! Inventory's invariants, checked in bounded batches, each in one snapshot. The cursor names the stage and the last id.

mod costs;
mod movements;
mod postings;
mod reservations;
mod sales;
mod stock;

use stoa_sdk::{Finding, Findings, Id};

use crate::unit;

/// A batch of a stage: what is wrong, and the last id where more follow.
pub type Batch = (Vec<Finding>, Option<Id>);

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
    ("units", unit::verify::units),
    ("unit-entries", unit::verify::entries),
    ("unit-stock", unit::verify::stock),
    ("transfers", unit::verify::transfers),
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

/// What is wrong with a row; never with a word of what it holds.
pub fn finding(invariant: &str, resource: Id, message: &str) -> Finding {
    Finding { invariant: invariant.to_owned(), resource: Some(resource.into()), message: message.to_owned() }
}
