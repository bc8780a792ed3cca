//! An invoice as a debt: whose it is, and when it is due.

use stoa_sdk::Date;

use crate::records::invoice::InvoiceRow;
use crate::records::party_entry::DocumentKind;
use crate::work::entries::{Debtor, Document, Owed};

/// The debtor of an invoice.
pub fn debtor_of(row: &InvoiceRow) -> Debtor {
    Debtor {
        side: row.side,
        party: row.party_id,
        entity: row.legal_entity_id,
        currency_code: row.currency_code.clone(),
    }
}

/// The invoice as entries name it.
pub fn document_of(row: &InvoiceRow) -> Document {
    Document { kind: DocumentKind::Invoice, id: row.id, number: row.number.clone() }
}

/// The debt of an invoice: due when it says so, else when it was issued.
pub fn owed_of(row: &InvoiceRow, issued_on: Date) -> Owed {
    Owed { invoice: row.id, due_on: row.due_on.or(row.issued_on).unwrap_or(issued_on) }
}
