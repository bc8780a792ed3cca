//! Reservations against their ledger: I7.

use stoa_sdk::store::{read, select};
use stoa_sdk::{Filter, Id};
use stoa_trade::stages::{Batch, NOTHING_LEFT, finding, read_batch};

use crate::records::reservation::{ReservationEntryRow, ReservationRow, ReservationStatus, ReservationStep};

/// Reservations of a batch.
const BATCH: u32 = 200;

pub fn verify(after: Option<Id>) -> Batch {
    let Some(page) = read_batch::<ReservationRow>(Filter::default(), after, BATCH) else { return NOTHING_LEFT };
    let ids = page.rows.iter().map(|row| row.id);
    let entries = read(select::<ReservationEntryRow>(ReservationEntryRow::reservation_id.one_of(ids)).whole());
    let mut findings = Vec::new();
    for row in &page.rows {
        let mut steps: Vec<&ReservationEntryRow> = entries.iter().filter(|e| e.reservation_id == row.id).collect();
        steps.sort_by_key(|entry| entry.step);
        let kinds: Vec<ReservationStep> = steps.iter().map(|entry| entry.kind).collect();
        let expected = match row.status {
            ReservationStatus::Active => vec![ReservationStep::Reserve],
            ReservationStatus::Released => vec![ReservationStep::Reserve, ReservationStep::Release],
            ReservationStatus::Consumed => vec![ReservationStep::Reserve, ReservationStep::Consume],
        };
        if kinds != expected || steps.iter().any(|entry| entry.quantity != row.quantity) {
            findings.push(finding("I7", row.id, "The reservation differs from its ledger."));
        }
        let closed = row.status != ReservationStatus::Active;
        let consumed = row.status == ReservationStatus::Consumed;
        let unit = if closed { None } else { row.unit_id };
        if row.closed_at.is_some() != closed || row.movement_id.is_some() != consumed || row.active_unit_id != unit {
            findings.push(finding("I7", row.id, "The reservation's members contradict its status."));
        }
    }
    (findings, page.last)
}
