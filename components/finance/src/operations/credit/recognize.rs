//! Recognising credits by the document that grants them, and voiding them (P17 to P20 of finance-ledger.md A6). A COST_CORRECTION
//! changes what goods cost, wherever they are now.

use std::collections::BTreeSet;

use stoa_sdk::store::{Failure, aggregate, find, insert, run, select};
use stoa_sdk::{Answer, Call, Date, Field, Id, Problem, all, item, new_id, today, totals};
use stoa_trade::card_number::refuse_card_numbers;
use stoa_trade::clients::articles;
use stoa_trade::clients::books::{self, Leg, Side as JournalSide};
use stoa_trade::clients::costs::{self, CorrectionLine, Destination};
use stoa_trade::dates::{Month, effective_day};
use stoa_trade::quantity::{Amount, Money, sum, widen};
use stoa_trade::refusal::{illegal, refuse};
use stoa_trade::{Change, new_row};

use crate::operations::body::VoidDocument;
use crate::operations::credit::input::RecognizeCredit;
use crate::operations::credit::references::{Supplied, check_goods};
use crate::records::credit::{
    CorrectedGoods, CostCorrectionRow, CreditCostLineRow, CreditLineRow, CreditReason, CreditRow, CreditStatus,
    CreditedLineRow,
};
use crate::records::funds::FundsRow;
use crate::records::party_entry::{PartyAccount, PartyAct};
use crate::records::side::{CREDIT, Side};
use crate::rules::day::day_of_act;
use crate::work::entries::{PartyDocument, entry, negate};
use crate::work::month_totals::{Lines, write_lines};
use crate::work::ordered::parse;
use crate::work::posting::{EntrySource, Terms, draw_entry, leg, party_leg, undo};
use crate::work::settle::lock_posted;
use crate::work::source::{Locked, lock_source_row, new_funds};
use crate::work::taken::refuse_taken;

totals! { Recognized of CreditRow by [] { amount: Money = sum(amount) } }

pub fn recognize(side: Side, call: &Call) -> Answer {
    let body: RecognizeCredit = call.body()?;
    refuse_card_numbers(&[("/documentReference", Some(&body.document_reference))])?;
    let Locked { row, .. } = lock_source_row::<CreditRow>(side, call.path_id("id")?, body.expected_version)?;
    if row.status != CreditStatus::Requested {
        return Err(Problem::new("ILLEGAL_STATE"));
    }
    let on = effective_day(Some(body.recognized_on), today(), "/recognizedOn")?;
    check_origin(&row)?;
    let document_reference = String::from(body.document_reference);
    let reference_key = document_reference.to_lowercase();
    let reference = vec![side.put(), row.legal_entity_id.put(), row.party_id.put(), reference_key.clone().put()];
    let after = CreditRow {
        status: CreditStatus::Recognized,
        reference_key: Some(reference_key),
        document_reference: Some(document_reference),
        recognized_on: Some(on),
        ..row.clone()
    };
    let change = Change::new(&row, after)?;
    let (corrections, products) = match row.reason_type {
        CreditReason::CostCorrection => correct_costs(&row, on)?,
        _ => Default::default(),
    };
    let (stated, same) = run((
        (side == Side::Sales).then(|| select::<CreditLineRow>(CreditLineRow::line_set_id.eq(row.line_set_id)).whole()),
        find::<CreditRow>("reference", [reference]),
    ))?;
    refuse_taken(side, &same, "/documentReference")?;
    let credited: Vec<CreditedLineRow> =
        stated.unwrap_or_default().iter().map(|line| draw_credited(&row, line, on)).collect();
    let (debtor, document) = (row.debtor(), row.document());
    let less = negate(row.amount);
    let credit_entry = entry(&debtor, &document, PartyAct::Post, PartyAccount::Credits, None, on, less);
    let funds = new_funds(&debtor, row.id, row.amount);
    let rest = (change.update(), insert([&funds]), insert(&corrections), insert(&credited));
    let lines = Lines { entries: vec![credit_entry], ..Lines::default() };
    write_lines(row.legal_entity_id, rest, &lines).map_err(or_recognized)?;
    let terms = Terms::new(row.legal_entity_id, &row.currency_code, on, "/recognizedOn");
    let source = EntrySource { kind: CREDIT, id: row.id, purpose: "RECOGNITION", number: &row.number };
    books::post(&draw_entry(terms, source, legs_of(&row, &corrections)?))?;
    let reply = change.after().receipt().subjects(products);
    Ok(reply.changed(["status", "documentReference", "recognizedOn"]))
}

