//! Units that customers bring back, and those that go back to their supplier, as `sales` does it.

use stoa_sdk::{Id, Problem};

use crate::bindings::exports::commerce::inventory::stock::{
    CustomerReturn, Disposition, ReturnLine, SupplierReturn, SupplierReturnLine,
};
use crate::records::movement::{DocumentType, MovementType, ReferenceType};
use crate::records::unit::{UnitRow, UnitStatus};
use crate::records::warehouse::WarehouseRow;
use crate::rules::unit_state::{self, Cause};
use crate::work::units::changes::{Changes, Why, WorthChange};
use crate::work::units::holds::lock_units;
use crate::work::units::worth::Worth;

/// Takes back the units of these lines, each with its place in the request, that the lines' movements sold; the caller
/// brings their new value. Answers the movements, in the order of the lines.
///
/// # Errors
/// UNIT_UNAVAILABLE where a unit was not sold by that very movement, CUSTODY_CONFLICT into another entity's warehouse.
pub fn take_back(
    to: &CustomerReturn,
    warehouse: &WarehouseRow,
    lines: &[(usize, &ReturnLine)],
    changes: &mut Changes,
) -> Result<Vec<Id>, Problem> {
    let mut units = lock_units(lines.iter().filter_map(|(_, line)| line.unit_id).map(Id::from))?;
    let mut moved = Vec::new();
    for (nth, line) in lines {
        let pointer = format!("/lines/{nth}/unitId");
        let sold_by = Some(line.movement_id.into());
        let sold = |unit: &UnitRow| unit.status == UnitStatus::Sold && unit.sale_movement_id == sold_by;
        let unit = line.unit_id.and_then(|id| units.remove(&id.into())).filter(sold);
        let unit = unit.ok_or_else(|| unit_state::unavailable(Some(&pointer)))?;
        if unit.legal_entity_id != warehouse.legal_entity_id {
            return Err(Problem::at("CUSTODY_CONFLICT", pointer));
        }
        let status = match line.disposition {
            Disposition::Restock => unit_state::status_in(warehouse.kind),
            Disposition::Inspect => UnitStatus::Returned,
            Disposition::Damaged => UnitStatus::Damaged,
        };
        let why = Why {
            reference_type: ReferenceType::SalesOrder,
            document: Some((DocumentType::CustomerReturn, to.id.into())),
            sale_allocation_id: Some(line.sale_allocation_id.into()),
            ..Why::manual(MovementType::AdjustmentIn, &to.reason, Some(to.order_id.into()))
        };
        // It comes back by a sale once.
        let location = to.location_id.map(Id::from);
        let after = UnitRow { sale_movement_id: None, ..unit.in_place(status, warehouse.id, location) };
        moved.push(changes.record_move(unit, after, &why, Worth::default()));
        if let Some(change) = changes.all.last_mut() {
            change.value = WorthChange::Same;
        }
    }
    Ok(moved)
}

/// Sends back the units of these lines, each with its place in the request: RMA, without custody. Answers for each line
/// the movements and the places of the unit's changes.
///
/// # Errors
/// UNIT_UNAVAILABLE where a unit is not free in the warehouse, of the variant and of the line.
pub fn send_back(
    to: &SupplierReturn,
    lines: &[(usize, &SupplierReturnLine)],
    changes: &mut Changes,
) -> Result<Vec<Vec<(Id, usize)>>, Problem> {
    let mut units = lock_units(lines.iter().flat_map(|(_, line)| line.unit_ids.iter().copied().map(Id::from)))?;
    let mut moved = Vec::new();
    for (nth, line) in lines {
        let pointer = format!("/lines/{nth}/unitIds");
        let why = Why {
            reference_type: ReferenceType::GoodsReceipt,
            document: Some((DocumentType::SupplierReturn, to.id.into())),
            receipt_item_id: Some(line.receipt_item_id.into()),
            ..Why::manual(MovementType::AdjustmentOut, &to.reason, Some(line.receipt_id.into()))
        };
        let mut of_line = Vec::new();
        for id in line.unit_ids.iter().copied().map(Id::from) {
            let unit = units.remove(&id).ok_or_else(|| unit_state::unavailable(Some(&pointer)))?;
            let fits = unit.variant_id == line.variant_id.into()
                && unit.warehouse_id == Some(to.warehouse_id.into())
                && unit.receipt_item_id == why.receipt_item_id;
            if !fits || !unit_state::admits(Cause::SupplierReturn, unit.status, unit.transfer_order_id.is_some()) {
                return Err(unit_state::unavailable(Some(&pointer)));
            }
            let after = unit.without_place(UnitStatus::Rma);
            let index = changes.all.len();
            of_line.push((changes.record_move(unit, after, &why, Worth::default()), index));
        }
        moved.push(of_line);
    }
    Ok(moved)
}
