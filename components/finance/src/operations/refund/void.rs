//! Voiding a refund: the amount that it took is available again, cash of a till goes back into an open session of that till.

use stoa_sdk::store::{get, run, update_by};
use stoa_sdk::{Answer, Call, Field, Id, Problem};
use stoa_trade::Change;
use stoa_trade::card_number::refuse_card_numbers;
use stoa_trade::clients::money;
use stoa_trade::refusal::invalid;

use crate::operations::refund::input::VoidRefund;
use crate::records::credit::CreditRow;
use crate::records::funds::FundsRow;
use crate::records::party_entry::{PartyAccount, PartyAct};
use crate::records::payment::PaymentRow;
use crate::records::refund::{RefundRow, RefundStatus};
use crate::records::side::Side;
use crate::records::till::TillRow;
use crate::rules::day::day_of_act;
use crate::work::entries::{PartyDocument, entry, negate};
use crate::work::money::{draw_move, money_of_refund};
use crate::work::month_totals::{Lines, write_lines};
use crate::work::posting::undo;
use crate::work::source::SourceRow;
use crate::work::till::{CashUse, lock_drawer, put_cash};

pub fn void(side: Side, call: &Call) -> Answer {
    let (id, body): (Id, VoidRefund) = (call.path_id("id")?, call.body()?);
    refuse_card_numbers(&[("/reason", Some(&body.reason))])?;
    let seen: Option<RefundRow> = run(get(id))?;
    let seen = seen.filter(|row| row.side == side).ok_or_else(Problem::not_found)?;
    // The drawer, the payment or credit, the refund: later locks are taken in this order.
    let till = lock_drawer_of(&seen, body.session_id)?;
    let (payment, credit, row) = run((
        seen.payment_id.map(|id| get::<PaymentRow>(id).locked()),
        seen.credit_id.map(|id| get::<CreditRow>(id).locked()),
        get::<RefundRow>(id).locked(),
    ))?;
    let row = row.ok_or_else(Problem::not_found)?;
    body.expected_version.check(row.version)?;
    if row.status != RefundStatus::Recorded {
        return Err(Problem::new("ILLEGAL_STATE"));
    }
    let on = day_of_act(body.voided_on, row.refunded_on, "/voidedOn")?;
    let change = Change::new(
        &row,
        RefundRow {
            status: RefundStatus::Void,
            voided_on: Some(on),
            void_reason: Some(body.reason.into()),
            ..row.clone()
        },
    )?;
    let account = if row.credit_id.is_some() { PartyAccount::Credits } else { PartyAccount::Payments };
    let back = entry(&row.debtor(), &row.document(), PartyAct::Void, account, None, on, negate(row.amount));
    let money = money_of_refund(&row, on, till.as_ref().map(|till| till.session_id));
    let moved = draw_move(&money, till.as_ref().and_then(|till| till.branch_id), true);
    let source = row.payment_id.or(row.credit_id).unwrap_or(row.id);
    let funds = update_by::<FundsRow>("source", [vec![source.put()]])
        .add(FundsRow::refunded, negate(row.amount))
        .add(FundsRow::available, row.amount);
    let rest = (
        change.update(),
        funds,
        till.as_ref().map(|till| put_cash(till, row.amount)),
        payment.flatten().map(|row| row.raise()),
        credit.flatten().map(|row| row.raise()),
    );
    let lines = Lines { entries: vec![back], moves: vec![moved], ..Lines::default() };
    write_lines(row.legal_entity_id, rest, &lines)?;
    undo(&row, on, "/voidedOn")?;
    Ok(change.after().receipt().subject(source).changed(change.members()))
}

/// The drawer that takes cash back which left one.
///
/// # Errors
/// VALIDATION_FAILED of a session that is not asked for; CASH_SESSION_REQUIRED.
fn lock_drawer_of(row: &RefundRow, session: Option<Id>) -> Result<Option<TillRow>, Problem> {
    if row.session_id.is_none() {
        return match session {
            Some(_) => Err(invalid("/sessionId", "NOT_ALLOWED")),
            None => Ok(None),
        };
    }
    if session.is_none() {
        return Err(Problem::at("CASH_SESSION_REQUIRED", "/sessionId"));
    }
    let account = row.account_id.and_then(|id| money::get(&[id]).into_iter().next());
    lock_drawer(CashUse {
        side: row.side,
        method: row.method,
        entity: row.legal_entity_id,
        currency_code: &row.currency_code,
        account: account.as_ref(),
        session,
    })
}
