//! Applying payments and credits of both sides, and what they paid (finance-ledger.md B6).

use stoa_sdk::store::Batch;
use stoa_sdk::{Answer, Call, Filter, Operation, Page, Problem};
use stoa_trade::clients::books;
use stoa_trade::list_query;
use stoa_trade::lists::answer_page;

use crate::operations::body::ApplyFunds;
use crate::operations::payment::parts_of;
use crate::operations::row::{self, posting_problems, posting_reasons};
use crate::records::application::{Application, ApplicationRow};
use crate::records::credit::CreditRow;
use crate::records::payment::PaymentRow;
use crate::records::permission::{PURCHASES, Rights, SALES};
use crate::records::side::{CREDIT, PAYMENT, Side};
use crate::rules::day::day_of_act;
use crate::work::month_totals::{Lines, write_lines};
use crate::work::settle::{Part, Settlement, settle};
use crate::work::source::{Source, SourceRow, lock_source_row, read_source_row};

#[rustfmt::skip]
pub const OPERATIONS: &[Operation] = &[
    apply(SALES, PAYMENT, Operation::create("/sales/payments/{id}/applications", "applySalesPayment",
        |call| apply_source::<PaymentRow>(Side::Sales, call)))
        .summary("Apply the available amount of a payment of a customer to invoices"),
    list(SALES, Operation::read("/sales/payments/{id}/applications", "listSalesPaymentApplications",
        |call| list_of::<PaymentRow>(Side::Sales, call))).summary("Applications of a payment of a customer"),
    apply(PURCHASES, PAYMENT, Operation::create("/purchases/payments/{id}/applications", "applyPurchasePayment",
        |call| apply_source::<PaymentRow>(Side::Purchases, call)))
        .summary("Apply the available amount of a payment to a supplier to invoices"),
    list(PURCHASES, Operation::read("/purchases/payments/{id}/applications", "listPurchasePaymentApplications",
        |call| list_of::<PaymentRow>(Side::Purchases, call))).summary("Applications of a payment to a supplier"),
    apply(SALES, CREDIT, Operation::create("/sales/credit-notes/{id}/applications", "applySalesCredit",
        |call| apply_source::<CreditRow>(Side::Sales, call)))
        .summary("Apply the available amount of a credit to a customer to invoices"),
    list(SALES, Operation::read("/sales/credit-notes/{id}/applications", "listSalesCreditApplications",
        |call| list_of::<CreditRow>(Side::Sales, call))).summary("Applications of a credit to a customer"),
    apply(PURCHASES, CREDIT, Operation::create("/purchases/credit-notes/{id}/applications", "applyPurchaseCredit",
        |call| apply_source::<CreditRow>(Side::Purchases, call)))
        .summary("Apply the available amount of a credit of a supplier to invoices"),
    list(PURCHASES, Operation::read("/purchases/credit-notes/{id}/applications", "listPurchaseCreditApplications",
        |call| list_of::<CreditRow>(Side::Purchases, call))).summary("Applications of a credit of a supplier"),
];

const fn apply(rights: Rights, audit: &'static str, operation: Operation) -> Operation {
    row::write(rights.write, audit, operation)
        .description("Applications are immutable and never exceed either balance. All of them are made, or none.")
        .body::<ApplyFunds>()
        .problems(posting_problems!["VERSION_CONFLICT", "ILLEGAL_STATE", "REFERENCE_INVALID", "LIMIT_EXCEEDED"])
        .item_codes(posting_reasons![
            "COLLECTED_AT_REGISTER",
            "DATE_BEFORE_DOCUMENT",
            "EXCEEDS_AVAILABLE",
            "EXCEEDS_INVOICE_BALANCE",
            "POS_RECEIPT",
        ])
}

const fn list(rights: Rights, operation: Operation) -> Operation {
    operation.needs(rights.read).query::<ListApplications>().answers::<Page<Application>>().cache_control("no-store")
}

list_query! {
    /// A page and nothing else.
    pub struct ListApplications of ApplicationRow {}
}

fn judge(source: &Source, body: &ApplyFunds) -> Result<(Vec<Part>, Settlement), Problem> {
    let parts = parts_of(&body.applications)?;
    let day = |posted_on| day_of_act(body.applied_on, posted_on, "/appliedOn");
    let settlement = settle(source, &parts, "/applications", day)?;
    Ok((parts, settlement))
}

fn write(settlement: &Settlement, source: &Source, raise: impl Batch) -> Result<(), Problem> {
    let lines = Lines { entries: settlement.entries.clone(), ..Lines::default() };
    write_lines(source.debtor.entity, (settlement.writes(), settlement.take(source), raise), &lines)?;
    books::post_all(&settlement.postings)
}

fn apply_source<R: SourceRow>(side: Side, call: &Call) -> Answer {
    let body: ApplyFunds = call.body()?;
    let (row, source) = lock_source_row::<R>(side, call.path_id("id")?, body.expected_version)?.into_source()?;
    let (parts, settlement) = judge(&source, &body)?;
    write(&settlement, &source, row.raise())?;
    Ok(row.after_raise().receipt().subjects(parts.iter().map(|part| part.invoice)))
}

fn list_of<R: SourceRow>(side: Side, call: &Call) -> Answer {
    let row: R = read_source_row(side, call.path_id("id")?)?;
    answer_applications(call, R::APPLIED.eq(row.id()))
}

/// The page of the applications that meet the filter.
pub fn answer_applications(call: &Call, filter: Filter) -> Answer {
    let rows = call.query::<ListApplications>()?.page([filter])?;
    answer_page(rows, |row| row.id, |row| Application::from_row(&row))
}
