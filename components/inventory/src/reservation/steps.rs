//! Opening and closing reservations: the rows and their ledger, for quantities and for units.

use stoa_sdk::store::{Insert, Update, insert, update_all};
use stoa_sdk::{Id, Instant, facts, new_ids};

use crate::reservation::row::{
    ReservationEntryRow, ReservationRow, ReservationSource, ReservationStatus, ReservationStep,
};
use crate::terms::{Actor, Quantity};

/// For whom goods are held.
#[derive(Debug, Clone)]
pub struct Holder {
    pub source: ReservationSource,
    pub document_id: Option<Id>,
    pub line_id: Option<Id>,
    pub reference_id: Option<Id>,
    pub reason: Option<String>,
}

/// Reservations that a request opens and closes.
#[derive(Default)]
pub struct Steps {
    opened: Vec<ReservationRow>,
    closed: Vec<(Id, ReservationStatus, Option<Id>)>,
    entries: Vec<ReservationEntryRow>,
}

impl Steps {
    /// Holds goods: a quantity, or one unit at this version of it.
    pub fn open(
        &mut self,
        id: Id,
        warehouse: Id,
        variant: Id,
        quantity: Quantity,
        unit: Option<(Id, i64)>,
        holder: &Holder,
    ) -> ReservationRow {
        let (now, actor) = (Instant(facts().now), Actor::current());
        let row = ReservationRow {
            id,
            version: 1,
            created_at: now,
            updated_at: now,
            warehouse_id: warehouse,
            variant_id: variant,
            unit_id: unit.map(|(unit, _)| unit),
            active_unit_id: unit.map(|(unit, _)| unit),
            quantity,
            status: ReservationStatus::Active,
            source: holder.source,
            document_id: holder.document_id,
            line_id: holder.line_id,
            reference_id: holder.reference_id,
            reason: holder.reason.clone(),
            movement_id: None,
            closed_at: None,
            actor_type: actor.actor_type,
            actor_id: actor.actor_id,
            request_id: actor.request_id,
        };
        self.entry(&row, ReservationStep::Reserve, unit.map(|(_, version)| version), None, holder.reason.as_deref());
        self.opened.push(row.clone());
        row
    }

    /// Lets go of what a reservation holds; answers it as it stands then.
    pub fn release(&mut self, row: &ReservationRow, unit_version: Option<i64>, reason: Option<&str>) -> ReservationRow {
        self.close(row, ReservationStatus::Released, unit_version, None, reason)
    }

    /// Goods leave by this movement.
    pub fn consume(&mut self, row: &ReservationRow, unit_version: Option<i64>, movement: Id) -> ReservationRow {
        self.close(row, ReservationStatus::Consumed, unit_version, Some(movement), None)
    }

    fn close(
        &mut self,
        row: &ReservationRow,
        status: ReservationStatus,
        unit_version: Option<i64>,
        movement: Option<Id>,
        reason: Option<&str>,
    ) -> ReservationRow {
        let now = Instant(facts().now);
        let step = if status == ReservationStatus::Released { ReservationStep::Release } else { ReservationStep::Consume };
        self.entry(row, step, unit_version, movement, reason);
        self.closed.push((row.id, status, movement));
        ReservationRow {
            status,
            active_unit_id: None,
            movement_id: movement,
            closed_at: Some(now),
            updated_at: now,
            version: row.version + 1,
            ..row.clone()
        }
    }

    fn entry(
        &mut self,
        row: &ReservationRow,
        kind: ReservationStep,
        unit_version: Option<i64>,
        movement_id: Option<Id>,
        reason: Option<&str>,
    ) {
        let (now, actor) = (Instant(facts().now), Actor::current());
        self.entries.push(ReservationEntryRow {
            // Given when they are written.
            id: row.id,
            created_at: now,
            updated_at: now,
            reservation_id: row.id,
            step: if kind == ReservationStep::Reserve { 1 } else { 2 },
            kind,
            quantity: row.quantity,
            unit_id: row.unit_id,
            unit_version,
            movement_id,
            reason: reason.map(str::to_owned),
            actor_type: actor.actor_type,
            actor_id: actor.actor_id,
            request_id: actor.request_id,
        });
    }

    /// Three calls: new reservations, closed ones, their ledger.
    pub fn calls(&mut self) -> (Insert, Update<ReservationRow>, Insert) {
        let ids = new_ids(u32::try_from(self.entries.len()).unwrap_or(u32::MAX));
        self.entries.iter_mut().zip(ids).for_each(|(entry, id)| entry.id = id);
        let closed = update_all::<ReservationRow>(self.closed.iter().map(|(id, ..)| *id))
            .set_each(ReservationRow::status, self.closed.iter().map(|(_, status, _)| *status))
            .set_each(ReservationRow::movement_id, self.closed.iter().map(|(.., movement)| *movement))
            .set(ReservationRow::active_unit_id, &None)
            .set(ReservationRow::closed_at, &Some(Instant(facts().now)));
        (insert(&self.opened), closed, insert(&self.entries))
    }
}
