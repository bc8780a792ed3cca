//! Totals by month of the ledgers of finance: of what parties owe, of revenue and of money. Derived from the lines:
//! only the lines are the ledgers.

use stoa_sdk::{Date, Id, collection};
use stoa_trade::dates::Month;
use stoa_trade::quantity::Amount;

use crate::records::money_move::MoveOrigin;
use crate::records::party_entry::{DocumentKind, PartyAccount, PartyAct};
use crate::records::side::Side;

collection! {
    // `due_on` is of INVOICES; of the other accounts it is the first day of the month.
    pub projection PartyTotalRow in "party_total" {
        legal_entity_id: Id,
        currency_code: String,
        side: Side,
        account: PartyAccount,
        document: DocumentKind,
        act: PartyAct,
        month: Month,
        due_on: Date,
        amount: Amount,
    }
    unique { total: [legal_entity_id, currency_code, side, account, document, act, month, due_on] }
    counters [amount]
}

collection! {
    // Totals of revenue recognised without an order. `documents` counts invoices.
    pub projection RevenueTotalRow in "revenue_total" {
        legal_entity_id: Id,
        currency_code: String,
        month: Month,
        documents: Amount,
        quantity: Amount,
        revenue: Amount,
    }
    unique { total: [legal_entity_id, currency_code, month] }
    counters [documents, quantity, revenue]
}

collection! {
    pub projection MoneyTotalRow in "money_total" {
        legal_entity_id: Id,
        currency_code: String,
        origin: MoveOrigin,
        month: Month,
        amount: Amount,
    }
    unique { total: [legal_entity_id, currency_code, origin, month] }
    counters [amount]
}
