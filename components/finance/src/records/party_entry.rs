//! The ledger of what parties owe: every posting of a document as signed amounts of its party. Balances, statements, ageing and
//! reconciliation are sums of it.

use stoa_sdk::{Date, Id, collection, text_enum};
use stoa_trade::dates::Month;
use stoa_trade::quantity::Money;

use crate::records::side::Side;

text_enum! {
    /// INVOICES: what is owed. PAYMENTS and CREDITS: what of them no invoice has used, below zero.
    #[derive(PartialOrd, Ord)]
    pub enum PartyAccount { Invoices => "INVOICES", Payments => "PAYMENTS", Credits => "CREDITS" }
}

text_enum! {
    #[derive(PartialOrd, Ord)]
    pub enum DocumentKind { Invoice => "INVOICE", Payment => "PAYMENT", Credit => "CREDIT", Refund => "REFUND" }
}

text_enum! {
    /// APPLY moves nothing between the two parties: it is in two rows whose sum is zero.
    #[derive(PartialOrd, Ord)]
    pub enum PartyAct { Post => "POST", Apply => "APPLY", Void => "VOID" }
}

collection! {
    /// `amount` adds to what the party owes, or is owed. `due_on` is of INVOICES: when its invoice is due.
    pub ledger PartyEntryRow in "party_entry" {
        side: Side,
        party_id: Id,
        legal_entity_id: Id,
        currency_code: String,
        account: PartyAccount,
        document: DocumentKind,
        act: PartyAct,
        document_id: Id,
        number: String,
        invoice_id: Option<Id>,
        due_on: Option<Date>,
        on_date: Date,
        month: Month,
        amount: Money,
    }
    index {
        [legal_entity_id, currency_code, side, party_id, on_date],
        [legal_entity_id, currency_code, side, on_date],
        [legal_entity_id, id],
        [side, party_id, on_date, id],
        [document_id],
        [invoice_id],
    }
}
