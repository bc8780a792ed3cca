//! Drafting purchase orders of either kind.

use stoa_sdk::{Answer, Call};

use crate::records::draft_write::show_draft;
use crate::rules::terms::{ImportOrderInput, ImportOrderUpdate, PurchaseOrderInput, PurchaseOrderUpdate, StatedOrder};
use crate::work::draft::{insert_order, replace_order};

fn insert(stated: &StatedOrder) -> Answer {
    let (order, _) = insert_order(stated)?;
    let items = order.items.iter().map(|item| item.name()).collect();
    Ok(show_draft(&order.row, items).subjects(order.subjects()))
}

pub fn create(call: &Call) -> Answer {
    let PurchaseOrderInput { number, terms } = call.body()?;
    insert(&StatedOrder { number, terms, import: None })
}

pub fn create_import(call: &Call) -> Answer {
    let ImportOrderInput { number, terms, import } = call.body()?;
    insert(&StatedOrder { number, terms, import: Some(import) })
}

pub fn replace(call: &Call) -> Answer {
    let PurchaseOrderUpdate { number, terms, expected_version } = call.body()?;
    let stated = StatedOrder { number: Some(number), terms, import: None };
    replace_order(call.path_id("id")?, expected_version, &stated)
}

pub fn replace_import(call: &Call) -> Answer {
    let ImportOrderUpdate { number, terms, import, expected_version } = call.body()?;
    let stated = StatedOrder { number: Some(number), terms, import: Some(import) };
    replace_order(call.path_id("id")?, expected_version, &stated)
}
