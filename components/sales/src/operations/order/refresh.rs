//! Pricing a draft anew: the list's part moves, what was agreed stays.

use stoa_sdk::store::run;
use stoa_sdk::{Answer, Call, now};
use stoa_trade::document::version::Transition;

use crate::records::order::{OrderStatus, SALE_UPDATED, emit_sale, receipt};
use crate::work::order::{
    change_order, lock_draft, reprice_items, require_status, restate_items, rewrite_items, with_sums,
};
use crate::work::references::{Named, References};

pub fn refresh(call: &Call) -> Answer {
    let body: Transition = call.body()?;
    let draft = lock_draft(call.path_id("id")?)?;
    body.expected_version.check(draft.row.version)?;
    require_status(&draft.row, &[OrderStatus::Draft])?;
    let lines = restate_items(&draft.items);
    let named = Named {
        entity: draft.row.legal_entity_id,
        warehouse: None,
        price_list: draft.row.price_list_id,
        lines: &lines,
    };
    let references = References::read_prices(&named);
    references.require_prices(&lines)?;
    let items = reprice_items(&draft.items, &lines, &references)?;
    let change = change_order(&draft.row, with_sums(draft.row.clone(), &items, now())?)?;
    run((change.update(), rewrite_items(&items)))?;
    emit_sale(&SALE_UPDATED, change.after());
    Ok(receipt(change.after()).subjects(references.products()).changed(["items", "total", "pricesAsOf"]))
}
