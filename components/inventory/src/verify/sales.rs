//! I15: what a SALE movement sold and what came back of it, against the movement and the ledger of costs.

use std::collections::BTreeMap;

use stoa_sdk::store::{get_all, read};
use stoa_sdk::{Filter, Id, all, has, map, view};
use stoa_trade::pages::read_every;
use stoa_trade::quantity::Quantity;
use stoa_trade::stages::{Batch, NOTHING_LEFT, finding, read_batch};

use crate::records::cost::{CostEntryRow, CostKind, SaleBalanceRow};
use crate::records::movement::{MovementRow, MovementType};

/// Sales of a batch.
const BATCH: u32 = 20;

view! {
    Sale of MovementRow { id: Id, movement_type: MovementType, quantity: Quantity, inventory_unit_id: Option<Id> }
}

view! {
    Slice of CostEntryRow {
        id: Id, movement_id: Option<Id>, source_entry_id: Option<Id>, kind: CostKind, quantity: Quantity
    }
}

pub fn verify(after: Option<Id>) -> Batch {
    let Some(page) = read_batch::<SaleBalanceRow>(Filter::default(), after, BATCH) else { return NOTHING_LEFT };
    let movements = || page.rows.iter().map(|row| row.movement_id);
    let of_sales = || CostEntryRow::movement_id.one_of(movements());
    let of_slices = has::<CostEntryRow, _, _>(CostEntryRow::source_entry_id, CostEntryRow::id, of_sales());
    let sales = read(get_all::<Sale>(movements()));
    let slices = read_every(&all([of_sales(), CostEntryRow::kind.eq(CostKind::Sold)]), |slice: &Slice| slice.id);
    let back = read_every(&all([of_slices, CostEntryRow::kind.eq(CostKind::Back)]), |slice: &Slice| slice.id);
    let sales = map(sales.into_iter().map(|sale| (sale.id, sale)));
    let sale_of = map(slices.into_iter().filter_map(|slice| Some((slice.id, slice.movement_id?))));
    let mut came_back: BTreeMap<Id, i128> = BTreeMap::new();
    for row in back {
        if let Some(sale) = row.source_entry_id.and_then(|slice| sale_of.get(&slice)) {
            *came_back.entry(*sale).or_default() += row.quantity.units();
        }
    }
    let mut findings = Vec::new();
    for row in &page.rows {
        let sale = sales.get(&row.movement_id).filter(|sale| sale.movement_type == MovementType::Sale);
        let fits = sale.is_some_and(|sale| sale.quantity == row.sold);
        if !fits || row.returned.is_negative() || row.returned > row.sold {
            findings.push(finding(
                "I15",
                row.id,
                "The balance belongs to another sale, or more came back than was sold.",
            ));
        }
        // A unit that comes back DAMAGED leaves its cost with the sale.
        let back = came_back.get(&row.movement_id).copied().unwrap_or_default();
        let is_unit = sale.is_some_and(|sale| sale.inventory_unit_id.is_some());
        if back > row.returned.units() || (back < row.returned.units() && !is_unit) {
            findings.push(finding(
                "I15",
                row.id,
                "The returned quantity differs from the quantity whose costs were returned.",
            ));
        }
    }
    (findings, page.last)
}
