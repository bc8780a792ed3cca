//! Units in what other modules do to goods: held for an order, delivered, brought back, received, sent back. Each part locks its
//! units, checks them and puts what happens to them into the request's goods and changes; the caller, who has the quantities,
//! takes and writes both together.

use std::collections::BTreeMap;

use stoa_sdk::store::{get_all, run};
use stoa_sdk::{Id, Item, Problem, map, new_ids};

use crate::articles::Article;
use crate::goods::{Closing, Goods};
use crate::movement::row::{DocumentType, MovementType, ReferenceType};
use crate::reservation::row::{ReservationRow, ReservationSource};
use crate::terms::Quantity;
use crate::unit::change::{Changes, Value, Why};
use crate::unit::condition::Objections;
use crate::unit::cost::Worth;
use crate::unit::identity::{self, New, UnitInput};
use crate::unit::reserve::{self, Holder};
use crate::unit::row::{UnitRow, UnitStatus};
use crate::unit::state::{self, Cause};
use crate::warehouse::row::WarehouseRow;

/// The units of these ids, locked in the order of their ids.
///
/// # Errors
/// The store's.
pub fn locked(ids: impl IntoIterator<Item = Id>) -> Result<BTreeMap<Id, UnitRow>, Problem> {
    Ok(map(run(get_all::<UnitRow>(ids).locked())?.into_iter().map(|unit| (unit.id, unit))))
}

/// 409: a line needs this many units and names that many.
pub fn count_mismatch(pointer: &str, required: usize, identified: usize) -> Problem {
    let count = |count: usize| Some(u32::try_from(count).unwrap_or(u32::MAX).min(1_000));
    let error = Item {
        pointer: pointer.to_owned(),
        code: "UNIT_COUNT_MISMATCH".to_owned(),
        required: count(required),
        identified: count(identified),
    };
    Problem { code: "UNIT_COUNT_MISMATCH".to_owned(), errors: vec![error] }
}

/// Whether a line names as many units as its quantity: none of what is not serialized.
///
/// # Errors
/// UNIT_COUNT_MISMATCH.
pub fn counted(is_serialized: bool, quantity: Quantity, units: usize, pointer: &str) -> Result<(), Problem> {
    let required = match is_serialized {
        true if quantity.units() % 1_000_000 != 0 => usize::MAX,
        true => usize::try_from(quantity.units() / 1_000_000).unwrap_or(usize::MAX),
        false => 0,
    };
    if required == units { Ok(()) } else { Err(count_mismatch(pointer, required, units)) }
}

/// A line of `stock.reserve`.
pub struct ReserveLine {
    /// The caller's.
    pub line: Id,
    pub variant: Id,
    pub units: Vec<Id>,
    pub pointer: String,
}

/// Holds the units of serialized lines for a sales order: one reservation for each, in the order of the lines.
///
/// # Errors
/// NOT_FOUND, UNIT_UNAVAILABLE at the line.
pub fn reserve(
    order: Id,
    warehouse: Id,
    lines: &[ReserveLine],
    goods: &mut Goods,
    changes: &mut Changes,
) -> Result<Vec<ReservationRow>, Problem> {
    let mut units = locked(lines.iter().flat_map(|line| line.units.iter().copied()))?;
    let mut made = Vec::new();
    for line in lines {
        let holder = Holder {
            source: ReservationSource::SalesOrder,
            document_id: Some(order),
            line_id: Some(line.line),
            reference_id: None,
            reason: None,
        };
        for id in &line.units {
            let unit = units.remove(id).ok_or_else(|| state::unavailable(Some(&line.pointer)))?;
            let fits = unit.variant_id == line.variant && unit.warehouse_id == Some(warehouse);
            if !fits || !state::admits(Cause::Reserve, unit.status, unit.transfer_order_id.is_some()) {
                return Err(state::unavailable(Some(&line.pointer)));
            }
            made.push(reserve::hold(unit, &holder, None, goods, changes)?);
        }
    }
    Ok(made)
}

/// Lets go of units that these locked, ACTIVE reservations hold; those of quantities are left to the caller.
///
/// # Errors
/// LIMIT_EXCEEDED.
pub fn release(
    reservations: &[ReservationRow],
    reason: &str,
    goods: &mut Goods,
    changes: &mut Changes,
) -> Result<(), Problem> {
    let mut units = locked(reservations.iter().filter_map(|row| row.unit_id))?;
    for row in reservations {
        let Some(id) = row.unit_id else { continue };
        let unit = units.remove(&id).ok_or_else(|| state::unavailable(None))?;
        reserve::let_go(unit, row, Some(reason), goods, changes)?;
    }
    Ok(())
}

/// A unit that leaves by a sale.
pub struct Sale<'a> {
    /// Locked, ACTIVE, of the order.
    pub reservation: &'a ReservationRow,
    pub allocation: Id,
}