/// A line of a credit as it is recognised.
fn draw_credited(row: &CreditRow, line: &CreditLineRow, on: Date) -> CreditedLineRow {
    new_row!(CreditedLineRow {
        id: new_id(),
        credit_id: row.id,
        line_no: line.line_no,
        undo: false,
        legal_entity_id: row.legal_entity_id,
        currency_code: row.currency_code.clone(),
        customer_id: row.party_id,
        variant_id: line.variant_id,
        on_date: on,
        month: Month::from_day(on),
        amount: line.amount,
    })
}

/// Another credit that came meanwhile has the document.
fn or_recognized(failure: Failure) -> Problem {
    match failure {
        Failure::Duplicate(_) => Problem::duplicate("/documentReference"),
        other => other.into(),
    }
}

/// Recognised credits of one invoice never exceed it: each recognition locks the invoice.
///
/// # Errors
/// LIMIT_EXCEEDED with EXCEEDS_INVOICE at `/amount`.
fn check_origin(row: &CreditRow) -> Result<(), Problem> {
    let Some(origin) = row.origin_invoice_id else { return Ok(()) };
    let (invoices, _) = lock_posted(&[origin])?;
    let of_origin = all([CreditRow::origin_invoice_id.eq(origin), CreditRow::status.eq(CreditStatus::Recognized)]);
    let recognized = run(aggregate::<Recognized>(of_origin).one())?.amount;
    let most = invoices.get(&origin).map_or(Money::ZERO, |invoice| invoice.total);
    match sum([recognized, row.amount]) {
        Ok(all) if all <= most => Ok(()),
        _ => refuse("LIMIT_EXCEEDED", vec![item("/amount", "EXCEEDS_INVOICE")]),
    }
}

/// Lowers what the goods cost; what was taken, by where they were, and the products of the goods.
fn correct_costs(row: &CreditRow, on: Date) -> Result<(Vec<CostCorrectionRow>, BTreeSet<Id>), Problem> {
    let mut lines = run(select::<CreditCostLineRow>(CreditCostLineRow::line_set_id.eq(row.line_set_id)).whole())?;
    lines.sort_by_key(|line| line.line_no);
    let goods: Vec<(Id, Option<Id>)> =
        lines.iter().map(|line| (line.receipt_item_id, line.inventory_unit_id)).collect();
    let supplied = Supplied { supplier: row.party_id, entity: row.legal_entity_id, currency_code: &row.currency_code };
    let variants = check_goods(supplied, &goods)?;
    // Before any goods are locked: a request that begins books locks them first, and goods then.
    books::admit(row.legal_entity_id)?;
    let wire: Vec<CorrectionLine> = lines
        .iter()
        .map(|line| CorrectionLine {
            receipt_item_id: line.receipt_item_id.into(),
            unit_id: line.inventory_unit_id.map(Into::into),
            amount: line.amount.to_string(),
        })
        .collect();
    let parts =
        costs::service::correct(row.id.into(), &wire).map_err(|refusal| refusal.moved("/lines", "/costLines"))?;
    let mut corrections = Vec::new();
    for (line, parts) in lines.iter().zip(parts) {
        for part in parts {
            corrections.push(new_row!(CostCorrectionRow {
                id: new_id(),
                credit_id: row.id,
                line_no: line.line_no,
                receipt_item_id: line.receipt_item_id,
                legal_entity_id: row.legal_entity_id,
                currency_code: row.currency_code.clone(),
                destination: read_destination(part.destination),
                amount: parse(&part.amount),
                on_date: on,
            }));
        }
    }
    Ok((corrections, articles::products_of(variants)))
}

fn read_destination(destination: Destination) -> CorrectedGoods {
    match destination {
        Destination::OnHand => CorrectedGoods::OnHand,
        Destination::Sold => CorrectedGoods::Sold,
        Destination::AdjustedOut => CorrectedGoods::AdjustedOut,
        Destination::Damaged => CorrectedGoods::Damaged,
        Destination::Lost => CorrectedGoods::Lost,
        Destination::Returned => CorrectedGoods::Returned,
    }
}

