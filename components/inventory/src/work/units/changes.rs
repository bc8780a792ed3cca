//! Changes of units. Whatever happens to a unit, by whichever road, is said here as the row before and the row after; version,
//! ledger row, movement and what it means for stock and worth follow from the two. So no road can forget one of them.

use stoa_sdk::{Id, Instant, new_ids, now};
use stoa_trade::document::actor::Actor;
use stoa_trade::quantity::Quantity;

use crate::records::cost::CostKind;
use crate::records::movement::{DocumentType, MovementRow, MovementType, ReferenceType};
use crate::records::unit::{UnitEntryRow, UnitEvent, UnitRow, UnitStatus};
use crate::work::goods::new_movement;
use crate::work::units::worth::Worth;

/// One piece.
pub const ONE: Quantity = Quantity::from_units(1_000_000);

/// Why units move, as their movements record it.
#[derive(Debug, Clone)]
pub struct Why {
    pub movement_type: MovementType,
    pub reason: String,
    pub reference_type: ReferenceType,
    pub reference_id: Option<Id>,
    pub document: Option<(DocumentType, Id)>,
    pub receipt_item_id: Option<Id>,
    pub sale_allocation_id: Option<Id>,
    /// Account that the books post the value against, instead of the account of the posting role.
    pub counter_account: Option<Id>,
}

impl Why {
    /// By hand, or by a document that has no reference of its own.
    pub fn manual(movement_type: MovementType, reason: &str, reference_id: Option<Id>) -> Why {
        Why {
            movement_type,
            reason: reason.to_owned(),
            reference_type: ReferenceType::Manual,
            reference_id,
            document: None,
            receipt_item_id: None,
            sale_allocation_id: None,
            counter_account: None,
        }
    }

    pub fn of_document(mut self, kind: DocumentType, id: Id) -> Why {
        self.document = Some((kind, id));
        self
    }

    /// How the cost ledger names goods that came in so.
    pub fn inflow(&self) -> CostKind {
        match (self.movement_type, self.document) {
            (MovementType::PurchaseReceipt, _) => CostKind::Received,
            (_, Some((DocumentType::CustomerReturn, _))) => CostKind::Back,
            _ => CostKind::AdjustedIn,
        }
    }

    /// How the cost ledger names goods that went so.
    pub fn outflow(&self) -> CostKind {
        match (self.movement_type, self.document) {
            (MovementType::Sale, _) => CostKind::Sold,
            (MovementType::Damage, _) => CostKind::Damaged,
            (MovementType::Loss, _) => CostKind::Lost,
            (_, Some((DocumentType::SupplierReturn, _))) => CostKind::Returned,
            _ => CostKind::AdjustedOut,
        }
    }
}

/// The effect of a change on the worth of the unit.
#[derive(Debug, Clone, PartialEq)]
pub enum WorthChange {
    /// It stays worth what it was, or nothing.
    Same,
    /// It is worth something from now on: a layer of its own.
    Opens { kind: CostKind, worth: Worth },
    /// It is worth nothing any more: its layer is drawn.
    Draws { kind: CostKind },
}

/// One change, ready to be written.
#[derive(Debug, Clone)]
pub struct UnitChange {
    /// None: a new unit.
    pub before: Option<UnitRow>,
    pub after: UnitRow,
    pub entry: UnitEntryRow,
    pub movement: Option<MovementRow>,
    pub value: WorthChange,
}

impl UnitChange {
    /// The receipt line that a new layer belongs to, for goods from a supplier.
    pub fn layer_receipt_item(&self) -> Option<Id> {
        match &self.value {
            WorthChange::Opens { kind: CostKind::Received, .. } => self.after.receipt_item_id,
            _ => None,
        }
    }
}

/// Changes of one request, in its order; every unit at most once.
pub struct Changes {
    ids: std::vec::IntoIter<Id>,
    now: Instant,
    actor: Actor,
    pub all: Vec<UnitChange>,
}

impl Changes {
    /// For at most this many units.
    pub fn new(units: usize) -> Changes {
        let ids = new_ids(u32::try_from(units.saturating_mul(3)).unwrap_or(u32::MAX)).into_iter();
        Changes { ids, now: now(), actor: Actor::current(), all: Vec::new() }
    }

    pub fn now(&self) -> Instant {
        self.now
    }

    /// One of three ids per unit: for the unit itself where it is new.
    pub fn id(&mut self) -> Id {
        self.ids.next().unwrap_or_else(stoa_sdk::new_id)
    }

    /// A new unit.
    pub fn admit(&mut self, unit: UnitRow, why: &Why, worth: Worth) {
        self.push(None, unit, UnitEvent::Created, Some(why), Some(&why.reason), None, worth);
    }

