//! Lines of receipts, as invoices and returns of others name them.

use std::collections::BTreeMap;

use stoa_sdk::store::{MOST_KEYS, find, get_all, read};
use stoa_sdk::{Field, Filter, Id, has, map, set};
use stoa_trade::clients::{keys, units};
use stoa_trade::pages::read_every;
use stoa_trade::quantity::Tracking;

use crate::bindings::exports::commerce::procurement::orders as service;
use crate::records::receipt::ReceiptRow;
use crate::records::receipt_item::{ReceiptBalanceRow, ReceiptItemRow};
use crate::services::orders::wire::tracking;

pub fn read_receipt_items(which: service::ReceiptSelection) -> Vec<service::ReceiptItem> {
    let ids = |named: Vec<(u64, u64)>| set(named.into_iter().map(Id::from));
    let filter: Filter = match which {
        service::ReceiptSelection::OfReceiptItems(named) => ReceiptItemRow::id.one_of(ids(named)),
        service::ReceiptSelection::OfReceipts(named) => ReceiptItemRow::receipt_id.one_of(ids(named)),
        service::ReceiptSelection::OfReceivedOrders(named) => {
            let of_orders = ReceiptRow::order_id.one_of(ids(named));
            has::<ReceiptRow, _, _>(ReceiptItemRow::receipt_id, ReceiptRow::id, of_orders)
        }
    };
    let items = read_every(&filter, |item: &ReceiptItemRow| item.id);
    items.chunks(MOST_KEYS).flat_map(show).collect()
}

fn show(items: &[ReceiptItemRow]) -> Vec<service::ReceiptItem> {
    let keys_of = items.iter().map(|item| vec![item.id.put()]);
    let (receipts, balances) = read((
        get_all::<ReceiptRow>(set(items.iter().map(|item| item.receipt_id))),
        (!items.is_empty()).then(|| find::<ReceiptBalanceRow>("item", keys_of)),
    ));
    let receipts = map(receipts.into_iter().map(|receipt| (receipt.id, receipt)));
    let balances = map(balances.unwrap_or_default().into_iter().map(|balance| (balance.receipt_item_id, balance)));
    let mut units = read_units(items);
    let to_wire = |item: &ReceiptItemRow| {
        let receipt = receipts.get(&item.receipt_id)?;
        Some(service::ReceiptItem {
            id: item.id.into(),
            receipt_id: item.receipt_id.into(),
            order_id: receipt.order_id.into(),
            order_item_id: item.order_item_id.into(),
            supplier_id: receipt.supplier_id.into(),
            legal_entity_id: receipt.legal_entity_id.into(),
            warehouse_id: receipt.warehouse_id.into(),
            currency_code: receipt.currency_code.clone(),
            variant_id: item.variant_id.into(),
            tracking: tracking(item.tracking),
            quantity: item.quantity.to_string(),
            unit_cost: item.unit_cost.to_string(),
            billed: balances.get(&item.id).map(|balance| balance.billed).unwrap_or_default().to_string(),
            unit_ids: units.remove(&item.id).unwrap_or_default(),
        })
    };
    items.iter().filter_map(to_wire).collect()
}

/// Units of the serialized lines.
fn read_units(items: &[ReceiptItemRow]) -> BTreeMap<Id, Vec<(u64, u64)>> {
    let serialized = items.iter().filter(|item| item.tracking == Tracking::Serialized).map(|item| item.id);
    let serialized = keys(serialized);
    if serialized.is_empty() {
        return BTreeMap::new();
    }
    let of_items = units::service::of_receipt_items(&serialized);
    map(of_items.into_iter().map(|entry| (entry.id.into(), entry.unit_ids)))
}
