//! Rows of the ledger of what parties owe.

use stoa_sdk::{Date, Decimal, Id, new_id, now};
use stoa_trade::dates::Month;
use stoa_trade::quantity::Money;

use crate::records::party_entry::{DocumentKind, PartyAccount, PartyAct, PartyEntryRow};
use crate::records::side::Side;

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
    let now = now();
    PartyEntryRow {
        id: new_id(),
        created_at: now,
        updated_at: now,
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
    }
}

/// The amount with the other sign.
pub fn negate<const DIGITS: u8>(amount: Decimal<6, DIGITS>) -> Decimal<6, DIGITS> {
    Decimal::from_units(-amount.units())
}