    /// A unit moves, or changes its state by a movement; answers the movement.
    pub fn record_move(&mut self, before: UnitRow, after: UnitRow, why: &Why, worth: Worth) -> Id {
        let id = before.id;
        let moved = self.push(Some(before), after, UnitEvent::Moved, Some(why), Some(&why.reason), None, worth);
        moved.unwrap_or(id)
    }

    /// A unit is held or let go: `after` says by which reservation, or none.
    pub fn record_hold(&mut self, before: UnitRow, after: UnitRow, reason: Option<&str>) {
        let event = if after.reservation_id.is_some() { UnitEvent::Reserved } else { UnitEvent::Released };
        let reservation = after.reservation_id.or(before.reservation_id);
        self.push(Some(before), after, event, None, reason, reservation, Worth::default());
    }

    /// Condition and grade change, nothing else.
    pub fn record_regrade(&mut self, before: UnitRow, after: UnitRow, reason: &str) {
        self.push(Some(before), after, UnitEvent::Regraded, None, Some(reason), None, Worth::default());
    }

    #[allow(clippy::too_many_arguments, reason = "the one place where all that is known of a change meets")]
    fn push(
        &mut self,
        before: Option<UnitRow>,
        after: UnitRow,
        event: UnitEvent,
        why: Option<&Why>,
        reason: Option<&str>,
        reservation_id: Option<Id>,
        worth: Worth,
    ) -> Option<Id> {
        let unit_version = before.as_ref().map_or(1, UnitRow::next_version);
        let after = UnitRow { version: unit_version, updated_at: self.now, ..after };
        let movement = why.map(|why| self.movement(before.as_ref(), &after, why));
        let entry = self.entry(before.as_ref(), &after, event, movement.as_ref(), reservation_id, reason);
        let was_valued = before.as_ref().is_some_and(|before| before.status.is_valued());
        let value = match (why, was_valued, after.status.is_valued()) {
            (Some(why), false, true) => WorthChange::Opens { kind: why.inflow(), worth },
            (Some(why), true, false) => WorthChange::Draws { kind: why.outflow() },
            _ => WorthChange::Same,
        };
        let moved = movement.as_ref().map(|movement| movement.id);
        self.all.push(UnitChange { before, after, entry, movement, value });
        moved
    }

    fn movement(&mut self, before: Option<&UnitRow>, after: &UnitRow, why: &Why) -> MovementRow {
        let id = self.id();
        let goods = (after.variant_id, after.product_id);
        MovementRow {
            from_warehouse_id: before.and_then(|before| before.warehouse_id),
            to_warehouse_id: after.warehouse_id,
            from_location_id: before.and_then(|before| before.location_id),
            to_location_id: after.location_id,
            from_status: before.map(|before| before.status),
            to_status: Some(after.status),
            reference_type: why.reference_type,
            reference_id: why.reference_id,
            document_type: why.document.map(|(kind, _)| kind),
            document_id: why.document.map(|(_, id)| id),
            inventory_unit_id: Some(after.id),
            unit_version: Some(after.version),
            purchase_receipt_item_id: why.receipt_item_id,
            sale_allocation_id: why.sale_allocation_id,
            ..new_movement(id, (self.now, &self.actor), goods, (why.movement_type, ONE, &why.reason))
        }
    }

    fn entry(
        &mut self,
        before: Option<&UnitRow>,
        after: &UnitRow,
        event: UnitEvent,
        movement: Option<&MovementRow>,
        reservation_id: Option<Id>,
        reason: Option<&str>,
    ) -> UnitEntryRow {
        UnitEntryRow {
            id: self.id(),
            created_at: self.now,
            updated_at: self.now,
            unit_id: after.id,
            unit_version: after.version,
            event,
            variant_id: after.variant_id,
            movement_id: movement.map(|movement| movement.id),
            reservation_id,
            from_status: before.map(|before| before.status),
            to_status: after.status,
            from_warehouse_id: before.and_then(|before| before.warehouse_id),
            to_warehouse_id: after.warehouse_id,
            from_location_id: before.and_then(|before| before.location_id),
            to_location_id: after.location_id,
            condition: after.condition,
            grade: after.grade,
            reason: reason.map(str::to_owned),
            actor_type: self.actor.actor_type,
            actor_id: self.actor.actor_id.clone(),
            request_id: self.actor.request_id,
        }
    }
}

impl UnitRow {
    /// The unit without a place: sold, lost, sent back.
    pub fn without_place(&self, status: UnitStatus) -> UnitRow {
        UnitRow { status, warehouse_id: None, location_id: None, ..self.clone() }
    }

    /// The unit in a place.
    pub fn in_place(&self, status: UnitStatus, warehouse: Id, location: Option<Id>) -> UnitRow {
        UnitRow { status, warehouse_id: Some(warehouse), location_id: location, ..self.clone() }
    }
}
