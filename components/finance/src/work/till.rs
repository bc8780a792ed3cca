//! The drawer of a cash session: what it should hold, and who may change that. Its row is held before any other row of finance
//! (`sales-pos.md` 14).

use stoa_sdk::store::{Update, find, run, update};
use stoa_sdk::{Field, Id, Problem};
use stoa_trade::clients::money::Account;
use stoa_trade::coin::check_coins;
use stoa_trade::payment_method::Method;
use stoa_trade::quantity::Money;
use stoa_trade::refusal::{invalid, refuse};

use crate::records::side::Side;
use crate::records::till::{TillRow, TillStatus};
use crate::work::entries::negate;

/// The till of a session, held until the transaction ends.
pub fn lock_till(session: Id) -> Result<Option<TillRow>, Problem> {
    let found = find::<TillRow>("session", [vec![session.put()]]).locked();
    Ok(run(found)?.into_iter().next())
}

/// Facts about a refund that the session of its cash must fit.
#[derive(Debug, Clone, Copy)]
pub struct CashUse<'a> {
    pub side: Side,
    pub method: Method,
    pub entity: Id,
    pub currency_code: &'a str,
    pub account: Option<&'a Account>,
    pub session: Option<Id>,
}

/// The drawer that cash leaves, or comes back to: of a customer's refund from a till's account an open session of that
/// till, which must be named; without books a session may be named, and is checked alike (rule 12).
///
/// # Errors
/// VALIDATION_FAILED, PAYMENT_ACCOUNT_INVALID, CASH_SESSION_REQUIRED.
pub fn lock_drawer(cash_use: CashUse<'_>) -> Result<Option<TillRow>, Problem> {
    let is_cash = cash_use.side == Side::Sales && cash_use.method.is_cash();
    if cash_use.session.is_some() && !is_cash {
        return Err(invalid("/sessionId", "NOT_ALLOWED"));
    }
    let is_till = cash_use.account.is_some_and(|account| account.till);
    let Some(session) = cash_use.session else {
        return if is_cash && is_till { Err(session_required()) } else { Ok(None) };
    };
    if cash_use.account.is_some() && !is_till {
        return Err(Problem::at("PAYMENT_ACCOUNT_INVALID", "/accountId"));
    }
    let till = lock_till(session)?.ok_or_else(session_required)?;
    let account = cash_use.account.map(|account| Id::from(account.id));
    let fits = till.status == TillStatus::Open
        && till.legal_entity_id == cash_use.entity
        && till.currency_code == cash_use.currency_code
        && (account.is_none() || till.money_account_id == account);
    if fits { Ok(Some(till)) } else { Err(session_required()) }
}

fn session_required() -> Problem {
    Problem::at("CASH_SESSION_REQUIRED", "/sessionId")
}

/// Takes cash out of a drawer.
///
/// # Errors
/// AMOUNT_PRECISION with FINER_THAN_COIN, LIMIT_EXCEEDED with EXCEEDS_TILL_CASH at `/amount`.
pub fn take_cash(till: &TillRow, amount: Money) -> Result<Update<TillRow>, Problem> {
    check_coins(till.smallest_coin, &[("/amount", amount)])?;
    if till.expected < amount {
        refuse("LIMIT_EXCEEDED", vec![stoa_sdk::item("/amount", "EXCEEDS_TILL_CASH")])?;
    }
    Ok(update::<TillRow>(till.id).add(TillRow::expected, negate(amount)))
}

/// Puts cash into a drawer.
pub fn put_cash(till: &TillRow, amount: Money) -> Update<TillRow> {
    update::<TillRow>(till.id).add(TillRow::expected, amount)
}
