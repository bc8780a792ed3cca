//! The operations of credits (finance-ledger.md B5).

mod input;
mod list;
mod recognize;
mod references;
mod request;

use stoa_sdk::{Client, Operation, Page};

use crate::operations::body::VoidDocument;
use crate::operations::credit::input::{CreditInput, CreditUpdate, RecognizeCredit};
use crate::operations::credit::list::ListCredits;
use crate::records::credit::{ApiCredit, Credit, CreditHeader};
use crate::records::permission::{PURCHASES, Rights, SALES};
use crate::records::receipt::FinanceReceipt;
use crate::records::side::CREDIT;

const RECOGNIZE_PROBLEMS: &[&str] = &[
    "VERSION_CONFLICT",
    "ILLEGAL_STATE",
    "DUPLICATE",
    "REFERENCE_INVALID",
    "LIMIT_EXCEEDED",
    "ARCHIVED",
    "ACCOUNTING_SETUP_REQUIRED",
    "ACCOUNTING_PERIOD_CLOSED",
    "ACCOUNTING_CURRENCY_UNSUPPORTED",
    "ACCOUNTING_AMOUNT_PRECISION",
];

#[rustfmt::skip]
pub const SALES_OPERATIONS: &[Operation] = &[
    Operation::read("/sales/credit-notes", "listSalesCredits", list::list_sales).summary("Credits to customers")
        .needs(SALES.read).query::<ListCredits>().answers::<Page<CreditHeader>>().cache_control("no-store")
        .and_client(Client::new(SALES.read).run(list::list_sales_as_client).answers::<Page<ApiCredit>>()),
    create(Operation::create("/sales/credit-notes", "createSalesCredit", request::create_sales), SALES),
    Operation::read("/sales/credit-notes/{id}", "getSalesCredit", list::read_sales).summary("A credit to a customer")
        .needs(SALES.read).answers::<Credit>().cache_control("no-store")
        .and_client(Client::new(SALES.read).run(list::read_sales_as_client).answers::<ApiCredit>()),
    replace(Operation::replace("/sales/credit-notes/{id}", "replaceSalesCredit", request::replace_sales), SALES),
    recognize(Operation::transition("/sales/credit-notes/{id}/recognize", "recognizeSalesCredit", recognize::recognize_sales), SALES),
    void(Operation::transition("/sales/credit-notes/{id}/void", "voidSalesCredit", recognize::void_sales), SALES),
];

#[rustfmt::skip]
pub const PURCHASE_OPERATIONS: &[Operation] = &[
    Operation::read("/purchases/credit-notes", "listPurchaseCredits", list::list_purchases).summary("Credits of suppliers")
        .needs(PURCHASES.read).query::<ListCredits>().answers::<Page<CreditHeader>>().cache_control("no-store")
        .and_client(Client::new(PURCHASES.read).run(list::list_purchases_as_client).answers::<Page<ApiCredit>>()),
    create(Operation::create("/purchases/credit-notes", "createPurchaseCredit", request::create_purchase), PURCHASES),
    Operation::read("/purchases/credit-notes/{id}", "getPurchaseCredit", list::read_purchase).summary("A credit of a supplier")
        .needs(PURCHASES.read).answers::<Credit>().cache_control("no-store")
        .and_client(Client::new(PURCHASES.read).run(list::read_purchase_as_client).answers::<ApiCredit>()),
    replace(Operation::replace("/purchases/credit-notes/{id}", "replacePurchaseCredit", request::replace_purchase), PURCHASES),
    recognize(Operation::transition("/purchases/credit-notes/{id}/recognize", "recognizePurchaseCredit", recognize::recognize_purchase), PURCHASES),
    void(Operation::transition("/purchases/credit-notes/{id}/void", "voidPurchaseCredit", recognize::void_purchase), PURCHASES),
];

/// Settings common to the operations of both sides.
const fn write(operation: Operation, needs: &'static [&'static str]) -> Operation {
    operation.needs(needs).answers::<FinanceReceipt>().cache_control("no-store").writes(CREDIT, &[]).without_if_match()
}

const fn create(operation: Operation, rights: Rights) -> Operation {
    write(operation, rights.write)
        .summary("Request a credit")
        .description(
            "A REQUESTED credit has no value until it is recognised by a document. References to goods or to a return \
            do not move stock.",
        )
        .body::<CreditInput>()
        .problems(&["DUPLICATE", "REFERENCE_INVALID"])
}

const fn replace(operation: Operation, rights: Rights) -> Operation {
    write(operation, rights.write)
        .summary("Replace a REQUESTED credit")
        .description("Full replacement. Number and legal entity must be the current ones.")
        .body::<CreditUpdate>()
        .problems(&["VERSION_CONFLICT", "ILLEGAL_STATE", "IMMUTABLE_FIELD", "REFERENCE_INVALID", "LIMIT_EXCEEDED"])
}

const fn recognize(operation: Operation, rights: Rights) -> Operation {
    write(operation, rights.settle)
        .summary("Recognise a credit")
        .description(
            "State the document that grants the credit. Only a COST_CORRECTION changes the cost of goods, by no more \
            than their cost.",
        )
        .body::<RecognizeCredit>()
        .problems(RECOGNIZE_PROBLEMS)
}

const fn void(operation: Operation, rights: Rights) -> Operation {
    write(operation, rights.settle)
        .summary("Void a credit")
        .description("Only a credit that is neither applied nor refunded, and never a recognised COST_CORRECTION.")
        .body::<VoidDocument>()
        .problems(&["VERSION_CONFLICT", "ILLEGAL_STATE", "LIMIT_EXCEEDED", "ARCHIVED", "ACCOUNTING_PERIOD_CLOSED"])
}
