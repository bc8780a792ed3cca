//! Sums of the ledger of what parties owe: what customers and suppliers stand at, and what the books should say of it.

use stoa_sdk::store::{OneTotal, aggregate};
use stoa_sdk::{Filter, Id, all, totals};
use stoa_trade::quantity::{Amount, Money};

use crate::records::money_move::{MoneyMoveRow, MoveOrigin};
use crate::records::party_entry::{DocumentKind, PartyAccount, PartyAct, PartyEntryRow};
use crate::records::revenue_line::RevenueLineRow;
use crate::records::side::Side;

totals! {
    /// What stands on each account.
    pub Standing of PartyEntryRow by [] {
        invoices: Money = sum(amount),
        payments: Money = sum(amount),
        credits: Money = sum(amount),
        /// What invoices were posted for, less what is void.
        issued: Money = sum(amount),
        /// What registers collected of invoices.
        collected: Money = sum(amount),
    }
}

totals! { pub Taken of MoneyMoveRow by [] { amount: Money = sum(amount) } }

totals! { pub RecognizedRevenue of RevenueLineRow by [] { revenue: Amount = sum(revenue) } }

/// The entries of one account.
pub fn of_account(account: PartyAccount) -> Filter {
    PartyEntryRow::account.eq(account)
}

/// Entries that stand in statements: applications move nothing between two parties.
pub fn of_statement() -> Filter {
    PartyEntryRow::act.one_of([PartyAct::Post, PartyAct::Void])
}

/// What a side of an entity stands at in a currency.
pub fn sum_standing(side: Side, entity: Id, currency_code: &str) -> OneTotal<Standing> {
    let of = all([
        PartyEntryRow::side.eq(side),
        PartyEntryRow::legal_entity_id.eq(entity),
        PartyEntryRow::currency_code.eq(currency_code),
    ]);
    let of_invoices = [of_statement(), of_account(PartyAccount::Invoices)];
    let documents = |kind: DocumentKind| all(of_invoices.clone().into_iter().chain([PartyEntryRow::document.eq(kind)]));
    aggregate::<Standing>(of)
        .when(Standing::invoices, of_account(PartyAccount::Invoices))
        .when(Standing::payments, of_account(PartyAccount::Payments))
        .when(Standing::credits, of_account(PartyAccount::Credits))
        .when(Standing::issued, documents(DocumentKind::Invoice))
        .when(Standing::collected, documents(DocumentKind::Payment))
        .one()
}

/// What registers of an entity took in a currency.
pub fn sum_taken(entity: Id, currency_code: &str) -> OneTotal<Taken> {
    aggregate::<Taken>(all([
        MoneyMoveRow::legal_entity_id.eq(entity),
        MoneyMoveRow::currency_code.eq(currency_code),
        MoneyMoveRow::origin.eq(MoveOrigin::PosReceipt),
    ]))
    .one()
}

/// What an entity recognised without an order in a currency.
pub fn sum_recognized(entity: Id, currency_code: &str) -> OneTotal<RecognizedRevenue> {
    aggregate::<RecognizedRevenue>(all([
        RevenueLineRow::legal_entity_id.eq(entity),
        RevenueLineRow::currency_code.eq(currency_code),
    ]))
    .one()
}
