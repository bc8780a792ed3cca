//! Rows that a company with invoices may have.

use stoa_sdk::scripted::{NOW, rows};
use stoa_sdk::store::Reply;
use stoa_sdk::{Date, Field, Id, Instant};
use stoa_trade::JsonList;
use stoa_trade::quantity::{Money, Quantity, Tracking, multiply};

use crate::records::invoice::{InvoiceBalanceRow, InvoiceRow, InvoiceStatus};
use crate::records::invoice_line::InvoiceLineRow;
use crate::records::side::Side;

pub const ENTITY: Id = Id(3, 3);
pub const CUSTOMER: Id = Id(4, 4);
pub const INVOICE: Id = Id(5, 5);
pub const LINE_SET: Id = Id(6, 6);

pub fn day(text: &str) -> Date {
    text.parse().expect("a day")
}

pub fn money(text: &str) -> Money {
    text.parse().expect("money")
}

/// The replies to what goes before lines: the lock of the minute, and how far lines are summed.
pub fn hold(until: Option<i64>) -> Vec<Reply> {
    vec![Reply::Done, rows(until.map(|until| vec![ENTITY.put(), Instant(until).put()]))]
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
        line_set_id: LINE_SET,
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

/// A draft of this total.
pub fn draft(total: &str) -> InvoiceRow {
    InvoiceRow {
        id: INVOICE,
        version: 1,
        created_at: Instant(NOW),
        updated_at: Instant(NOW),
        side: Side::Sales,
        number: "INV-1".to_owned(),
        number_key: "inv-1".to_owned(),
        number_scope: ENTITY,
        legal_entity_id: ENTITY,
        branch_id: None,
        party_id: CUSTOMER,
        currency_code: "EUR".to_owned(),
        status: InvoiceStatus::Draft,
        line_set_id: LINE_SET,
        issued_on: None,
        due_on: None,
        posted_on: None,
        document_reference: None,
        reference_key: None,
        reference: None,
        notes: None,
        total: money(total),
        revenue_recognized_on: None,
        delivery_order_id: None,
        receipt_id: None,
        voided_on: None,
        void_reason: None,
    }
}

/// An invoice of this total that stands since the last day of 2025.
pub fn issued_invoice(total: &str) -> InvoiceRow {
    let day = Some(day("2025-12-31"));
    InvoiceRow { status: InvoiceStatus::Issued, version: 2, issued_on: day, posted_on: day, ..draft(total) }
}

/// The invoice's balance row with these amounts.
pub fn balance(applied: &str, balance: &str) -> InvoiceBalanceRow {
    InvoiceBalanceRow {
        id: Id(7, 50),
        created_at: Instant(NOW),
        updated_at: Instant(NOW),
        invoice_id: INVOICE,
        side: Side::Sales,
        legal_entity_id: ENTITY,
        party_id: CUSTOMER,
        currency_code: "EUR".to_owned(),
        applied: money(applied),
        balance: money(balance),
        settled_on: None,
        collected: false,
    }
}
