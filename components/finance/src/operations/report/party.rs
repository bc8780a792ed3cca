//! Debts of customers and debts to suppliers: balances and statements (finance-ledger.md B9).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use stoa_sdk::store::{aggregate, get, run, select};
use stoa_sdk::{Answer, Call, Client, Date, Field, Id, Limit, Operation, Problem, Reply, all, today, totals, view};
use stoa_trade::dates::check_range;
use stoa_trade::document::currency::CurrencyCode;
use stoa_trade::lists::equals;
use stoa_trade::quantity::{Money, Sum, sum};

use crate::records::party_entry::{DocumentKind, PartyAccount, PartyAct, PartyEntryRow};
use crate::records::permission::{PURCHASES, READ_CUSTOMER, SALES};
use crate::records::side::Side;
use crate::work::balances::{of_account, of_statement};
use crate::work::entries::negate;
use crate::work::party::read_party;

#[rustfmt::skip]
pub const OPERATIONS: &[Operation] = &[
    Operation::read("/sales/customers/{id}/balance", "getCustomerBalance", |call| balance(Side::Sales, call))
        .summary("Balance of a customer")
        .needs(READ_CUSTOMER).query::<AskBalance>().answers::<PartyBalances>().cache_control("no-store").or_csv()
        .and_client(Client::new(SALES.read)),
    Operation::read("/sales/customers/{id}/statement", "getCustomerStatement", |call| statement(Side::Sales, call))
        .summary("The statement of a customer's account")
        .needs(READ_CUSTOMER).query::<AskPartyStatement>().answers::<PartyStatement>().cache_control("no-store").or_csv()
        .problems(&["LIMIT_EXCEEDED"]),
    Operation::read("/purchases/suppliers/{id}/balance", "getSupplierBalance", |call| balance(Side::Purchases, call))
        .summary("Balance of a supplier")
        .needs(PURCHASES.read).query::<AskBalance>().answers::<PartyBalances>().cache_control("no-store").or_csv(),
    Operation::read("/purchases/suppliers/{id}/statement", "getSupplierStatement",
        |call| statement(Side::Purchases, call))
        .summary("The statement of a supplier's account")
        .needs(PURCHASES.read).query::<AskPartyStatement>().answers::<PartyStatement>().cache_control("no-store").or_csv()
        .problems(&["LIMIT_EXCEEDED"]),
];

/// Which balances.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AskBalance {
    legal_entity_id: Option<Id>,
    currency_code: Option<CurrencyCode>,
}

/// Balances of a customer or supplier.
#[derive(Debug, Serialize, JsonSchema)]
pub struct PartyBalances {
    items: Vec<PartyBalance>,
}

/// Balance of a customer or supplier in one legal entity and currency.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PartyBalance {
    legal_entity_id: Id,
    currency_code: String,
    open_invoices: Sum,
    unapplied_payments: Sum,
    available_credits: Sum,
    /// Invoices minus payments and credits.
    balance: Sum,
}

totals! {
    Balance of PartyEntryRow by [legal_entity_id: Id, currency_code: String] {
        [invoices, payments, credits, balance]: Sum = sum(amount)
    }
}

/// # Errors
/// NOT_FOUND.
fn require_party(side: Side, id: Id) -> Result<(), Problem> {
    read_party(side, id).map(|_| ()).ok_or_else(Problem::not_found)
}

fn balance(side: Side, call: &Call) -> Answer {
    let id: Id = call.path_id("id")?;
    let query: AskBalance = call.query()?;
    require_party(side, id)?;
    let entries = all([
        PartyEntryRow::side.eq(side),
        PartyEntryRow::party_id.eq(id),
        equals(PartyEntryRow::legal_entity_id, query.legal_entity_id),
        equals(PartyEntryRow::currency_code, query.currency_code),
    ]);
    let sums = run(aggregate::<Balance>(entries)
        .when(Balance::invoices, of_account(PartyAccount::Invoices))
        .when(Balance::payments, of_account(PartyAccount::Payments))
        .when(Balance::credits, of_account(PartyAccount::Credits))
        .without_zeros()
        .whole())?;
    let item = |group: Balance| PartyBalance {
        legal_entity_id: group.legal_entity_id,
        currency_code: group.currency_code,
        open_invoices: group.invoices,
        unapplied_payments: negate(group.payments),
        available_credits: negate(group.credits),
        balance: group.balance,
    };
    Ok(Reply::json(&PartyBalances { items: sums.into_iter().map(item).collect() }).resource(id))
}

