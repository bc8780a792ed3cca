//! A session's drawer: opened, moved, counted and closed (P27, P28). The expected amount is never negative.

use std::collections::BTreeMap;

use stoa_sdk::store::{Batch, MOST_KEYS, aggregate, find, insert, read, update};
use stoa_sdk::{Date, Field, Id, Problem, all, item, map, new_id, now, today, totals};
use stoa_trade::arguments::parse_unsigned;
use stoa_trade::clients::books::{self, Leg, Side as JournalSide, Target};
use stoa_trade::clients::money;
use stoa_trade::new_record;
use stoa_trade::payment_method::Method;
use stoa_trade::quantity::{Money, sum, widen};
use stoa_trade::refusal::{illegal, refuse};

use crate::bindings::exports::commerce::finance::tills as service;
use crate::records::money_move::{Direction, MoneyMoveRow, MoveOrigin};
use crate::records::till::{TillRow, TillStatus};
use crate::work::entries::negate;
use crate::work::money::{Moved, draw_move, resolve_account};
use crate::work::month_totals::{Lines, write_lines};
use crate::work::posting::{EntrySource, Terms, draw_entry, leg, money_leg, of_branch};
use crate::work::till::{lock_till, put_cash};

/// The drawer of a new session.
///
/// # Errors
/// PAYMENT_ACCOUNT_INVALID, ACCOUNTING_SETUP_REQUIRED, ACCOUNTING_CURRENCY_UNSUPPORTED.
pub fn open(session: service::Session) -> Result<service::Opened, Problem> {
    let entity = Id::from(session.legal_entity_id);
    books::service::admit(entity.into(), Some(&session.currency_code), Some("/currencyCode"), &[], &[])?;
    let stated = session.money_account_id.map(Id::from);
    let account = resolve_account(entity, Method::Cash, stated)
        .map_err(|refusal| refusal.moved("/accountId", "/moneyAccountId"))?;
    if account.as_ref().is_some_and(|account| !account.till) {
        return Err(Problem::at("PAYMENT_ACCOUNT_INVALID", "/moneyAccountId"));
    }
    let opening: Money = parse_unsigned(&session.opening);
    let till = new_record!(TillRow {
        id: new_id(),
        session_id: session.id.into(),
        register_id: session.register_id.into(),
        legal_entity_id: entity,
        branch_id: session.branch_id.map(Id::from),
        money_account_id: account.map(|account| account.id.into()),
        currency_code: session.currency_code,
        status: TillStatus::Open,
        opening,
        expected: opening,
        counted: None,
        variance: None,
        closed_at: None,
        smallest_coin: session.smallest_coin.as_deref().map(parse_unsigned),
    });
    let first = cash_move(&till, Direction::In, opening, today(), MoveOrigin::TillOpening, till.session_id);
    write_moves(entity, insert([&till]), vec![first])?;
    Ok(service::Opened { money_account_id: till.money_account_id.map(Into::into), expected: till.expected.to_string() })
}

/// Writes moves of a drawer's cash, with what else is written.
fn write_moves(entity: Id, rest: impl Batch, moves: Vec<MoneyMoveRow>) -> Result<(), Problem> {
    write_lines(entity, rest, &Lines { moves, ..Lines::default() })?;
    Ok(())
}

/// A move of a drawer's cash.
pub fn cash_move(
    till: &TillRow,
    direction: Direction,
    amount: Money,
    on: Date,
    origin: MoveOrigin,
    source: Id,
) -> MoneyMoveRow {
    let moved = Moved {
        entity: till.legal_entity_id,
        currency_code: till.currency_code.clone(),
        account: till.money_account_id,
        method: Method::Cash,
        direction,
        amount,
        on,
        origin,
        source,
        session: Some(till.session_id),
    };
    draw_move(&moved, till.branch_id, false)
}

/// The drawer of a session that is open, held until the transaction ends.
///
/// # Errors
/// ILLEGAL_STATE at `/session`.
pub fn lock_open_till(session: Id) -> Result<TillRow, Problem> {
    match lock_till(session)? {
        Some(till) if till.status == TillStatus::Open => Ok(till),
        _ => Err(illegal("/session", "SESSION_CLOSED")),
    }
}

/// The account of the drawer's cash; none if the entity keeps no books. One that was opened before the books has the
/// mapped one.
///
/// # Errors
/// ACCOUNTING_SETUP_REQUIRED.
pub fn account_of(till: &TillRow) -> Result<Option<Id>, Problem> {
    match till.money_account_id {
        Some(account) => Ok(Some(account)),
        None => Ok(resolve_account(till.legal_entity_id, Method::Cash, None)?.map(|account| account.id.into())),
    }
}

/// Today's entry of a drawer.
fn terms_of(till: &TillRow) -> Terms<'_> {
    Terms::new(till.legal_entity_id, &till.currency_code, today(), "")
}

/// Posts cash that the drawer gains or loses against another leg.
fn post_cash(
    till: &TillRow,
    source: EntrySource<'_>,
    direction: Direction,
    amount: Money,
    against: impl FnOnce(JournalSide) -> Leg,
) -> Result<(), Problem> {
    let Some(account) = account_of(till)? else { return Ok(()) };
    let (cash_side, other) = match direction {
        Direction::In => (JournalSide::Debit, JournalSide::Credit),
        Direction::Out => (JournalSide::Credit, JournalSide::Debit),
    };
    let legs = money_leg(Some(account), cash_side, amount).into_iter().chain([against(other)]);
    let legs = legs.map(|leg| of_branch(leg, till.branch_id)).collect();
    books::post(&draw_entry(terms_of(till), source, legs))?;
    Ok(())
}

