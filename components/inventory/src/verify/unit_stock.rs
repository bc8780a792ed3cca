//! Stock of serialized variants counts their units; what travels on orders is expected where it goes.

use std::collections::BTreeMap;

use stoa_sdk::store::{Row, Value, aggregate, read, select};
use stoa_sdk::{Field, Filter, Id, all, map, set};

use crate::records::quantity::Quantity;
use crate::records::stock::StockRow;
use crate::records::tracking::Tracking;
use crate::records::transfer_order::{TransferItemRow, TransferOrderRow, TransferStatus};
use crate::records::unit::{UnitRow, UnitStatus};
use crate::verify::finding::{BATCH, Batch, count, finding};

/// Stock of serialized variants counts their units; what travels on orders is expected where it goes.
pub fn stock(after: Option<Id>) -> Batch {
    let page = read(select::<StockRow>(Filter::default()).after(after).limit(BATCH));
    let next = page.items.last().map(|row| row.id).filter(|_| page.more);
    let variants = set(page.items.iter().map(|row| row.variant_id));
    if variants.is_empty() {
        return (Vec::new(), next);
    }
    let of_variants = || UnitRow::variant_id.one_of(variants.iter().copied());
    let here = UnitRow::warehouse_id.one_of(set(page.items.iter().map(|row| row.warehouse_id)));
    let counted = aggregate::<UnitRow>(all([of_variants(), here]))
        .by(UnitRow::variant_id)
        .by(UnitRow::warehouse_id)
        .by(UnitRow::status)
        .count(Filter::default());
    let serialized = aggregate::<UnitRow>(of_variants()).by(UnitRow::variant_id).count(Filter::default());
    let shipped = TransferOrderRow::status.one_of([TransferStatus::InTransit, TransferStatus::PartiallyReceived]);
    let (counted, serialized, shipped) = read((counted, serialized, select::<TransferOrderRow>(shipped)));
    let serialized = set(serialized.iter().filter_map(count).map(|(variant, _)| variant));
    let counted = map(counted.iter().filter_map(count_by_status));
    let orders = map(shipped.items.iter().map(|order| (order.id, order)));
    let items = match orders.is_empty() {
        true => Vec::new(),
        false => {
            let ids: Vec<Id> = orders.keys().copied().take(1_000).collect();
            read(select::<TransferItemRow>(all([
                TransferItemRow::order_id.one_of(ids),
                TransferItemRow::variant_id.one_of(variants),
                TransferItemRow::line_no.not_null(),
            ])))
            .items
        }
    };
    let (mut travelling, mut expected) = (BTreeMap::<(Id, Id), i128>::new(), BTreeMap::<(Id, Id), i128>::new());
    for item in &items {
        let Some(order) = orders.get(&item.order_id) else { continue };
        let left = item.outstanding().unwrap_or(Quantity::ZERO).units();
        *expected.entry((order.to_warehouse_id, item.variant_id)).or_default() += left;
        if let (Tracking::Quantity, Some(transit)) = (item.tracking, order.transit_warehouse_id) {
            *travelling.entry((transit, item.variant_id)).or_default() += left;
        }
    }
    // With more open orders than one call reads, what they bring cannot be told here.
    let knows_all = !shipped.more && orders.len() <= 1_000;
    let mut findings = Vec::new();
    for row in &page.items {
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
    (findings, next)
}

/// A group of the aggregate: variant, warehouse, status, units.
fn count_by_status(row: &Row) -> Option<((Id, Id, &'static str), i128)> {
    match row.as_slice() {
        [variant, warehouse, status, Value::Integer(count)] => {
            let status = UnitStatus::take(status.clone())?.as_str();
            Some(((Id::take(variant.clone())?, Id::take(warehouse.clone())?, status), i128::from(*count)))
        }
        _ => None,
    }
}
