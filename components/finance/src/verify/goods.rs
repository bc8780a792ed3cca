//! Goods that went back of receipts against the returns that were shipped (FI6).

use std::collections::BTreeMap;

use stoa_sdk::store::{aggregate, read};
use stoa_sdk::{Finding, Id, all, has, map, totals};
use stoa_trade::quantity::Quantity;

use crate::records::supplier_return::{
    ReturnProgressRow, SupplierReturnLineRow, SupplierReturnRow, SupplierReturnStatus,
};
use crate::verify::finding;

totals! { Returned of SupplierReturnLineRow by [receipt_item_id: Id] { quantity: Quantity = sum(quantity) } }

/// FI6: the quantity counted as returned is the one that shipped returns sent back.
pub fn check_returns(rows: &[ReturnProgressRow]) -> Vec<Finding> {
    let shipped = has::<SupplierReturnRow, _, _>(
        SupplierReturnLineRow::line_set_id,
        SupplierReturnRow::line_set_id,
        SupplierReturnRow::status.eq(SupplierReturnStatus::Shipped),
    );
    let items = SupplierReturnLineRow::receipt_item_id.one_of(rows.iter().map(|row| row.receipt_item_id));
    let sent = read(aggregate::<Returned>(all([items, shipped])).whole());
    let sent: BTreeMap<Id, Quantity> = map(sent.into_iter().map(|group| (group.receipt_item_id, group.quantity)));
    let differs =
        |row: &&ReturnProgressRow| sent.get(&row.receipt_item_id).copied().unwrap_or_default() != row.returned;
    let found = rows.iter().filter(differs);
    let message = "Shipped returns of the receipt's line differ from what is counted.";
    found.map(|row| finding("FI6", row.receipt_item_id, message)).collect()
}