/// Which part of an account.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AskPartyStatement {
    cursor: Option<Id>,
    #[serde(default)]
    limit: Limit,
    legal_entity_id: Id,
    currency_code: CurrencyCode,
    /// First day. Omitted: the day of the first entry.
    from: Option<Date>,
    /// Last day. Omitted: today.
    to: Option<Date>,
}

stoa_sdk::text_enum! {
    /// Kind of the entry. A VOID entry reverses an invoice, payment, credit or refund.
    pub enum StatementKind {
        Invoice => "INVOICE", Payment => "PAYMENT", Credit => "CREDIT", Refund => "REFUND", Void => "VOID",
    }
}

/// An entry of a party's account.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PartyStatementItem {
    date: Date,
    kind: StatementKind,
    document_id: Id,
    number: String,
    increase: Money,
    decrease: Money,
    /// Balance including this entry and all earlier ones.
    balance: Sum,
}

/// Account of a party by day. Opening and closing cover the whole range, on every page.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PartyStatement {
    opening: Sum,
    items: Vec<PartyStatementItem>,
    next_cursor: Option<Id>,
    closing: Sum,
}

totals! { EntrySum of PartyEntryRow by [] { amount: Sum = sum(amount) } }

view! { DayOfEntry of PartyEntryRow { id: Id, on_date: Date } }

fn statement(side: Side, call: &Call) -> Answer {
    let id: Id = call.path_id("id")?;
    let query: AskPartyStatement = call.query()?;
    let to = query.to.unwrap_or_else(today);
    check_range(query.from, Some(to))?;
    require_party(side, id)?;
    let scope = || {
        all([
            PartyEntryRow::side.eq(side),
            PartyEntryRow::party_id.eq(id),
            PartyEntryRow::legal_entity_id.eq(query.legal_entity_id),
            PartyEntryRow::currency_code.eq(query.currency_code.0.as_str()),
            of_statement(),
            PartyEntryRow::on_date.le(to),
        ])
    };
    let place = run(query.cursor.map(get::<DayOfEntry>))?.flatten();
    // A cursor that is not an entry of this account leads to its end, as the last one does.
    let from = query.from.map(|from| PartyEntryRow::on_date.ge(from)).unwrap_or_default();
    let after = match (&place, query.cursor) {
        (Some(place), _) => Some(vec![place.on_date.put(), place.id.put()]),
        (None, Some(cursor)) => Some(vec![to.put(), cursor.put()]),
        (None, None) => None,
    };
    let before = query.from.map(|from| aggregate::<EntrySum>(all([scope(), PartyEntryRow::on_date.lt(from)])).one());
    let earlier = place.as_ref().map(|place| {
        let days = aggregate::<EntrySum>(all([scope(), PartyEntryRow::on_date.lt(place.on_date)])).one();
        let same_day = [PartyEntryRow::on_date.eq(place.on_date), PartyEntryRow::id.le(place.id)];
        (days, aggregate::<EntrySum>(all([scope()].into_iter().chain(same_day))).one())
    });
    let page =
        select::<PartyEntryRow>(all([scope(), from])).by(PartyEntryRow::on_date).after_row(after).limit(query.limit.0);
    let (before, earlier, page, closing) = run((before, earlier, page, aggregate::<EntrySum>(scope()).one()))?;
    let opening = before.map_or(Sum::ZERO, |total| total.amount);
    let mut balance = match earlier {
        Some((days, same_day)) => sum([days.amount, same_day.amount])?,
        None => opening,
    };
    let mut items = Vec::new();
    for row in &page.items {
        balance = sum([balance, Sum::from_units(row.amount.units())])?;
        items.push(show(row, balance));
    }
    let next_cursor = page.items.last().map(|row| row.id).filter(|_| page.more);
    let answer = PartyStatement { opening, items, next_cursor, closing: closing.amount };
    Ok(Reply::json(&answer).resource(id))
}

fn show(row: &PartyEntryRow, balance: Sum) -> PartyStatementItem {
    let kind = match (row.act, row.document) {
        (PartyAct::Void, _) => StatementKind::Void,
        (_, DocumentKind::Invoice) => StatementKind::Invoice,
        (_, DocumentKind::Payment) => StatementKind::Payment,
        (_, DocumentKind::Credit) => StatementKind::Credit,
        (_, DocumentKind::Refund) => StatementKind::Refund,
    };
    let is_less = row.amount.is_negative();
    PartyStatementItem {
        date: row.on_date,
        kind,
        document_id: row.document_id,
        number: row.number.clone(),
        increase: if is_less { Money::ZERO } else { row.amount },
        decrease: if is_less { negate(row.amount) } else { Money::ZERO },
        balance,
    }
}
