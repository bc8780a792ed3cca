//! Stock levels for other modules, and what of them transfer orders bring.

use std::collections::BTreeMap;

use stoa_sdk::store::{MOST_KEYS, find, get_all, read};
use stoa_sdk::{Id, all, has, map, set};
use stoa_trade::pages::read_every;
use stoa_trade::quantity::Quantity;

use crate::bindings::exports::commerce::inventory::stock::{Level, Pair, Transferred};
use crate::records::stock::StockRow;
use crate::records::transfer_order::{TransferItemRow, TransferOrderRow, TransferStatus};
use crate::rules::delta;

pub fn levels(pairs: &[Pair]) -> Vec<Level> {
    let key = |pair: &Pair| delta::Pair { warehouse: pair.warehouse_id.into(), variant: pair.variant_id.into() }.key();
    let rows = |pairs: &[Pair]| read(find::<StockRow>("pair", pairs.iter().map(key)));
    pairs.chunks(MOST_KEYS).flat_map(rows).map(|row| level(&row)).collect()
}

fn level(row: &StockRow) -> Level {
    Level {
        warehouse_id: row.warehouse_id.into(),
        variant_id: row.variant_id.into(),
        on_hand: row.on_hand.to_string(),
        reserved: row.reserved.to_string(),
        available: row.available().to_string(),
        incoming: row.incoming.to_string(),
        damaged: row.damaged.to_string(),
        quarantined: row.quarantined.to_string(),
        in_transit: row.in_transit.to_string(),
        returned: row.returned.to_string(),
    }
}

pub fn transferred_incoming(pairs: &[Pair]) -> Vec<Transferred> {
    if pairs.is_empty() {
        return Vec::new();
    }
    let warehouses = set(pairs.iter().map(|pair| Id::from(pair.warehouse_id)));
    let shipped = all([
        TransferOrderRow::status.one_of([TransferStatus::InTransit, TransferStatus::PartiallyReceived]),
        TransferOrderRow::to_warehouse_id.one_of(warehouses),
    ]);
    let lines = all([
        TransferItemRow::variant_id.one_of(set(pairs.iter().map(|pair| Id::from(pair.variant_id)))),
        TransferItemRow::line_no.not_null(),
        has::<TransferOrderRow, _, _>(TransferItemRow::order_id, TransferOrderRow::id, shipped),
    ]);
    let items = read_every(&lines, |item: &TransferItemRow| item.id);
    let orders: Vec<Id> = set(items.iter().map(|item| item.order_id)).into_iter().collect();
    let orders = orders.chunks(MOST_KEYS).flat_map(|ids| read(get_all::<TransferOrderRow>(ids.iter().copied())));
    let to = map(orders.map(|order| (order.id, order.to_warehouse_id)));
    let mut left: BTreeMap<(Id, Id), i128> = BTreeMap::new();
    for item in &items {
        let Some(warehouse) = to.get(&item.order_id) else { continue };
        let outstanding = item.left_to_receive().unwrap_or(Quantity::ZERO);
        *left.entry((*warehouse, item.variant_id)).or_default() += outstanding.units();
    }
    let pairs = pairs.iter().filter_map(|pair| {
        let quantity = left.get(&(pair.warehouse_id.into(), pair.variant_id.into()))?;
        let quantity = Quantity::from_units(*quantity).to_string();
        Some(Transferred { warehouse_id: pair.warehouse_id, variant_id: pair.variant_id, quantity })
    });
    pairs.collect()
}