/// The account from which a correction of goods that were there is taken.
fn role_of(goods: CorrectedGoods) -> &'static str {
    match goods {
        CorrectedGoods::OnHand => "INVENTORY",
        CorrectedGoods::Sold => "COST_OF_GOODS_SOLD",
        CorrectedGoods::AdjustedOut => "INVENTORY_ADJUSTMENT",
        CorrectedGoods::Damaged => "INVENTORY_DAMAGE",
        CorrectedGoods::Lost => "INVENTORY_LOSS",
        CorrectedGoods::Returned => "SUPPLIER_RETURNS",
    }
}

fn legs_of(row: &CreditRow, corrections: &[CostCorrectionRow]) -> Result<Vec<Leg>, Problem> {
    let party = row.side.party(row.party_id);
    let role = row.side.credit_role();
    if row.side == Side::Sales {
        return Ok(vec![
            leg("SALES_CREDITS", JournalSide::Debit, widen(row.amount)),
            party_leg(role, JournalSide::Credit, row.amount, party),
        ]);
    }
    let mut legs = vec![party_leg(role, JournalSide::Debit, row.amount, party)];
    match row.reason_type {
        CreditReason::Return => legs.push(leg("SUPPLIER_RETURNS", JournalSide::Credit, widen(row.amount))),
        CreditReason::CostCorrection => {
            let goods = [
                CorrectedGoods::OnHand,
                CorrectedGoods::Sold,
                CorrectedGoods::AdjustedOut,
                CorrectedGoods::Damaged,
                CorrectedGoods::Lost,
                CorrectedGoods::Returned,
            ];
            for goods in goods {
                let parts = corrections.iter().filter(|part| part.destination == goods);
                let amount: Amount = sum(parts.map(|part| part.amount))?;
                legs.push(leg(role_of(goods), JournalSide::Credit, amount));
            }
        }
        _ => legs.push(leg("PURCHASE_CREDITS", JournalSide::Credit, widen(row.amount))),
    }
    Ok(legs)
}

pub fn void(side: Side, call: &Call) -> Answer {
    let body: VoidDocument = call.body()?;
    refuse_card_numbers(&[("/reason", Some(&body.reason))])?;
    let credit: Locked<CreditRow> = lock_source_row(side, call.path_id("id")?, body.expected_version)?;
    let reason = Some(String::from(body.reason));
    let voided = |row: &CreditRow, on: Date| CreditRow {
        status: CreditStatus::Void,
        voided_on: Some(on),
        void_reason: reason.clone(),
        // Its document may come again.
        reference_key: None,
        ..row.clone()
    };
    if credit.row.status == CreditStatus::Requested {
        // It posted nothing: no day is before it.
        let on = effective_day(body.voided_on, today(), "/voidedOn")?;
        let change = Change::new(&credit.row, voided(&credit.row, on))?;
        run(change.update())?;
        return Ok(change.after().receipt().changed(["status", "voidedOn", "voidReason"]));
    }
    let (row, source) = credit.into_source()?;
    if row.reason_type == CreditReason::CostCorrection {
        // The goods may have left at the corrected cost.
        return Err(illegal("/path/id", "COST_CORRECTION"));
    }
    if !source.funds.applied.is_zero() || !source.funds.refunded.is_zero() {
        let why = if source.funds.applied.is_zero() { "HAS_REFUNDS" } else { "HAS_APPLICATIONS" };
        return Err(illegal("/path/id", why));
    }
    let on = day_of_act(body.voided_on, source.posted_on, "/voidedOn")?;
    let change = Change::new(&row, voided(&row, on))?;
    let back = entry(&source.debtor, &source.document, PartyAct::Void, PartyAccount::Credits, None, on, row.amount);
    let credited = match side {
        Side::Sales => run(select::<CreditedLineRow>(CreditedLineRow::credit_id.eq(row.id)).whole())?,
        Side::Purchases => Vec::new(),
    };
    let mirrored: Vec<CreditedLineRow> = credited.into_iter().map(|line| mirror_line(line, on)).collect();
    let funds = source.change_funds().set(FundsRow::available, &Money::ZERO);
    let rest = (change.update(), funds, insert(&mirrored));
    write_lines(row.legal_entity_id, rest, &Lines { entries: vec![back], ..Lines::default() })?;
    undo(&row, on, "/voidedOn")?;
    Ok(change.after().receipt().changed(["status", "voidedOn", "voidReason"]))
}

/// A line of a recognised credit that is void, below zero.
fn mirror_line(line: CreditedLineRow, on: Date) -> CreditedLineRow {
    new_row!(CreditedLineRow {
        id: new_id(),
        undo: true,
        on_date: on,
        month: Month::from_day(on),
        amount: negate(line.amount),
        ..line
    })
}
