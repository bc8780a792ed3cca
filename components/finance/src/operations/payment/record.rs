//! Recording payments: created, replaced while they are expected, confirmed. A money payment posts its entry and may
//! pay invoices at once.

use stoa_sdk::store::{Batch, Failure, insert, run};
use stoa_sdk::{Answer, Call, Field, Problem, facts, new_id, now, today};
use stoa_trade::card_number::refuse_card_numbers;
use stoa_trade::clients::{books, directory};
use stoa_trade::dates::effective_day;
use stoa_trade::document::replacement::FullReplacement;
use stoa_trade::quantity::Money;
use stoa_trade::refusal::{invalid, require_unchanged};
use stoa_trade::text::key;
use stoa_trade::{Change, new_record};

use crate::operations::payment::input::{ConfirmPayment, PaymentInput, parts_of};
use crate::records::payment::{PaymentOrigin, PaymentRow, PaymentStatus};
use crate::records::side::Side;
use crate::work::entries::{PartyDocument, negate};
use crate::work::money::{record_payment, resolve_account};
use crate::work::month_totals::{Lines, write_lines};
use crate::work::party::require_party;
use crate::work::settle::{Part, Settlement, settle};
use crate::work::source::{Locked, Source, lock_source_row, new_funds};
use crate::work::taken::require_inserted;

pub fn create(side: Side, call: &Call) -> Answer {
    let body: PaymentInput = call.body()?;
    let parts = body.check()?;
    directory::require(body.legal_entity_id, None)?;
    require_party(side, body.party_id)?;
    let row = draw_payment(side, body)?;
    if row.status == PaymentStatus::Pending {
        require_number(&row, &run(insert([&row]).unless_taken())?)?;
        return Ok(row.receipt());
    }
    effective_day(Some(row.paid_on), today(), "/paidOn")?;
    let paid = pay(&row, &parts)?;
    require_number(&row, &paid.write(&row, insert([&row]).unless_taken())?)?;
    paid.post()?;
    Ok(row.receipt().subjects(parts.iter().map(|part| part.invoice)))
}

/// # Errors
/// DUPLICATE at `/number` where the payment's insert left it out.
fn require_number(row: &PaymentRow, went_in: &[bool]) -> Result<(), Problem> {
    let number = vec![row.side.put(), row.legal_entity_id.put(), row.number_key.clone().put()];
    require_inserted::<PaymentRow>(row.side, went_in, number)
}

/// A payment as a body states it. An expected one resolves no account that the body does not state.
fn draw_payment(side: Side, body: PaymentInput) -> Result<PaymentRow, Problem> {
    let is_pending = body.is_pending();
    let account = match is_pending && body.money.account_id.is_none() {
        true => None,
        false => resolve_account(body.legal_entity_id, body.money.method, body.money.account_id)?,
    };
    Ok(new_record!(PaymentRow {
        id: new_id(),
        side,
        number_key: key(&body.number.0),
        number: body.number.0,
        legal_entity_id: body.legal_entity_id,
        party_id: body.party_id,
        currency_code: body.currency_code,
        amount: body.money.amount.0,
        method: body.money.method,
        card_kind: body.money.card_kind,
        account_id: account.map(|account| account.id.into()),
        paid_on: body.paid_on,
        reference: body.remarks.reference.map(String::from),
        notes: body.remarks.notes.map(String::from),
        status: if is_pending { PaymentStatus::Pending } else { PaymentStatus::Recorded },
        origin: PaymentOrigin::Direct,
        receipt_id: None,
        receipt_line: None,
        order_id: None,
        confirmed_at: None,
        confirmed_by: None,
        voided_on: None,
        void_reason: None,
    }))
}

/// A payment that becomes money, and what it pays.
struct Paid {
    recorded: crate::work::money::Recorded,
    funds: crate::records::funds::FundsRow,
    settlement: Settlement,
}

fn pay(row: &PaymentRow, parts: &[Part]) -> Result<Paid, Problem> {
    let debtor = row.debtor();
    let mut funds = new_funds(&debtor, row.id, row.amount);
    let source = Source { debtor, document: row.document(), posted_on: row.paid_on, funds: funds.clone() };
    // Dated the later of the days on which payment and invoice were posted.
    let settlement = settle(&source, parts, "/applications", Ok)?;
    funds.applied = settlement.total;
    let left = row.amount.checked_add(negate(settlement.total));
    funds.available = left.ok_or_else(Money::limit_exceeded)?;
    Ok(Paid { recorded: record_payment(row), funds, settlement })
}

impl Paid {
    /// Writes it together with the payment itself.
    fn write<B: Batch>(&self, row: &PaymentRow, payment: B) -> Result<B::Answer, Failure> {
        let Paid { recorded, funds, settlement } = self;
        let entries = std::iter::once(&recorded.entry).chain(&settlement.entries).cloned().collect();
        let lines = Lines { entries, moves: vec![recorded.moved.clone()], ..Lines::default() };
        let rest = (payment, insert([funds]), settlement.writes());
        write_lines(row.legal_entity_id, rest, &lines).map(|(payment, ..)| payment)
    }

    fn post(&self) -> Result<(), Problem> {
        let mut postings = vec![self.recorded.posting.clone()];
        postings.extend(self.settlement.postings.iter().cloned());
        books::post_all(&postings)
    }
}

pub fn replace(side: Side, call: &Call) -> Answer {
    let FullReplacement { expected_version, body }: FullReplacement<PaymentInput> = call.body()?;
    body.check()?;
    if !body.is_pending() {
        return Err(invalid("/status", "NOT_ALLOWED"));
    }
    let Locked { row: before, .. } = lock_source_row::<PaymentRow>(side, call.path_id("id")?, expected_version)?;
    if before.status != PaymentStatus::Pending {
        return Err(Problem::new("ILLEGAL_STATE"));
    }
    require_unchanged(&before.legal_entity_id, &body.legal_entity_id, "/legalEntityId")?;
    require_party(side, body.party_id)?;
    let drawn = draw_payment(side, body)?;
    let after = PaymentRow { id: before.id, version: before.version, created_at: before.created_at, ..drawn };
    let change = Change::new(&before, after)?;
    run(change.update())?;
    Ok(change.after().receipt().changed(change.members()))
}

pub fn confirm(side: Side, call: &Call) -> Answer {
    let body: ConfirmPayment = call.body()?;
    refuse_card_numbers(&[("/reference", body.reference.as_deref())])?;
    let parts = parts_of(&body.applications)?;
    let Locked { row: before, .. } = lock_source_row::<PaymentRow>(side, call.path_id("id")?, body.expected_version)?;
    if before.status != PaymentStatus::Pending {
        return Err(Problem::new("ILLEGAL_STATE"));
    }
    let account = resolve_account(before.legal_entity_id, before.method, body.account_id.or(before.account_id))?;
    let after = PaymentRow {
        status: PaymentStatus::Confirmed,
        paid_on: effective_day(Some(body.paid_on.unwrap_or(before.paid_on)), today(), "/paidOn")?,
        account_id: account.map(|account| account.id.into()),
        reference: body.reference.map(String::from).or_else(|| before.reference.clone()),
        confirmed_at: Some(now()),
        confirmed_by: Some(facts().actor.clone()),
        ..before.clone()
    };
    let change = Change::new(&before, after)?;
    let paid = pay(change.after(), &parts)?;
    paid.write(change.after(), change.update())?;
    paid.post()?;
    let reply = change.after().receipt().subjects(parts.iter().map(|part| part.invoice));
    Ok(reply.changed(change.members()))
}
