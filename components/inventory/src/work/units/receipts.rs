//! Units that a receipt brings in, as `sales` does it.

use stoa_sdk::{Id, Problem, new_ids};
use stoa_trade::clients::articles::Article;
use stoa_trade::refusal::refuse_invalid;

use crate::bindings::exports::commerce::inventory::stock::Receipt;
use crate::records::movement::{MovementType, ReferenceType};
use crate::records::unit::UnitRow;
use crate::records::warehouse::WarehouseRow;
use crate::rules::condition::Objections;
use crate::rules::unit_state;
use crate::work::units::changes::{Changes, Why};
use crate::work::units::identities::NewIdentities;
use crate::work::units::worth::Worth;
use stoa_trade::unit_identity::{self as identity, UnitInput};

/// New units of a receipt's line.
pub struct NewUnits<'a> {
    pub receipt_item: Id,
    pub article: &'a Article,
    pub units: Vec<UnitInput>,
    /// Cost of each unit, in their order.
    pub worth: Vec<Worth>,
    /// `/lines/3`.
    pub pointer: String,
}

/// Brings in new units. Answers their identities, to be written with the changes, and the units of each line.
///
/// # Errors
/// VALIDATION_FAILED where an identity is invalid or is stated twice, UNIT_CONDITION_REQUIRED, UNIT_CONDITION_MISMATCH.
pub fn receive(
    from: &Receipt,
    warehouse: &WarehouseRow,
    lines: &[NewUnits],
    changes: &mut Changes,
) -> Result<(NewIdentities, Vec<Vec<Id>>), Problem> {
    let pointers: Vec<String> = lines
        .iter()
        .flat_map(|line| (0..line.units.len()).map(move |index| format!("{}/units/{index}", line.pointer)))
        .collect();
    let all = || lines.iter().flat_map(|line| &line.units);
    let faults = identity::find_faults(pointers.iter().cloned().zip(all()));
    refuse_invalid(faults)?;
    let ids = new_ids(u32::try_from(pointers.len()).unwrap_or(u32::MAX));
    let (mut next, mut of_lines) = (ids.iter().zip(&pointers), Vec::new());
    let mut objections = Objections::default();
    for line in lines {
        let why = Why {
            reference_type: ReferenceType::GoodsReceipt,
            receipt_item_id: Some(line.receipt_item),
            ..Why::manual(MovementType::PurchaseReceipt, &from.reason, Some(from.id.into()))
        };
        let mut of_line = Vec::new();
        for ((unit, worth), (id, pointer)) in line.units.iter().zip(&line.worth).zip(next.by_ref()) {
            let (condition, grade) = objections.settle(line.article, unit.condition, unit.grade, pointer);
            let row = UnitRow {
                receipt_item_id: Some(line.receipt_item),
                ..new_unit(*id, changes, line.article, unit, warehouse, from.location_id.map(Id::from))
            };
            changes.admit(UnitRow { condition, grade, ..row }, &why, worth.clone());
            of_line.push(*id);
        }
        of_lines.push(of_line);
    }
    objections.refuse()?;
    Ok((NewIdentities::new(ids.iter().copied().zip(all()), &pointers), of_lines))
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
        status: unit_state::status_in(warehouse.kind),
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
