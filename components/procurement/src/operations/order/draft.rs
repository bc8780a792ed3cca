//! Drafting purchase orders of either kind.

use stoa_sdk::{Answer, Call};

use crate::operations::order::input::{ImportOrderInput, ImportOrderUpdate, PurchaseOrderInput, PurchaseOrderUpdate};
use crate::records::order::OrderKind;
use crate::rules::terms::OrderTerms;
use crate::work::draft::{insert_order, replace_order};

fn insert(kind: OrderKind, terms: OrderTerms) -> Answer {
    let (order, _) = insert_order(kind, terms)?;
    Ok(order.show(&order.row, &[]))
}

pub fn create(call: &Call) -> Answer {
    insert(OrderKind::Standard, call.body::<PurchaseOrderInput>()?.into_terms())
}

pub fn create_import(call: &Call) -> Answer {
    insert(OrderKind::Import, call.body::<ImportOrderInput>()?.into_terms())
}

pub fn replace(call: &Call) -> Answer {
    let (id, body): (_, PurchaseOrderUpdate) = (call.path_id("id")?, call.body()?);
    replace_order(id, OrderKind::Standard, body.expected_version, body.into_terms())
}

pub fn replace_import(call: &Call) -> Answer {
    let (id, body): (_, ImportOrderUpdate) = (call.path_id("id")?, call.body()?);
    replace_order(id, OrderKind::Import, body.expected_version, body.into_terms())
}
