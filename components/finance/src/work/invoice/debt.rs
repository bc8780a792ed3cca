//! An invoice as a debt: when it is due.

use stoa_sdk::Date;

use crate::records::invoice::InvoiceRow;
use crate::work::entries::Owed;

/// The debt of an invoice: due when it says so, else when it was issued.
pub fn owed_of(row: &InvoiceRow, issued_on: Date) -> Owed {
    Owed { invoice: row.id, due_on: row.due_on.or(row.issued_on).unwrap_or(issued_on) }
}
