//! Sums of the ledgers of finance: the balances of customers and suppliers, and what the books should say of it.

use stoa_sdk::store::{Aggregate, Batch, aggregate};
use stoa_sdk::{Filter, Id, all, totals};
use stoa_trade::quantity::{Amount, Sum, widen};
use stoa_trade::snapshot::{Days, FigureSums, MonthSums, Part, Summed, sum_days, sum_figures, sum_months};

use crate::records::money_move::{MoneyMoveRow, MoveOrigin};
use crate::records::month_total::{MoneyTotalRow, PartyTotalRow, RevenueTotalRow};
use crate::records::party_entry::{DocumentKind, PartyAccount, PartyAct, PartyEntryRow};
use crate::records::revenue_line::RevenueLineRow;
use crate::records::side::Side;
use crate::work::month_totals::{MoneyMoves, Parties, Revenue};

/// Balance of each account, of lines and of months' totals.
macro_rules! standing {
    ($name:ident of $row:ident $sum:ty, $widen:expr) => {
        totals! {
            $name of $row by [] {
                [invoices, payments, credits, issued, collected]: $sum = sum(amount)
            }
        }

        impl $name {
            fn measure(filter: Filter) -> Aggregate<$name> {
                let on = |account: PartyAccount| $row::account.eq(account);
                let posted = |document: DocumentKind| {
                    let acts = $row::act.one_of([PartyAct::Post, PartyAct::Void]);
                    all([acts, on(PartyAccount::Invoices), $row::document.eq(document)])
                };
                aggregate::<$name>(filter)
                    .when($name::invoices, on(PartyAccount::Invoices))
                    .when($name::payments, on(PartyAccount::Payments))
                    .when($name::credits, on(PartyAccount::Credits))
                    .when($name::issued, posted(DocumentKind::Invoice))
                    .when($name::collected, posted(DocumentKind::Payment))
            }

            fn figures(self) -> ((), [Amount; 5]) {
                let sums = [self.invoices, self.payments, self.credits, self.issued, self.collected];
                ((), sums.map($widen))
            }
        }
    };
}

standing! { LineStanding of PartyEntryRow Sum, widen }
standing! { MonthStanding of PartyTotalRow Amount, |sum| sum }

/// The entries of one account.
pub fn of_account(account: PartyAccount) -> Filter {
    PartyEntryRow::account.eq(account)
}

/// Entries that are shown in statements: applications move nothing between two parties.
pub fn of_statement() -> Filter {
    PartyEntryRow::act.one_of([PartyAct::Post, PartyAct::Void])
}

/// Balances of a side of an entity in a currency: on INVOICES, PAYMENTS and CREDITS, what invoices were posted for less what is
/// void, and what registers collected of invoices.
pub fn sum_standing(
    side: Side,
    entity: Id,
    currency_code: &str,
    summed: Option<Summed>,
) -> impl Batch<Answer = [Amount; 5]> {
    let months = all([PartyTotalRow::side.eq(side), PartyTotalRow::currency_code.eq(currency_code)]);
    let lines = all([PartyEntryRow::side.eq(side), PartyEntryRow::currency_code.eq(currency_code)]);
    sum_days::<Parties, _, _, _, _>(
        entity,
        summed,
        (None, None),
        Part { filter: months, measure: &MonthStanding::measure, figures: MonthStanding::figures },
        Part { filter: lines, measure: &LineStanding::measure, figures: LineStanding::figures },
    )
}

/// Amount that registers of an entity took in a currency.
pub fn sum_taken(entity: Id, currency_code: &str, summed: Option<Summed>) -> FigureSums<MoneyMoves, 1> {
    let receipts = MoveOrigin::PosReceipt;
    let months = all([MoneyTotalRow::origin.eq(receipts), MoneyTotalRow::currency_code.eq(currency_code)]);
    let lines = all([MoneyMoveRow::origin.eq(receipts), MoneyMoveRow::currency_code.eq(currency_code)]);
    sum_figures(entity, summed, (None, None), months, lines)
}

/// Sums that an entity recognised without an order in a currency, from one day to another, by month: documents,
/// quantity and revenue.
pub fn sum_recognized(entity: Id, currency_code: &str, days: Days, summed: Option<Summed>) -> MonthSums<Revenue, 3> {
    let months = RevenueTotalRow::currency_code.eq(currency_code);
    sum_months(entity, summed, days, months, RevenueLineRow::currency_code.eq(currency_code))
}

/// Amount that an entity credited its customers in a currency from one day to another, by month, below zero.
pub fn sum_credited(entity: Id, currency_code: &str, days: Days, summed: Option<Summed>) -> MonthSums<Parties, 1> {
    let months = all([
        PartyTotalRow::side.eq(Side::Sales),
        PartyTotalRow::currency_code.eq(currency_code),
        PartyTotalRow::account.eq(PartyAccount::Credits),
        PartyTotalRow::document.eq(DocumentKind::Credit),
        PartyTotalRow::act.one_of([PartyAct::Post, PartyAct::Void]),
    ]);
    let lines = all([of_credits(), PartyEntryRow::currency_code.eq(currency_code)]);
    sum_months(entity, summed, days, months, lines)
}

/// Credits of customers as they were given and taken back.
pub fn of_credits() -> Filter {
    all([
        PartyEntryRow::side.eq(Side::Sales),
        of_account(PartyAccount::Credits),
        PartyEntryRow::document.eq(DocumentKind::Credit),
        of_statement(),
    ])
}
