//! Checklist of a new company before it can buy, and the backfill of an older version's rows.

use stoa_sdk::store::{get_all, read, run, select, update_all};
use stoa_sdk::{Filter, Id, Problem, Step, set, view};
use stoa_trade::Status;
use stoa_trade::quantity::Amount;

use crate::records::order::OrderRow;
use crate::records::order_item::OrderItemRow;
use crate::records::supplier::SupplierRow;

/// Lines of a batch of the backfill.
const LINES: u32 = 500;

view! { SupplierId of SupplierRow { id: Id } }

pub fn checklist() -> Vec<Step> {
    let found = read(select::<SupplierId>(SupplierRow::status.eq(Status::Active)).first());
    let hint = "Create a supplier to buy from.".to_owned();
    vec![Step { code: "SUPPLIER".to_owned(), done: found.is_some(), hint }]
}

/// Says of every line whether it is settled: a version without that column may have written any. The cursor is the
/// last line.
pub fn upgrade(cursor: Option<String>) -> Result<Option<String>, Problem> {
    let after = cursor.and_then(|cursor| cursor.parse().ok());
    let page = run(select::<OrderItemRow>(Filter::default()).after(after).limit(LINES))?;
    let ids = || page.items.iter().map(|item| item.id);
    // Receipts and bills lock the order too.
    let orders = set(page.items.iter().map(|item| item.order_id));
    let (_, items) = run((get_all::<OrderRow>(orders).locked(), get_all::<OrderItemRow>(ids())))?;
    let is_settled = |item: &OrderItemRow| item.is_settled(Amount::ZERO, Amount::ZERO);
    let wrong: Vec<&OrderItemRow> = items.iter().filter(|item| item.settled != is_settled(item)).collect();
    let update = update_all::<OrderItemRow>(wrong.iter().map(|item| item.id))
        .set_each(OrderItemRow::settled, wrong.iter().map(|item| is_settled(item)));
    run(update)?;
    Ok(page.items.last().filter(|_| page.more).map(|item| item.id.to_string()))
}
