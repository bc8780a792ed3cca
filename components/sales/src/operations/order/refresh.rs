//! Pricing a draft again: the list's part moves, what was agreed stays.

use stoa_sdk::store::{run, update_from};
use stoa_sdk::{Answer, Call, now};
use stoa_trade::Change;
use stoa_trade::document::version::Transition;

use crate::records::order::{OrderStatus, SALE_UPDATED, emit_sale, receipt};
use crate::records::order_item::OrderItemRow;
use crate::rules::priced_line::PricedLine;
use crate::work::order::{require_status, with_sums};
use crate::work::priced_line::lock_document;
use crate::work::references::References;

pub fn refresh(call: &Call) -> Answer {
    let body: Transition = call.body()?;
    let draft = lock_document::<OrderItemRow>(call.path_id("id")?)?;
    body.expected_version.check(draft.row.version)?;
    require_status(&draft.row, &[OrderStatus::Draft])?;
    let lines = draft.restate_lines();
    let references = References::read_prices(&draft.name_references(&lines));
    references.require_prices(&lines)?;
    let items = draft.reprice_lines(&lines, &references)?;
    let change = Change::new(&draft.row, with_sums(draft.row.clone(), &items, now())?)?;
    run((change.update(), update_from(&items, OrderItemRow::REDRAWN)))?;
    emit_sale(&SALE_UPDATED, change.after());
    Ok(receipt(change.after()).subjects(references.products()).changed(["items", "total", "pricesAsOf"]))
}
