//! Changes to goods in one request, as they are collected: figures of stock, movements, inflows, outflows, reservations.

use std::collections::BTreeMap;

use stoa_sdk::{Date, Entity, Id, Instant, new_id, now, today};
use stoa_trade::clients::articles::{self, Article};
use stoa_trade::document::actor::Actor;
use stoa_trade::quantity::{Quantity, UnitCost};

use crate::records::cost::CostKind;
use crate::records::movement::{DocumentType, MovementRow, MovementType, ReferenceType};
use crate::records::reservation::{
    ReservationEntryRow, ReservationRow, ReservationSource, ReservationStatus, ReservationStep,
};
use crate::records::warehouse::WarehouseRow;
use crate::rules::delta::{Delta, Pair};

/// Where goods are, and whose they are there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    pub warehouse: Id,
    pub entity: Id,
    pub branch: Option<Id>,
    pub sellable: bool,
}

impl Place {
    pub fn from_row(row: &WarehouseRow) -> Place {
        Place { warehouse: row.id, entity: row.legal_entity_id, branch: row.branch_id, sellable: row.kind.is_normal() }
    }
}

/// Goods of one entity that share their layers: entity and variant.
pub type Pool = (Id, Id);

/// Which goods.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sku {
    pub variant: Id,
    pub product: Id,
    /// Everybody may know its stock.
    pub public: bool,
}

impl Sku {
    pub fn new(article: &Article) -> Sku {
        Sku {
            variant: article.variant_id.into(),
            product: article.product_id.into(),
            public: articles::is_on_sale(article),
        }
    }
}

/// A movement by hand of a variant and product, to be completed: no place, no unit, no document.
pub fn new_movement(
    id: Id,
    (now, actor): (Instant, &Actor),
    (variant_id, product_id): (Id, Id),
    (movement_type, quantity, reason): (MovementType, Quantity, &str),
) -> MovementRow {
    MovementRow {
        id,
        created_at: now,
        updated_at: now,
        variant_id,
        product_id,
        movement_type,
        quantity,
        from_warehouse_id: None,
        to_warehouse_id: None,
        from_location_id: None,
        to_location_id: None,
        from_status: None,
        to_status: None,
        reason: reason.to_owned(),
        reference_type: ReferenceType::Manual,
        reference_id: None,
        document_type: None,
        document_id: None,
        inventory_unit_id: None,
        unit_version: None,
        purchase_receipt_item_id: None,
        sale_allocation_id: None,
        actor_type: actor.actor_type,
        actor_id: actor.actor_id.clone(),
        request_id: actor.request_id,
    }
}

/// Goods that come in: one layer.
#[derive(Debug, Clone)]
pub struct Inflow {
    pub movement: Id,
    pub place: Place,
    pub sku: Sku,
    pub unit: Option<Id>,
    pub quantity: Quantity,
    pub unit_cost: Option<UnitCost>,
    pub currency_code: Option<String>,
    pub receipt_item: Option<Id>,
    /// RECEIVED, ADJUSTED_IN or BACK.
    pub kind: CostKind,
    pub document: Option<(DocumentType, Id)>,
    /// The entry by which they once left.
    pub source_entry: Option<Id>,
    /// Account that the books post the value against, instead of the account of the posting role.
    pub counter_account: Option<Id>,
}

/// Goods that go out: a draw from layers, or the layer of a unit.
#[derive(Debug, Clone)]
pub struct Outflow {
    pub movement: Id,
    pub place: Place,
    pub sku: Sku,
    pub unit: Option<Id>,
    pub quantity: Quantity,
    /// SOLD, ADJUSTED_OUT, DAMAGED, LOST or RETURNED.
    pub kind: CostKind,
    pub document: Option<(DocumentType, Id)>,
    /// As for an inflow.
    pub counter_account: Option<Id>,
}

impl Inflow {
    pub fn pool(&self) -> Pool {
        (self.place.entity, self.sku.variant)
    }

    /// In quantities, of no document, at no known cost: to be completed.
    pub fn new(movement: Id, place: Place, sku: Sku, quantity: Quantity, kind: CostKind) -> Inflow {
        Inflow {
            movement,
            place,
            sku,
            unit: None,
            quantity,
            unit_cost: None,
            currency_code: None,
            receipt_item: None,
            kind,
            document: None,
            source_entry: None,
            counter_account: None,
        }
    }
}

impl Outflow {
    pub fn pool(&self) -> Pool {
        (self.place.entity, self.sku.variant)
    }

    /// In quantities, of no document: to be completed.
    pub fn new(movement: Id, place: Place, sku: Sku, quantity: Quantity, kind: CostKind) -> Outflow {
        Outflow { movement, place, sku, unit: None, quantity, kind, document: None, counter_account: None }
    }
}

/// For whom goods are held.
#[derive(Debug, Clone)]
pub struct Holder {
    pub source: ReservationSource,
    pub document_id: Option<Id>,
    pub line_id: Option<Id>,
    pub reference_id: Option<Id>,
    pub reason: Option<String>,
}

impl Holder {
    /// A line of a document.
    pub fn new(source: ReservationSource, document: Id, line: Id) -> Holder {
        Holder { source, document_id: Some(document), line_id: Some(line), reference_id: None, reason: None }
    }

    /// The user who holds them by hand.
    pub fn manual(reference_id: Option<Id>, reason: String) -> Holder {
        let source = ReservationSource::Manual;
        Holder { source, document_id: None, line_id: None, reference_id, reason: Some(reason) }
    }
}

/// How a reservation ends.
#[derive(Debug, Clone)]
pub struct Closing {
    pub reservation: ReservationRow,
    /// The movement that consumed it; `None`: it is released.
    pub movement: Option<Id>,
    pub reason: Option<String>,
    pub unit_version: Option<i64>,
}

