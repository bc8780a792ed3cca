//! Rows that a company with invoices may have.

use stoa_sdk::scripted::NOW;
use stoa_sdk::{Date, Id, Instant, Problem};
use stoa_trade::JsonList;
use stoa_trade::quantity::{Money, Quantity, Tracking, multiply};

use crate::records::invoice_line::InvoiceLineRow;

pub const ENTITY: Id = Id(3, 3);
pub const CUSTOMER: Id = Id(4, 4);
pub const INVOICE: Id = Id(5, 5);

pub fn day(text: &str) -> Date {
    text.parse().expect("a day")
}

pub fn money(text: &str) -> Money {
    text.parse().expect("money")
}

/// The faults of a body, by pointer and code.
pub fn list_faults(judged: Result<(), Problem>) -> Vec<(String, String)> {
    let faults = judged.err().into_iter().flat_map(|problem| problem.errors);
    faults.map(|fault| (fault.pointer, fault.code)).collect()
}

/// A line of a product that is not tracked.
pub fn line(place: i64, quantity: &str, unit_amount: &str) -> InvoiceLineRow {
    let quantity: Quantity = quantity.parse().expect("a quantity");
    let unit_amount = money(unit_amount);
    InvoiceLineRow {
        id: Id(7, 100 + u64::try_from(place).expect("a place")),
        created_at: Instant(NOW),
        updated_at: Instant(NOW),
        invoice_id: INVOICE,
        line_set_id: Id(6, 6),
        line_no: place,
        variant_id: Some(Id(9, 9)),
        product_id: Some(Id(9, 9)),
        description: None,
        tracking: Tracking::None,
        quantity,
        unit_amount,
        line_total: multiply(quantity, unit_amount).expect("a total"),
        order_id: None,
        order_item_id: None,
        receipt_item_id: None,
        order_unit_cost: None,
        account_id: None,
        price_reason: None,
        unit_ids: JsonList::default(),
    }
}