/// Cash into the drawer or out of it; what it should hold then.
///
/// # Errors
/// ILLEGAL_STATE, LIMIT_EXCEEDED with EXCEEDS_TILL_CASH, PAYMENT_ACCOUNT_INVALID, the codes of accounting.
pub fn move_cash(
    session: Id,
    movement: Id,
    to: service::Direction,
    amount: &str,
    counter: Option<Id>,
    reason: &str,
) -> Result<String, Problem> {
    let till = lock_open_till(session)?;
    let amount: Money = parse_unsigned(amount);
    let (direction, signed) = match to {
        service::Direction::In => (Direction::In, amount),
        service::Direction::Out => (Direction::Out, negate(amount)),
    };
    let expected = sum([till.expected, signed])?;
    if expected.is_negative() {
        refuse("LIMIT_EXCEEDED", vec![item("/amount", "EXCEEDS_TILL_CASH")])?;
    }
    check_counter(&till, counter)?;
    let moved = cash_move(&till, direction, amount, today(), MoveOrigin::TillMovement, movement);
    write_moves(till.legal_entity_id, put_cash(&till, signed), vec![moved])?;
    let source = EntrySource { kind: "CASH_MOVEMENT", id: movement, purpose: "MONEY", number: reason };
    post_cash(&till, source, direction, amount, |side| match counter {
        Some(account) => Leg { target: Target::Money(account.into()), ..leg("", side, widen(amount)) },
        None => leg("CASH_MOVEMENT", side, widen(amount)),
    })?;
    Ok(expected.to_string())
}

/// A counter account is an active money account of the entity, other than the drawer's own.
///
/// # Errors
/// PAYMENT_ACCOUNT_INVALID at `/counterAccountId`.
fn check_counter(till: &TillRow, counter: Option<Id>) -> Result<(), Problem> {
    let Some(id) = counter else { return Ok(()) };
    let known = money::get(&[id]).into_iter().next();
    let drawer_account = account_of(till)?;
    let fits = known.is_some_and(|account| {
        account.active
            && Id::from(account.entity_id) == till.legal_entity_id
            && drawer_account.is_some()
            && drawer_account != Some(id)
    });
    if fits { Ok(()) } else { Err(Problem::at("PAYMENT_ACCOUNT_INVALID", "/counterAccountId")) }
}

/// Ends a drawer: the difference between the counted cash and the cash that it should hold is its variance.
///
/// # Errors
/// ILLEGAL_STATE, the codes of accounting.
pub fn close(session: Id, counted: &str) -> Result<service::Closed, Problem> {
    let till = lock_open_till(session)?;
    let counted: Money = parse_unsigned(counted);
    let variance = sum([counted, negate(till.expected)])?;
    let is_short = variance.is_negative();
    let (direction, amount) = if is_short { (Direction::Out, negate(variance)) } else { (Direction::In, variance) };
    let moved = cash_move(&till, direction, amount, today(), MoveOrigin::Variance, session);
    let ended = update::<TillRow>(till.id)
        .set(TillRow::status, &TillStatus::Closed)
        .set(TillRow::counted, &Some(counted))
        .set(TillRow::variance, &Some(variance))
        .set(TillRow::closed_at, &Some(now()));
    let moves = if variance.is_zero() { Vec::new() } else { vec![moved] };
    write_moves(till.legal_entity_id, ended, moves)?;
    if !variance.is_zero() {
        let number = till.register_id.to_string();
        let source = EntrySource { kind: "POS_SESSION", id: session, purpose: "VARIANCE", number: &number };
        post_cash(&till, source, direction, amount, |side| leg("CASH_OVER_SHORT", side, widen(amount)))?;
    }
    Ok(service::Closed { expected: till.expected.to_string(), variance: variance.to_string() })
}

totals! {
    /// Refunds of a session, and those that were taken back.
    SessionRefunds of MoneyMoveRow by [session_id: Option<Id>, undo: bool] {
        count: i64 = count,
        amount: Money = sum(amount),
    }
}

/// The drawers of these sessions.
pub fn read_states(sessions: Vec<Id>) -> Vec<service::State> {
    sessions.chunks(MOST_KEYS).flat_map(read_some).collect()
}

fn read_some(sessions: &[Id]) -> Vec<service::State> {
    let refunds = all([
        MoneyMoveRow::session_id.one_of(sessions.iter().copied()),
        MoneyMoveRow::origin.eq(MoveOrigin::CustomerRefund),
    ]);
    let keys = sessions.iter().map(|session| vec![session.put()]);
    let (tills, refunds) = read((find::<TillRow>("session", keys), aggregate::<SessionRefunds>(refunds).whole()));
    let refunds: BTreeMap<(Option<Id>, bool), SessionRefunds> =
        map(refunds.into_iter().map(|group| ((group.session_id, group.undo), group)));
    let tally = |session: Id, is_undone: bool| {
        let found = refunds.get(&(Some(session), is_undone));
        let amount = found.map_or(Money::ZERO, |group| if is_undone { group.amount } else { negate(group.amount) });
        service::Tally {
            count: found.and_then(|group| u64::try_from(group.count).ok()).unwrap_or_default(),
            amount: amount.to_string(),
        }
    };
    let state = |till: TillRow| service::State {
        session_id: till.session_id.into(),
        is_open: till.status == TillStatus::Open,
        expected: till.expected.to_string(),
        refunds: tally(till.session_id, false),
        voided_refunds: tally(till.session_id, true),
    };
    tills.into_iter().map(state).collect()
}
