//! Stock of serialized variants counts their units; what travels on orders is expected where it goes.

use std::collections::BTreeMap;

use stoa_sdk::store::{MOST_ROWS, aggregate, read, select};
use stoa_sdk::{Filter, Id, all, map, set, totals};
use stoa_trade::pages::read_every;
use stoa_trade::quantity::{Quantity, Tracking};

use crate::records::stock::StockRow;
use crate::records::transfer_order::{TransferItemRow, TransferOrderRow, TransferStatus};
use crate::records::unit::{UnitRow, UnitStatus};
use crate::verify::batch::{BATCH, Batch, NOTHING_LEFT, finding, read_page};

totals! {
    Counted of UnitRow by [variant_id: Id, warehouse_id: Option<Id>, status: UnitStatus] { count: i64 = count }
}
totals! { Serialized of UnitRow by [variant_id: Id] { count: i64 = count } }

/// Stock of serialized variants counts their units; what travels on orders is expected where it goes.
pub fn stock(after: Option<Id>) -> Batch {
    let Some(page) = read_page::<StockRow>(Filter::default(), after, BATCH) else { return NOTHING_LEFT };
    let variants = set(page.rows.iter().map(|row| row.variant_id));
    let of_variants = || UnitRow::variant_id.one_of(variants.iter().copied());
    let here = UnitRow::warehouse_id.one_of(set(page.rows.iter().map(|row| row.warehouse_id)));
    let shipped = TransferOrderRow::status.one_of([TransferStatus::InTransit, TransferStatus::PartiallyReceived]);
    let (counted, serialized, shipped) = read((
        aggregate::<Counted>(all([of_variants(), here])).whole(),
        aggregate::<Serialized>(of_variants()).whole(),
        select::<TransferOrderRow>(shipped).limit(MOST_ROWS),
    ));
    let serialized = set(serialized.into_iter().map(|of| of.variant_id));
    let counted = map(counted
        .into_iter()
        .filter_map(|of| Some(((of.variant_id, of.warehouse_id?, of.status.as_str()), i128::from(of.count)))));
    let orders = map(shipped.items.iter().map(|order| (order.id, order)));
    let items = match orders.is_empty() {
        true => Vec::new(),
        false => {
            let ids: Vec<Id> = orders.keys().copied().take(1_000).collect();
            let lines = all([
                TransferItemRow::order_id.one_of(ids),
                TransferItemRow::variant_id.one_of(variants),
                TransferItemRow::line_no.not_null(),
            ]);
            read_every(&lines, |item: &TransferItemRow| item.id)
        }
    };
    let (mut travelling, mut expected) = (BTreeMap::<(Id, Id), i128>::new(), BTreeMap::<(Id, Id), i128>::new());
    for item in &items {
        let Some(order) = orders.get(&item.order_id) else { continue };
        let left = item.left_to_receive().unwrap_or(Quantity::ZERO).units();
        *expected.entry((order.to_warehouse_id, item.variant_id)).or_default() += left;
        if let (Tracking::Quantity, Some(transit)) = (item.tracking, order.transit_warehouse_id) {
            *travelling.entry((transit, item.variant_id)).or_default() += left;
        }
    }
    // With more open orders than one call reads, what they bring cannot be known here.
    let knows_all = !shipped.more && orders.len() <= 1_000;
    let mut findings = Vec::new();
    for row in &page.rows {
        let pair = (row.warehouse_id, row.variant_id);
        let units = |status: UnitStatus| {
            counted.get(&(row.variant_id, row.warehouse_id, status.as_str())).copied().unwrap_or(0) * 1_000_000
        };
        if serialized.contains(&row.variant_id) {
            let fits = row.on_hand.units() == units(UnitStatus::Available) + units(UnitStatus::Reserved)
                && row.reserved.units() == units(UnitStatus::Reserved)
                && row.damaged.units() == units(UnitStatus::Damaged)
                && row.quarantined.units() == units(UnitStatus::Quarantined)
                && row.in_transit.units() == units(UnitStatus::InTransit)
                && row.returned.units() == units(UnitStatus::Returned);
            if !fits {
                findings.push(finding("unit-stock", row.id, "The stock is not the count of the units there."));
            }
        } else if knows_all && row.in_transit.units() != travelling.get(&pair).copied().unwrap_or(0) {
            findings.push(finding(
                "transit-stock",
                row.id,
                "The goods in transit are not those of the transfer orders.",
            ));
        }
        if knows_all && row.incoming.units() < expected.get(&pair).copied().unwrap_or(0) {
            findings.push(finding("incoming", row.id, "Less is expected than transfer orders bring."));
        }
    }
    (findings, page.last)
}
