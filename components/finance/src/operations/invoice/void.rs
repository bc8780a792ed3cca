//! Voiding an invoice to which nothing is applied: its entries are mirrored, its orders may be billed again, its units are free.
//! Deliveries and receipts stay.

use stoa_sdk::store::{run, select, update_by};
use stoa_sdk::{Answer, Call, Date, Field, Problem, Reply, all, new_id, today};
use stoa_trade::card_number::refuse_card_numbers;
use stoa_trade::dates::{Month, effective_day};
use stoa_trade::quantity::{Amount, Money, Quantity};
use stoa_trade::refusal::illegal;
use stoa_trade::{Change, new_row};

use crate::operations::body::VoidDocument;
use crate::records::invoice::{InvoiceBalanceRow, InvoiceRow, InvoiceStatus};
use crate::records::invoice_line::products_of;
use crate::records::party_entry::{PartyAccount, PartyAct};
use crate::records::revenue_line::RevenueLineRow;
use crate::records::side::Side;
use crate::records::unit_claim::UnitClaimRow;
use crate::rules::day::day_of_act;
use crate::work::entries::{PartyDocument, entry, negate};
use crate::work::invoice::claim::free_claims;
use crate::work::invoice::debt::owed_of;
use crate::work::invoice::locked::{LockedInvoice, lock_invoice};
use crate::work::invoice::post::unbill;
use crate::work::month_totals::{Lines, write_lines};
use crate::work::posting::undo;

pub fn void(side: Side, call: &Call) -> Answer {
    let body: VoidDocument = call.body()?;
    refuse_card_numbers(&[("/reason", Some(&body.reason))])?;
    let invoice = lock_invoice(side, call.path_id("id")?, body.expected_version)?;
    let reason = Some(String::from(body.reason));
    match (invoice.row.status, invoice.row.posted_on) {
        (InvoiceStatus::Draft, _) => {
            // It posted nothing: no day is before it.
            let on = effective_day(body.voided_on, today(), "/voidedOn")?;
            let change = Change::new(&invoice.row, draw_void(&invoice.row, on, reason))?;
            run(change.update())?;
            Ok(receipt_of(change.after(), &invoice))
        }
        (InvoiceStatus::Issued, Some(posted_on)) => {
            let on = day_of_act(body.voided_on, posted_on, "/voidedOn")?;
            let after = void_issued(&invoice, on, reason)?;
            Ok(receipt_of(&after, &invoice))
        }
        _ => Err(Problem::new("ILLEGAL_STATE")),
    }
}

fn receipt_of(after: &InvoiceRow, invoice: &LockedInvoice) -> Reply {
    after.receipt().subjects(products_of(&invoice.lines)).changed(["status", "voidedOn", "voidReason"])
}

fn draw_void(row: &InvoiceRow, on: Date, reason: Option<String>) -> InvoiceRow {
    InvoiceRow {
        status: InvoiceStatus::Void,
        voided_on: Some(on),
        void_reason: reason,
        // Its supplier's document may come again.
        reference_key: None,
        ..row.clone()
    }
}

fn void_issued(invoice: &LockedInvoice, on: Date, reason: Option<String>) -> Result<InvoiceRow, Problem> {
    let row = &invoice.row;
    if invoice.paid.as_ref().is_some_and(|paid| !paid.applied.is_zero()) {
        return Err(illegal("/path/id", "HAS_APPLICATIONS"));
    }
    unbill(row.side, &invoice.lines)?;
    let change = Change::new(row, draw_void(row, on, reason))?;
    let paid = update_by::<InvoiceBalanceRow>("invoice", [vec![row.id.put()]])
        .set(InvoiceBalanceRow::balance, &Money::ZERO)
        .set(InvoiceBalanceRow::settled_on, &None);
    let claims: Vec<UnitClaimRow> =
        invoice.claims.values().filter(|claim| claim.invoice_id == Some(row.id)).cloned().collect();
    let owed = owed_of(row, on);
    let back = entry(
        &row.debtor(),
        &row.document(),
        PartyAct::Void,
        PartyAccount::Invoices,
        Some(owed),
        on,
        negate(row.total),
    );
    let recognized = all([RevenueLineRow::invoice_id.eq(row.id), RevenueLineRow::undo.eq(false)]);
    let recognized = match row.revenue_recognized_on {
        Some(_) => run(select::<RevenueLineRow>(recognized).whole())?,
        None => Vec::new(),
    };
    let mirrored: Vec<RevenueLineRow> = recognized.iter().map(|line| mirror_line(line, on)).collect();
    let lines = Lines { entries: vec![back], revenue: mirrored, ..Lines::default() };
    write_lines(row.legal_entity_id, (change.update(), paid, free_claims(&claims)), &lines)?;
    undo(row, on, "/voidedOn")?;
    Ok(change.into_after())
}

fn mirror_line(line: &RevenueLineRow, on: Date) -> RevenueLineRow {
    new_row!(RevenueLineRow {
        id: new_id(),
        undo: true,
        on_date: on,
        month: Month::from_day(on),
        quantity: Quantity::from_units(-line.quantity.units()),
        revenue: Amount::from_units(-line.revenue.units()),
        document_count: -line.document_count,
        ..line.clone()
    })
}