pub(super) struct Change {
    pub(super) place: Place,
    pub(super) sku: Sku,
    pub(super) delta: Delta,
    /// The parts, in the order of the request, with their pointers.
    pub(super) lines: Vec<(usize, Delta, String)>,
}

/// Changes to goods in one request.
pub struct Goods {
    pub(super) actor: Actor,
    pub(super) now: Instant,
    pub(super) today: Date,
    pub(super) changes: BTreeMap<Pair, Change>,
    pub(super) lines: usize,
    pub(super) movements: Vec<MovementRow>,
    pub(super) inflows: Vec<Inflow>,
    pub(super) outflows: Vec<Outflow>,
    pub(super) touched: BTreeMap<(Id, Id), Sku>,
    pub(super) opened: Vec<ReservationRow>,
    pub(super) closed: Vec<Closing>,
    pub(super) entries: Vec<ReservationEntryRow>,
}

impl Default for Goods {
    fn default() -> Goods {
        Goods {
            now: now(),
            today: today(),
            actor: Actor::current(),
            changes: BTreeMap::new(),
            lines: 0,
            movements: Vec::new(),
            inflows: Vec::new(),
            outflows: Vec::new(),
            touched: BTreeMap::new(),
            opened: Vec::new(),
            closed: Vec::new(),
            entries: Vec::new(),
        }
    }
}

impl Goods {
    /// Changes the figures of a pair; where they do not allow it, `pointer` is refused.
    pub fn change(&mut self, place: &Place, sku: &Sku, delta: Delta, pointer: &str) {
        let pair = Pair { warehouse: place.warehouse, variant: sku.variant };
        let new = || Change { place: *place, sku: *sku, delta: Delta::default(), lines: Vec::new() };
        let change = self.changes.entry(pair).or_insert_with(new);
        change.delta = change.delta.and(delta);
        change.lines.push((self.lines, delta, pointer.to_owned()));
        self.lines += 1;
    }

    /// A movement of this request by hand, to be completed: no unit, no document.
    pub fn movement(&self, kind: MovementType, sku: &Sku, quantity: Quantity, reason: &str) -> MovementRow {
        new_movement(new_id(), (self.now, &self.actor), (sku.variant, sku.product), (kind, quantity, reason))
    }

    /// A new reservation of this request, to be completed: it has no unit.
    pub fn reservation(&self, warehouse_id: Id, variant_id: Id, quantity: Quantity, holder: Holder) -> ReservationRow {
        ReservationRow {
            id: new_id(),
            version: 1,
            created_at: self.now,
            updated_at: self.now,
            warehouse_id,
            variant_id,
            unit_id: None,
            active_unit_id: None,
            quantity,
            status: ReservationStatus::Active,
            source: holder.source,
            document_id: holder.document_id,
            line_id: holder.line_id,
            reference_id: holder.reference_id,
            reason: holder.reason,
            movement_id: None,
            closed_at: None,
            actor_type: self.actor.actor_type,
            actor_id: self.actor.actor_id.clone(),
            request_id: self.actor.request_id,
        }
    }

    pub fn record(&mut self, movement: MovementRow) {
        self.movements.push(movement);
    }

    pub fn bring(&mut self, inflow: Inflow) {
        self.inflows.push(inflow);
    }

    /// Returns the place of its cost in `Settled::costs`.
    pub fn draw(&mut self, outflow: Outflow) -> usize {
        self.outflows.push(outflow);
        self.outflows.len() - 1
    }

    /// Locks what the goods of an entity cost, for `Settled::bring`.
    pub fn touch(&mut self, place: &Place, sku: &Sku) {
        self.touched.insert((place.entity, sku.variant), *sku);
    }

    pub fn now(&self) -> Instant {
        self.now
    }

    /// A new reservation, and the first step of its ledger. The stock that it holds is a change of its own.
    pub fn open(&mut self, row: ReservationRow, unit_version: Option<i64>) {
        self.entries.push(self.first_step(&row, unit_version));
        self.opened.push(row);
    }

    /// The end of a reservation that is locked and ACTIVE, and the second step of its ledger; as for `open`.
    pub fn close(&mut self, closing: Closing) {
        self.entries.push(ReservationEntryRow {
            step: 2,
            kind: if closing.movement.is_some() { ReservationStep::Consume } else { ReservationStep::Release },
            movement_id: closing.movement,
            reason: closing.reason.clone(),
            ..self.first_step(&closing.reservation, closing.unit_version)
        });
        self.closed.push(closing);
    }

    fn first_step(&self, row: &ReservationRow, unit_version: Option<i64>) -> ReservationEntryRow {
        ReservationEntryRow {
            id: new_id(),
            created_at: self.now,
            updated_at: self.now,
            reservation_id: row.id,
            step: 1,
            kind: ReservationStep::Reserve,
            quantity: row.quantity,
            unit_id: row.unit_id,
            unit_version,
            movement_id: None,
            reason: row.reason.clone(),
            actor_type: self.actor.actor_type,
            actor_id: self.actor.actor_id.clone(),
            request_id: self.actor.request_id,
        }
    }
}

impl Closing {
    /// The row as it is afterwards.
    pub fn after(&self, now: Instant) -> ReservationRow {
        let mut after = ReservationRow {
            status: if self.movement.is_some() { ReservationStatus::Consumed } else { ReservationStatus::Released },
            active_unit_id: None,
            movement_id: self.movement,
            closed_at: Some(now),
            ..self.reservation.clone()
        };
        after.touch(now);
        after
    }
}