/// Delivers the units that these reservations hold: SOLD, without custody. Answers the movements by reservation.
///
/// # Errors
/// UNIT_UNAVAILABLE where a unit is not held so.
pub fn deliver(
    order: Id,
    number: &str,
    sales: &[Sale],
    goods: &mut Goods,
    changes: &mut Changes,
) -> Result<BTreeMap<Id, Id>, Problem> {
    let mut units = locked(sales.iter().filter_map(|sale| sale.reservation.unit_id))?;
    let mut moved = BTreeMap::new();
    for sale in sales {
        let Some(id) = sale.reservation.unit_id else { continue };
        let unit = units.remove(&id).filter(|unit| unit.reservation_id == Some(sale.reservation.id));
        let unit = unit.ok_or_else(|| state::unavailable(None))?;
        let why = Why {
            movement_type: MovementType::Sale,
            reason: format!("SALES_ORDER {number}"),
            reference_type: ReferenceType::SalesOrder,
            reference_id: Some(order),
            document: None,
            receipt_item_id: None,
            sale_allocation_id: Some(sale.allocation),
        };
        let after =
            UnitRow { reservation_id: None, sale_allocation_id: Some(sale.allocation), ..unit.gone(UnitStatus::Sold) };
        let version = unit.version + 1;
        let movement = changes.moved(unit, after, &why, Worth::default())?;
        if let Some(change) = changes.all.last_mut() {
            change.after.sale_movement_id = Some(movement);
        }
        goods.close(Closing {
            reservation: sale.reservation.clone(),
            movement: Some(movement),
            reason: None,
            unit_version: Some(version),
        });
        moved.insert(sale.reservation.id, movement);
    }
    Ok(moved)
}

/// What becomes of a unit that a customer brings back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Disposition {
    Restock,
    Inspect,
    Damaged,
}

/// A unit that a customer brings back.
pub struct Return {
    pub unit: Id,
    /// The movement that sold it.
    pub sold_by: Id,
    pub allocation: Id,
    pub disposition: Disposition,
    pub pointer: String,
}

/// A customer's return as units see it.
pub struct CustomerReturn<'a> {
    pub id: Id,
    pub order: Id,
    pub warehouse: &'a WarehouseRow,
    pub location: Option<Id>,
    pub reason: &'a str,
}

/// Takes units back that these movements sold; what they are worth again is the caller's to bring. Answers the movements, in the
/// order of the lines.
///
/// # Errors
/// UNIT_UNAVAILABLE where a unit was not sold by that very movement, CUSTODY_CONFLICT into another entity's warehouse.
pub fn take_back(to: &CustomerReturn, lines: &[Return], changes: &mut Changes) -> Result<Vec<Id>, Problem> {
    let mut units = locked(lines.iter().map(|line| line.unit))?;
    let mut moved = Vec::new();
    for line in lines {
        let sold = |unit: &UnitRow| unit.status == UnitStatus::Sold && unit.sale_movement_id == Some(line.sold_by);
        let unit = units.remove(&line.unit).filter(sold);
        let unit = unit.ok_or_else(|| state::unavailable(Some(&line.pointer)))?;
        if unit.legal_entity_id != to.warehouse.legal_entity_id {
            return Err(Problem::at("CUSTODY_CONFLICT", &line.pointer));
        }
        let status = match line.disposition {
            Disposition::Restock => state::derived(to.warehouse.kind),
            Disposition::Inspect => UnitStatus::Returned,
            Disposition::Damaged => UnitStatus::Damaged,
        };
        let why = Why {
            movement_type: MovementType::AdjustmentIn,
            reason: to.reason.to_owned(),
            reference_type: ReferenceType::SalesOrder,
            reference_id: Some(to.order),
            document: Some((DocumentType::CustomerReturn, to.id)),
            receipt_item_id: None,
            sale_allocation_id: Some(line.allocation),
        };
        // It comes back by a sale once.
        let after = UnitRow { sale_movement_id: None, ..unit.at(status, to.warehouse.id, to.location) };
        moved.push(changes.moved(unit, after, &why, Worth::default())?);
        if let Some(change) = changes.all.last_mut() {
            change.value = Value::Same;
        }
    }
    Ok(moved)
}

/// New units of a receipt's line.
pub struct NewUnits<'a> {
    pub receipt_item: Id,
    pub article: &'a Article,
    pub units: Vec<UnitInput>,
    /// What each of them costs, in their order.
    pub worth: Vec<Worth>,
    /// `/lines/3`.
    pub pointer: String,
}

/// A receipt as units see it.
pub struct Receipt<'a> {
    pub id: Id,
    pub warehouse: &'a WarehouseRow,
    pub location: Option<Id>,
    pub reason: &'a str,
}

