//! Refunding what a payment or a credit has left: money leaves to a customer, or comes in from a supplier (P22, P23).
//! Cash from a till lowers what its open session should hold (rule 12).

use stoa_sdk::store::{Batch, insert};
use stoa_sdk::{Answer, Bounds, Call, Field, Id, Problem, item, new_id};
use stoa_trade::clients::books;
use stoa_trade::new_record;
use stoa_trade::refusal::refuse;
use stoa_trade::text::key;

use crate::operations::refund::input::RefundInput;
use crate::records::funds::FundsRow;
use crate::records::party_entry::PartyAct;
use crate::records::refund::{RefundRow, RefundStatus};
use crate::records::side::{REFUND, Side};
use crate::records::till::TillRow;
use crate::rules::day::day_of_act;
use crate::work::entries::{Debtor, PartyDocument, entry, negate};
use crate::work::money::{draw_move, money_of_refund, post_money, resolve_account};
use crate::work::month_totals::{Lines, write_lines};
use crate::work::source::{Source, SourceRow, lock_source_row, read_source_row};
use crate::work::taken::require_inserted;
use crate::work::till::{CashUse, lock_drawer, take_cash};

/// Refunds what a payment or a credit has left.
pub fn refund<R: SourceRow>(side: Side, call: &Call) -> Answer {
    let (id, body): (Id, RefundInput) = (call.path_id("id")?, call.body()?);
    body.check()?;
    let seen: R = read_source_row(side, id)?;
    body.expected_version.check(seen.version())?;
    // The drawer before the payment or credit.
    let from = open_purse(&seen.debtor(), &body)?;
    let (row, source) = lock_source_row::<R>(side, id, body.expected_version)?.into_source()?;
    give(&body, &source, from, row.raise())
}

/// Where the money goes from or comes to.
struct Purse {
    account: Option<Id>,
    till: Option<TillRow>,
}

fn open_purse(debtor: &Debtor, body: &RefundInput) -> Result<Purse, Problem> {
    let account = resolve_account(debtor.entity, body.money.method, body.money.account_id)?;
    let till = lock_drawer(CashUse {
        side: debtor.side,
        method: body.money.method,
        entity: debtor.entity,
        currency_code: &debtor.currency_code,
        account: account.as_ref(),
        session: body.session_id,
    })?;
    Ok(Purse { account: account.map(|account| account.id.into()), till })
}

fn give(body: &RefundInput, source: &Source, from: Purse, raise: impl Batch) -> Answer {
    let amount = body.money.amount.0;
    if source.funds.available < amount {
        let most = Bounds::maximum(source.funds.available);
        refuse("LIMIT_EXCEEDED", vec![item("/amount", "EXCEEDS_AVAILABLE").with_bounds(most)])?;
    }
    let refunded_on = day_of_act(Some(body.refunded_on), source.posted_on, "/refundedOn")?;
    let (payment_id, credit_id) = source.ids();
    let row = new_record!(RefundRow {
        id: new_id(),
        side: source.debtor.side,
        number: body.number.0.clone(),
        number_key: key(&body.number.0),
        payment_id,
        credit_id,
        party_id: source.debtor.party,
        legal_entity_id: source.debtor.entity,
        currency_code: source.debtor.currency_code.clone(),
        amount,
        method: body.money.method,
        card_kind: body.money.card_kind,
        account_id: from.account,
        session_id: from.till.as_ref().map(|till| till.session_id),
        refunded_on,
        reference: body.remarks.reference.clone().map(String::from),
        notes: body.remarks.notes.clone().map(String::from),
        status: RefundStatus::Recorded,
        voided_on: None,
        void_reason: None,
    });
    let document = row.document();
    let refund_entry = entry(&source.debtor, &document, PartyAct::Post, source.account(), None, refunded_on, amount);
    let money = money_of_refund(&row, refunded_on, row.session_id);
    let branch = from.till.as_ref().and_then(|till| till.branch_id);
    let drawer = from.till.as_ref().map(|till| take_cash(till, amount)).transpose()?;
    let funds = source.change_funds().add(FundsRow::refunded, amount).add(FundsRow::available, negate(amount));
    let moved = draw_move(&money, branch, false);
    let lines = Lines { entries: vec![refund_entry], moves: vec![moved], ..Lines::default() };
    let rest = (insert([&row]).unless_taken(), funds, drawer, raise);
    let (went_in, ..) = write_lines(row.legal_entity_id, rest, &lines)?;
    let number = vec![row.side.put(), row.legal_entity_id.put(), row.number_key.clone().put()];
    require_inserted::<RefundRow>(row.side, &went_in, number)?;
    books::post(&post_money(&source.debtor, &document, REFUND, &money, "/refundedOn"))?;
    Ok(row.receipt().subject(source.document.id))
}
