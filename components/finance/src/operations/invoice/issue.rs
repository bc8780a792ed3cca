//! Posting invoices without goods: issuing sales, recognising purchases and revenue. Saving or issuing moves no goods
//! (rule 7).

use stoa_sdk::{Answer, Call, Date, Problem, holds, today};
use stoa_trade::Change;
use stoa_trade::card_number::refuse_card_numbers;
use stoa_trade::clients::books;
use stoa_trade::dates::effective_day;
use stoa_trade::refusal::{illegal, invalid};

use crate::operations::invoice::input::{IssueInvoice, RecognizePurchaseInvoice, RecognizeSalesInvoice};
use crate::records::invoice::{InvoiceRow, InvoiceStatus};
use crate::records::invoice_line::products_of;
use crate::records::permission::CREATE_SALE;
use crate::records::side::Side;
use crate::rules::billed_units::{check_lines, units_to_issue};
use crate::rules::day::{check_due, day_of_act};
use crate::work::invoice::locked::{LockedInvoice, lock_invoice};
use crate::work::invoice::post::{Posted, post_invoice, recognize, with_units};
use crate::work::month_totals::{Lines, write_lines};

pub fn issue(call: &Call) -> Answer {
    let body: IssueInvoice = call.body()?;
    let invoice = lock_invoice(Side::Sales, call.path_id("id")?, body.expected_version)?;
    invoice.require_draft()?;
    let after = post_alone(&invoice, &issue_on(&invoice.row, body.issued_on)?)?;
    Ok(after.receipt().subjects(products_of(&invoice.lines)).changed(["status"]))
}

/// How a sales invoice is issued: on the stated day, the draft's, or today.
///
/// # Errors
/// VALIDATION_FAILED with DATE_IN_FUTURE, or RANGE where it is due before.
pub fn issue_on(row: &InvoiceRow, stated: Option<Date>) -> Result<Posted, Problem> {
    let issued_on = effective_day(stated.or(row.issued_on), today(), "/issuedOn")?;
    check_due(Some(issued_on), row.due_on, "/issuedOn")?;
    Ok(Posted {
        issued_on,
        posted_on: issued_on,
        on_pointer: "/issuedOn",
        document_reference: None,
        recognized_on: None,
        delivery_order: None,
        receipt: None,
    })
}

/// Posts a draft of which everything must be there already.
fn post_alone(invoice: &LockedInvoice, how: &Posted) -> Result<InvoiceRow, Problem> {
    let lines = invoice.billed_lines();
    check_lines(&lines)?;
    let units = units_to_issue(invoice.row.side, &lines)?;
    post_invoice(invoice, with_units(invoice, &invoice.orders, units), how)
}

pub fn recognize_purchase(call: &Call) -> Answer {
    let body: RecognizePurchaseInvoice = call.body()?;
    let invoice = lock_invoice(Side::Purchases, call.path_id("id")?, body.expected_version)?;
    invoice.require_draft()?;
    let after = post_alone(&invoice, &recognize_on(&invoice.row, body.recognized_on, body.document_reference.into())?)?;
    Ok(after.receipt().subjects(products_of(&invoice.lines)).changed(["status"]))
}

/// How a purchase invoice is recognised: on the stated day, by this document of the supplier.
///
/// # Errors
/// VALIDATION_FAILED.
pub fn recognize_on(row: &InvoiceRow, stated: Date, document_reference: String) -> Result<Posted, Problem> {
    refuse_card_numbers(&[("/documentReference", Some(&document_reference))])?;
    let posted_on = effective_day(Some(stated), today(), "/recognizedOn")?;
    let issued_on = row.issued_on.unwrap_or(posted_on);
    check_due(Some(issued_on), row.due_on, "/recognizedOn")?;
    Ok(Posted {
        issued_on,
        posted_on,
        on_pointer: "/recognizedOn",
        document_reference: Some(document_reference),
        recognized_on: None,
        delivery_order: None,
        receipt: None,
    })
}

pub fn recognize_sales(call: &Call) -> Answer {
    let body: RecognizeSalesInvoice = call.body()?;
    let invoice = lock_invoice(Side::Sales, call.path_id("id")?, body.expected_version)?;
    if invoice.row.status == InvoiceStatus::Draft && !holds(CREATE_SALE) {
        return Err(Problem::new("PERMISSION_DENIED"));
    }
    // Revenue of what an order delivers is recognised by its delivery.
    let has_free_lines = invoice.lines.iter().any(|line| line.order_item_id.is_none());
    if !invoice.lines.is_empty() && !has_free_lines {
        return Err(illegal("/lines", "NOTHING_TO_RECOGNIZE"));
    }
    match invoice.row.status {
        InvoiceStatus::Draft => {
            let how = issue_on(&invoice.row, body.issued_on)?;
            let recognized_on = day_of_act(Some(body.recognized_on), how.issued_on, "/recognizedOn")?;
            let after = post_alone(&invoice, &Posted { recognized_on: Some(recognized_on), ..how })?;
            Ok(after.receipt().subjects(products_of(&invoice.lines)).changed(["status", "revenueRecognizedOn"]))
        }
        InvoiceStatus::Issued => recognize_issued(&invoice, &body),
        InvoiceStatus::Void => Err(Problem::new("ILLEGAL_STATE")),
    }
}

fn recognize_issued(invoice: &LockedInvoice, body: &RecognizeSalesInvoice) -> Answer {
    if invoice.row.revenue_recognized_on.is_some() {
        return Err(Problem::new("ILLEGAL_STATE"));
    }
    if body.issued_on.is_some() && body.issued_on != invoice.row.issued_on {
        return Err(invalid("/issuedOn", "NOT_ALLOWED"));
    }
    let posted_on = invoice.row.posted_on.unwrap_or(body.recognized_on);
    let on = day_of_act(Some(body.recognized_on), posted_on, "/recognizedOn")?;
    let (lines, posting) = recognize(&invoice.row, &invoice.lines, on)?;
    let change = Change::new(&invoice.row, InvoiceRow { revenue_recognized_on: Some(on), ..invoice.row.clone() })?;
    write_lines(invoice.row.legal_entity_id, change.update(), &Lines { revenue: lines, ..Lines::default() })?;
    books::post(&posting)?;
    Ok(change.after().receipt().subjects(products_of(&invoice.lines)).changed(change.members()))
}
