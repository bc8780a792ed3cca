//! Movements against the ledger of costs: goods that came in have layers, goods that went were drawn, transfers touch no value.

use stoa_sdk::store::{aggregate, read};
use stoa_sdk::{Filter, Id, map, totals};
use stoa_trade::quantity::Quantity;
use stoa_trade::stages::{Batch, NOTHING_LEFT, finding, read_batch};

use crate::records::cost::CostEntryRow;
use crate::records::movement::{MovementRow, MovementType};
use crate::records::unit::UnitStatus;

/// Movements of a batch.
const BATCH: u32 = 200;

totals! { MovementCost of CostEntryRow by [movement_id: Option<Id>] { quantity: Quantity = sum(quantity) } }

pub fn verify(after: Option<Id>) -> Batch {
    let Some(page) = read_batch::<MovementRow>(Filter::default(), after, BATCH) else { return NOTHING_LEFT };
    let ids = page.rows.iter().map(|row| row.id);
    let costs = read(aggregate::<MovementCost>(CostEntryRow::movement_id.one_of(ids)).whole());
    let costed = map(costs.into_iter().filter_map(|sum| Some((sum.movement_id?, sum.quantity.units()))));
    let mut findings = Vec::new();
    for row in &page.rows {
        let damaged = Some(UnitStatus::Damaged);
        let expected = match row.movement_type {
            MovementType::Transfer => 0,
            // A DAMAGED unit is worth nothing: it leaves or comes back as such without a layer.
            _ if row.inventory_unit_id.is_some() && damage_aside(row, damaged) => continue,
            _ if row.to_warehouse_id.is_some() => row.quantity.units(),
            _ => -row.quantity.units(),
        };
        if costed.get(&row.id).copied().unwrap_or_default() != expected {
            findings.push(finding("cost-movement", row.id, "The movement's costs are not of its quantity."));
        }
    }
    (findings, page.last)
}

/// Returns whether one side of a unit's movement is DAMAGED.
fn damage_aside(row: &MovementRow, damaged: Option<UnitStatus>) -> bool {
    row.movement_type == MovementType::Damage || row.from_status == damaged || row.to_status == damaged
}