/// Brings in new units. Answers their identities, to be written with the changes, and the units of each line.
///
/// # Errors
/// VALIDATION_FAILED where an identity is none or stands twice, UNIT_CONDITION_REQUIRED, UNIT_CONDITION_MISMATCH.
pub fn receive(from: &Receipt, lines: &[NewUnits], changes: &mut Changes) -> Result<(New, Vec<Vec<Id>>), Problem> {
    let pointers: Vec<String> = lines
        .iter()
        .flat_map(|line| (0..line.units.len()).map(move |at| format!("{}/units/{at}", line.pointer)))
        .collect();
    let all = || lines.iter().flat_map(|line| &line.units);
    let faults = identity::faults(pointers.iter().cloned().zip(all()));
    if !faults.is_empty() {
        return Err(Problem::invalid(faults));
    }
    let ids = new_ids(u32::try_from(pointers.len()).unwrap_or(u32::MAX));
    let (mut next, mut told) = (ids.iter().zip(&pointers), Vec::new());
    let mut objections = Objections::default();
    for line in lines {
        let why = Why {
            movement_type: MovementType::PurchaseReceipt,
            reason: from.reason.to_owned(),
            reference_type: ReferenceType::GoodsReceipt,
            reference_id: Some(from.id),
            document: None,
            receipt_item_id: Some(line.receipt_item),
            sale_allocation_id: None,
        };
        let mut of_line = Vec::new();
        for ((unit, worth), (id, pointer)) in line.units.iter().zip(&line.worth).zip(next.by_ref()) {
            let (condition, grade) = objections.settle(line.article, unit.condition, unit.grade, pointer);
            let row = UnitRow {
                receipt_item_id: Some(line.receipt_item),
                ..new_unit(*id, changes, line.article, unit, from.warehouse, from.location)
            };
            changes.admit(UnitRow { condition, grade, ..row }, &why, worth.clone());
            of_line.push(*id);
        }
        told.push(of_line);
    }
    objections.none()?;
    Ok((New::of(ids.iter().copied().zip(all()), &pointers), told))
}

/// A new unit of this article in a place, before its condition is settled.
pub fn new_unit(
    id: Id,
    changes: &Changes,
    article: &Article,
    unit: &UnitInput,
    warehouse: &WarehouseRow,
    location_id: Option<Id>,
) -> UnitRow {
    UnitRow {
        id,
        version: 1,
        created_at: changes.now(),
        updated_at: changes.now(),
        variant_id: article.variant_id.into(),
        product_id: article.product_id.into(),
        serial_number: unit.serial_number.clone(),
        imei1: unit.imei1.clone(),
        imei2: unit.imei2.clone(),
        status: state::derived(warehouse.kind),
        condition: None,
        grade: None,
        legal_entity_id: warehouse.legal_entity_id,
        warehouse_id: Some(warehouse.id),
        location_id,
        reservation_id: None,
        transfer_order_id: None,
        receipt_item_id: None,
        sale_allocation_id: None,
        sale_movement_id: None,
    }
}

/// Units of a receipt's line that go back to their supplier.
pub struct SendBack {
    /// Where the line stands.
    pub line: usize,
    pub receipt_item: Id,
    pub receipt: Id,
    pub variant: Id,
    pub units: Vec<Id>,
    pub pointer: String,
}

/// Sends units back: RMA, without custody. Answers for each line the movements and where the unit's changes stand.
///
/// # Errors
/// UNIT_UNAVAILABLE where a unit is not free in the warehouse, of the variant and of the line.
pub fn send_back(
    id: Id,
    warehouse: Id,
    reason: &str,
    lines: &[SendBack],
    changes: &mut Changes,
) -> Result<Vec<Vec<(Id, usize)>>, Problem> {
    let mut units = locked(lines.iter().flat_map(|line| line.units.iter().copied()))?;
    let mut moved = Vec::new();
    for line in lines {
        let why = Why {
            movement_type: MovementType::AdjustmentOut,
            reason: reason.to_owned(),
            reference_type: ReferenceType::GoodsReceipt,
            reference_id: Some(line.receipt),
            document: Some((DocumentType::SupplierReturn, id)),
            receipt_item_id: Some(line.receipt_item),
            sale_allocation_id: None,
        };
        let mut of_line = Vec::new();
        for id in &line.units {
            let unit = units.remove(id).ok_or_else(|| state::unavailable(Some(&line.pointer)))?;
            let fits = unit.variant_id == line.variant
                && unit.warehouse_id == Some(warehouse)
                && unit.receipt_item_id == Some(line.receipt_item);
            if !fits || !state::admits(Cause::SupplierReturn, unit.status, unit.transfer_order_id.is_some()) {
                return Err(state::unavailable(Some(&line.pointer)));
            }
            let after = unit.gone(UnitStatus::Rma);
            let at = changes.all.len();
            of_line.push((changes.moved(unit, after, &why, Worth::default())?, at));
        }
        moved.push(of_line);
    }
    Ok(moved)
}
