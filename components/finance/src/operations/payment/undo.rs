//! Undoing payments: voiding one that nothing used, reversing one whose money failed after it was applied (decisions.md H15).

use stoa_sdk::store::{insert, run, select};
use stoa_sdk::{Answer, Call, Date, Id, Problem, set, today};
use stoa_trade::Change;
use stoa_trade::card_number::refuse_card_numbers;
use stoa_trade::clients::{books, keys};
use stoa_trade::dates::effective_day;
use stoa_trade::quantity::Money;
use stoa_trade::refusal::illegal;

use crate::operations::body::VoidDocument;
use crate::operations::payment::input::ReversePayment;
use crate::records::application::ApplicationRow;
use crate::records::funds::FundsRow;
use crate::records::party_entry::{PartyAccount, PartyAct, PartyEntryRow};
use crate::records::payment::{PaymentRow, PaymentStatus};
use crate::records::side::{APPLICATION, Side};
use crate::rules::day::day_of_act;
use crate::work::entries::entry;
use crate::work::money::{draw_move, money_of_payment};
use crate::work::month_totals::{Lines, write_lines};
use crate::work::posting::undo;
use crate::work::settle::reverse as reverse_applications;
use crate::work::source::{Locked, Source, lock_source_row};

pub fn void(side: Side, call: &Call) -> Answer {
    let body: VoidDocument = call.body()?;
    refuse_card_numbers(&[("/reason", Some(&body.reason))])?;
    let payment: Locked<PaymentRow> = lock_source_row(side, call.path_id("id")?, body.expected_version)?;
    let reason = String::from(body.reason);
    if payment.row.status == PaymentStatus::Pending {
        // It posted nothing: no day is before it.
        let on = effective_day(body.voided_on, today(), "/voidedOn")?;
        let change = Change::new(&payment.row, draw_undone(&payment.row, PaymentStatus::Void, on, reason))?;
        run(change.update())?;
        return Ok(change.after().receipt().changed(change.members()));
    }
    let (row, source) = payment.into_source()?;
    require_unused(&source, true)?;
    let on = day_of_act(body.voided_on, row.paid_on, "/voidedOn")?;
    let change = Change::new(&row, draw_undone(&row, PaymentStatus::Void, on, reason))?;
    let back = draw_move(&money_of_payment(&row, on), None, true);
    let lines = Lines { entries: vec![give_back(&source, &row, on)], moves: vec![back], ..Lines::default() };
    write_lines(row.legal_entity_id, (change.update(), spend(&source)), &lines)?;
    undo(&row, on, "/voidedOn")?;
    Ok(change.after().receipt().changed(change.members()))
}

fn draw_undone(row: &PaymentRow, status: PaymentStatus, on: Date, reason: String) -> PaymentRow {
    PaymentRow { status, voided_on: Some(on), void_reason: Some(reason), ..row.clone() }
}

/// # Errors
/// ILLEGAL_STATE with HAS_REFUNDS and, where applications count too, HAS_APPLICATIONS.
fn require_unused(source: &Source, counts_applications: bool) -> Result<(), Problem> {
    if counts_applications && !source.funds.applied.is_zero() {
        return Err(illegal("/path/id", "HAS_APPLICATIONS"));
    }
    if !source.funds.refunded.is_zero() {
        return Err(illegal("/path/id", "HAS_REFUNDS"));
    }
    Ok(())
}

/// The party has paid nothing after all.
fn give_back(source: &Source, row: &PaymentRow, on: Date) -> PartyEntryRow {
    entry(&source.debtor, &source.document, PartyAct::Void, PartyAccount::Payments, None, on, row.amount)
}

/// Nothing is left of it.
fn spend(source: &Source) -> stoa_sdk::store::Update<FundsRow> {
    source.change_funds().set(FundsRow::applied, &Money::ZERO).set(FundsRow::available, &Money::ZERO)
}

pub fn reverse(side: Side, call: &Call) -> Answer {
    let body: ReversePayment = call.body()?;
    refuse_card_numbers(&[("/reason", Some(&body.reason))])?;
    let payment: Locked<PaymentRow> = lock_source_row(side, call.path_id("id")?, body.expected_version)?;
    let (row, source) = payment.into_source()?;
    require_unused(&source, false)?;
    if source.funds.applied.is_zero() {
        return Err(illegal("/path/id", "NOT_APPLIED"));
    }
    let standing = run(select::<ApplicationRow>(ApplicationRow::payment_id.eq(row.id)).whole())?;
    let posted_on = standing.iter().map(|row| row.applied_on).fold(row.paid_on, Date::max);
    let on = day_of_act(body.reversed_on, posted_on, "/reversedOn")?;
    let undone_row = draw_undone(&row, PaymentStatus::Reversed, on, String::from(body.reason));
    let change = Change::new(&row, undone_row)?;
    let mut reversal = reverse_applications(&source, &standing, on)?;
    let back = draw_move(&money_of_payment(&row, on), None, true);
    reversal.entries.push(give_back(&source, &row, on));
    let lines = Lines { entries: reversal.entries, moves: vec![back], ..Lines::default() };
    let rest = (change.update(), spend(&source), reversal.balances, insert(&reversal.opposites));
    write_lines(row.legal_entity_id, rest, &lines)?;
    undo(&row, on, "/reversedOn")?;
    mirror_applications(&row, &reversal.applications, on)?;
    let invoices = set(standing.iter().map(|row| row.invoice_id));
    Ok(change.after().receipt().subjects(invoices).changed(change.members()))
}

/// Entries of all applications; those that were made without books have none.
fn mirror_applications(row: &PaymentRow, applications: &[Id], on: Date) -> Result<(), Problem> {
    let (day, text) = (on.to_string(), format!("{APPLICATION} {}", row.number));
    let sources = keys(applications.iter().copied());
    for some in sources.chunks(stoa_sdk::store::MOST_KEYS) {
        books::service::mirror_all(APPLICATION, some, Some(&day), Some("/reversedOn"), &text)?;
    }
    Ok(())
}
