//! Applying payments and credits of both sides, and what they paid (finance-ledger.md B6).

use stoa_sdk::store::{Batch, get, run};
use stoa_sdk::{Answer, Call, Filter, Operation, Page, Problem};
use stoa_trade::clients::books;
use stoa_trade::lists::{answer_page, read_page};

use crate::operations::body::ApplyFunds;
use crate::operations::invoice::list::ListApplications;
use crate::operations::payment::parts_of;
use crate::records::application::{Application, ApplicationRow};
use crate::records::credit::CreditRow;
use crate::records::payment::PaymentRow;
use crate::records::permission::{PURCHASES, Rights, SALES};
use crate::records::receipt::FinanceReceipt;
use crate::records::side::{CREDIT, PAYMENT, Side};
use crate::rules::day::day_of_act;
use crate::work::month_totals::{Lines, write_lines};
use crate::work::settle::{Part, Settlement, settle};
use crate::work::source::{Source, after_raise, lock_credit, lock_payment, raise_credit, raise_payment};

#[rustfmt::skip]
pub const OPERATIONS: &[Operation] = &[
    apply(Operation::create("/sales/payments/{id}/applications", "applySalesPayment", apply_sales_payment), SALES, PAYMENT),
    list(Operation::read("/sales/payments/{id}/applications", "listSalesPaymentApplications", list_of_sales_payment), SALES),
    apply(Operation::create("/purchases/payments/{id}/applications", "applyPurchasePayment", apply_purchase_payment), PURCHASES, PAYMENT),
    list(Operation::read("/purchases/payments/{id}/applications", "listPurchasePaymentApplications", list_of_purchase_payment), PURCHASES),
    apply(Operation::create("/sales/credit-notes/{id}/applications", "applySalesCredit", apply_sales_credit), SALES, CREDIT),
    list(Operation::read("/sales/credit-notes/{id}/applications", "listSalesCreditApplications", list_of_sales_credit), SALES),
    apply(Operation::create("/purchases/credit-notes/{id}/applications", "applyPurchaseCredit", apply_purchase_credit), PURCHASES, CREDIT),
    list(Operation::read("/purchases/credit-notes/{id}/applications", "listPurchaseCreditApplications", list_of_purchase_credit), PURCHASES),
];

const fn apply(operation: Operation, rights: Rights, audit: &'static str) -> Operation {
    operation
        .summary("Apply the available amount to invoices")
        .description("Applications are immutable and never exceed either balance. All of them are made, or none.")
        .needs(rights.write)
        .body::<ApplyFunds>()
        .answers::<FinanceReceipt>()
        .cache_control("no-store")
        .writes(audit, &[])
        .problems(&[
            "VERSION_CONFLICT",
            "ILLEGAL_STATE",
            "REFERENCE_INVALID",
            "LIMIT_EXCEEDED",
            "ARCHIVED",
            "ACCOUNTING_SETUP_REQUIRED",
            "ACCOUNTING_PERIOD_CLOSED",
            "ACCOUNTING_CURRENCY_UNSUPPORTED",
            "ACCOUNTING_AMOUNT_PRECISION",
        ])
}

const fn list(operation: Operation, rights: Rights) -> Operation {
    operation
        .summary("Applications of a payment or credit")
        .needs(rights.read)
        .query::<ListApplications>()
        .answers::<Page<Application>>()
        .cache_control("no-store")
}

fn apply_sales_payment(call: &Call) -> Answer {
    apply_payment(Side::Sales, call)
}

fn apply_purchase_payment(call: &Call) -> Answer {
    apply_payment(Side::Purchases, call)
}

fn apply_sales_credit(call: &Call) -> Answer {
    apply_credit(Side::Sales, call)
}

fn apply_purchase_credit(call: &Call) -> Answer {
    apply_credit(Side::Purchases, call)
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

fn apply_payment(side: Side, call: &Call) -> Answer {
    let body: ApplyFunds = call.body()?;
    let (row, source) = lock_payment(side, call.path_id("id")?, body.expected_version)?.into_source()?;
    let (parts, settlement) = judge(&source, &body)?;
    write(&settlement, &source, raise_payment(&row))?;
    Ok(after_raise(&row).receipt().subjects(parts.iter().map(|part| part.invoice)))
}

fn apply_credit(side: Side, call: &Call) -> Answer {
    let body: ApplyFunds = call.body()?;
    let (row, source) = lock_credit(side, call.path_id("id")?, body.expected_version)?.into_source()?;
    let (parts, settlement) = judge(&source, &body)?;
    write(&settlement, &source, raise_credit(&row))?;
    Ok(after_raise(&row).receipt().subjects(parts.iter().map(|part| part.invoice)))
}

fn list_of_sales_payment(call: &Call) -> Answer {
    list_of_payment(Side::Sales, call)
}

fn list_of_purchase_payment(call: &Call) -> Answer {
    list_of_payment(Side::Purchases, call)
}

fn list_of_sales_credit(call: &Call) -> Answer {
    list_of_credit(Side::Sales, call)
}

fn list_of_purchase_credit(call: &Call) -> Answer {
    list_of_credit(Side::Purchases, call)
}

fn list_of_payment(side: Side, call: &Call) -> Answer {
    let id = call.path_id("id")?;
    let row: Option<PaymentRow> = run(get(id))?;
    row.filter(|row| row.side == side).ok_or_else(Problem::not_found)?;
    answer_list(call, &ApplicationRow::payment_id.eq(id))
}

fn list_of_credit(side: Side, call: &Call) -> Answer {
    let id = call.path_id("id")?;
    let row: Option<CreditRow> = run(get(id))?;
    row.filter(|row| row.side == side).ok_or_else(Problem::not_found)?;
    answer_list(call, &ApplicationRow::credit_id.eq(id))
}

fn answer_list(call: &Call, filter: &Filter) -> Answer {
    let query: ListApplications = call.query()?;
    let rows = read_page::<ApplicationRow>(filter, query.cursor, query.limit)?;
    answer_page(rows, |row| row.id, |row| Application::from_row(&row))
}
