//! Units that customers bring back, and those that go back to their supplier, as `sales` does it.

use stoa_sdk::{Id, Problem};

use crate::records::movement::{DocumentType, MovementType, ReferenceType};
use crate::records::unit::{UnitRow, UnitStatus};
use crate::records::warehouse::WarehouseRow;
use crate::rules::unit_state::{self, Cause};
use crate::work::units::changes::{Changes, Why, WorthChange};
use crate::work::units::holds::lock_units;
use crate::work::units::worth::Worth;

/// Disposition of a unit that a customer brings back.
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
    let mut units = lock_units(lines.iter().map(|line| line.unit))?;
    let mut moved = Vec::new();
    for line in lines {
        let sold = |unit: &UnitRow| unit.status == UnitStatus::Sold && unit.sale_movement_id == Some(line.sold_by);
        let unit = units.remove(&line.unit).filter(sold);
        let unit = unit.ok_or_else(|| unit_state::unavailable(Some(&line.pointer)))?;
        if unit.legal_entity_id != to.warehouse.legal_entity_id {
            return Err(Problem::at("CUSTODY_CONFLICT", &line.pointer));
        }
        let status = match line.disposition {
            Disposition::Restock => unit_state::status_in(to.warehouse.kind),
            Disposition::Inspect => UnitStatus::Returned,
            Disposition::Damaged => UnitStatus::Damaged,
        };
        let why = Why {
            reference_type: ReferenceType::SalesOrder,
            document: Some((DocumentType::CustomerReturn, to.id)),
            sale_allocation_id: Some(line.allocation),
            ..Why::manual(MovementType::AdjustmentIn, to.reason, Some(to.order))
        };
        // It comes back by a sale once.
        let after = UnitRow { sale_movement_id: None, ..unit.in_place(status, to.warehouse.id, to.location) };
        moved.push(changes.record_move(unit, after, &why, Worth::default()));
        if let Some(change) = changes.all.last_mut() {
            change.value = WorthChange::Same;
        }
    }
    Ok(moved)
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
    let mut units = lock_units(lines.iter().flat_map(|line| line.units.iter().copied()))?;
    let mut moved = Vec::new();
    for line in lines {
        let why = Why {
            reference_type: ReferenceType::GoodsReceipt,
            document: Some((DocumentType::SupplierReturn, id)),
            receipt_item_id: Some(line.receipt_item),
            ..Why::manual(MovementType::AdjustmentOut, reason, Some(line.receipt))
        };
        let mut of_line = Vec::new();
        for id in &line.units {
            let unit = units.remove(id).ok_or_else(|| unit_state::unavailable(Some(&line.pointer)))?;
            let fits = unit.variant_id == line.variant
                && unit.warehouse_id == Some(warehouse)
                && unit.receipt_item_id == Some(line.receipt_item);
            if !fits || !unit_state::admits(Cause::SupplierReturn, unit.status, unit.transfer_order_id.is_some()) {
                return Err(unit_state::unavailable(Some(&line.pointer)));
            }
            let after = unit.without_place(UnitStatus::Rma);
            let index = changes.all.len();
            of_line.push((changes.record_move(unit, after, &why, Worth::default()), index));
        }
        moved.push(of_line);
    }
    Ok(moved)
}
