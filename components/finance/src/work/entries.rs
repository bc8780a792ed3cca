//! Rows of the ledger of what parties owe, and the documents that they come from.

use stoa_sdk::{Date, Decimal, Id, new_id};
use stoa_trade::dates::Month;
use stoa_trade::new_row;
use stoa_trade::quantity::Money;

use crate::records::credit::CreditRow;
use crate::records::invoice::InvoiceRow;
use crate::records::party_entry::{DocumentKind, PartyAccount, PartyAct, PartyEntryRow};
use crate::records::payment::PaymentRow;
use crate::records::refund::RefundRow;
use crate::records::side::{CREDIT, PAYMENT, REFUND, Side};

/// The party of a debt, with side, entity and currency.
#[derive(Debug, Clone)]
pub struct Debtor {
    pub side: Side,
    pub party: Id,
    pub entity: Id,
    pub currency_code: String,
}

/// The document that an entry is of.
#[derive(Debug, Clone)]
pub struct Document {
    pub kind: DocumentKind,
    pub id: Id,
    pub number: String,
}

/// A row whose postings are in the ledger of its party.
pub trait PartyDocument {
    /// Its party.
    fn debtor(&self) -> Debtor;
    /// The row as entries name it.
    fn document(&self) -> Document;
    /// The kind of its source in the journal.
    fn source_kind(&self) -> &'static str;
    /// The amount that it posts.
    fn posted_amount(&self) -> Money;
}

macro_rules! party_document {
    ($row:ident, $kind:ident, $amount:ident, $source_kind:expr) => {
        impl PartyDocument for $row {
            fn debtor(&self) -> Debtor {
                Debtor {
                    side: self.side,
                    party: self.party_id,
                    entity: self.legal_entity_id,
                    currency_code: self.currency_code.clone(),
                }
            }

            fn document(&self) -> Document {
                Document { kind: DocumentKind::$kind, id: self.id, number: self.number.clone() }
            }

            fn source_kind(&self) -> &'static str {
                let kind: fn(Side) -> &'static str = $source_kind;
                kind(self.side)
            }

            fn posted_amount(&self) -> Money {
                self.$amount
            }
        }
    };
}
party_document!(InvoiceRow, Invoice, total, Side::invoice);
party_document!(PaymentRow, Payment, amount, |_| PAYMENT);
party_document!(CreditRow, Credit, amount, |_| CREDIT);
party_document!(RefundRow, Refund, amount, |_| REFUND);

/// An invoice as entries name it: when it is due decides how old a debt is.
#[derive(Debug, Clone, Copy)]
pub struct Owed {
    pub invoice: Id,
    pub due_on: Date,
}

/// A row of an account of the debtor. `owed` is of INVOICES.
pub fn entry(
    debtor: &Debtor,
    document: &Document,
    act: PartyAct,
    account: PartyAccount,
    owed: Option<Owed>,
    on: Date,
    amount: Money,
) -> PartyEntryRow {
    new_row!(PartyEntryRow {
        id: new_id(),
        side: debtor.side,
        party_id: debtor.party,
        legal_entity_id: debtor.entity,
        currency_code: debtor.currency_code.clone(),
        account,
        document: document.kind,
        act,
        document_id: document.id,
        number: document.number.clone(),
        invoice_id: owed.map(|owed| owed.invoice),
        due_on: owed.map(|owed| owed.due_on),
        on_date: on,
        month: Month::from_day(on),
        amount,
    })
}

/// The amount with the other sign.
pub fn negate<const DIGITS: u8>(amount: Decimal<6, DIGITS>) -> Decimal<6, DIGITS> {
    Decimal::from_units(-amount.units())
}
