//! What a new company should have done before it can buy.

use stoa_sdk::store::{read, select};
use stoa_sdk::{Id, Step, view};
use stoa_trade::Status;

use crate::records::supplier::SupplierRow;

view! { SupplierId of SupplierRow { id: Id } }

pub fn checklist() -> Vec<Step> {
    let found = read(select::<SupplierId>(SupplierRow::status.eq(Status::Active)).first());
    let hint = "Create a supplier to buy from.".to_owned();
    vec![Step { code: "SUPPLIER".to_owned(), done: found.is_some(), hint }]
}
