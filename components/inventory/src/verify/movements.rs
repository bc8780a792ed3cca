//! Movements against the ledger of costs: what came in has layers, what went was drawn, transfers touch no value.

use std::collections::BTreeMap;

use stoa_sdk::store::{aggregate, read, select};
use stoa_sdk::{Field, Filter, Id};

use crate::records::cost::CostEntryRow;
use crate::records::movement::{MovementRow, MovementType};
use crate::records::unit::UnitStatus;
use crate::rules::sum::sum;
use crate::verify::finding::{Batch, finding};

/// Movements of a batch.
const BATCH: u32 = 200;

pub fn verify(after: Option<Id>) -> Batch {
    let page = read(select::<MovementRow>(Filter::default()).after(after).limit(BATCH));
    let last = page.items.last().map(|row| row.id).filter(|_| page.more);
    if page.items.is_empty() {
        return (Vec::new(), None);
    }
    let costs = aggregate::<CostEntryRow>(CostEntryRow::movement_id.one_of(page.items.iter().map(|row| row.id)))
        .by(CostEntryRow::movement_id)
        .sum(CostEntryRow::quantity, Filter::default());
    let mut costed: BTreeMap<Id, i128> = BTreeMap::new();
    for row in read(costs) {
        let mut values = row.into_iter();
        if let Some(movement) = values.next().and_then(<Option<Id> as Field>::take).flatten() {
            costed.insert(movement, sum::<6>(values.next()).units());
        }
    }
    let mut findings = Vec::new();
    for row in &page.items {
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
    (findings, last)
}

/// Whether one side of a unit's movement is DAMAGED.
fn damage_aside(row: &MovementRow, damaged: Option<UnitStatus>) -> bool {
    row.movement_type == MovementType::Damage || row.from_status == damaged || row.to_status == damaged
}
