//! The operations of credits (finance-ledger.md B5).

mod input;
mod list;
mod recognize;
mod references;
mod request;

use stoa_sdk::Operation;
use stoa_trade::document::replacement::FullReplacement;

use crate::operations::body::VoidDocument;
use crate::operations::credit::input::{CreditInput, RecognizeCredit};
use crate::operations::credit::list::ListCredits;
use crate::operations::row::{UNDO_PROBLEMS, list, posting_problems, posting_reasons, read, undo_reasons, write};
use crate::records::credit::{ApiCredit, ApiSalesCredit, Credit, CreditHeader};
use crate::records::permission::{PURCHASES, Rights, SALES};
use crate::records::side::{CREDIT, Side};

const RECOGNIZE_PROBLEMS: &[&str] =
    posting_problems!["VERSION_CONFLICT", "ILLEGAL_STATE", "DUPLICATE", "REFERENCE_INVALID", "LIMIT_EXCEEDED"];

#[rustfmt::skip]
pub const SALES_OPERATIONS: &[Operation] = &[
    list::<ListCredits, CreditHeader, ApiCredit>(SALES, Operation::read("/sales/credit-notes", "listSalesCredits",
        |call| list::list(Side::Sales, call))).summary("Credits to customers"),
    create(SALES, Operation::create("/sales/credit-notes", "createSalesCredit",
        |call| request::create(Side::Sales, call))).summary("Request a credit to a customer"),
    read::<Credit, ApiSalesCredit>(SALES, Operation::read("/sales/credit-notes/{id}", "getSalesCredit",
        |call| list::read(Side::Sales, call))).summary("A credit to a customer"),
    replace(SALES, Operation::replace("/sales/credit-notes/{id}", "replaceSalesCredit",
        |call| request::replace(Side::Sales, call))).summary("Replace a REQUESTED credit to a customer"),
    recognize(SALES, Operation::transition("/sales/credit-notes/{id}/recognize", "recognizeSalesCredit",
        |call| recognize::recognize(Side::Sales, call))).summary("Recognise a credit to a customer"),
    void(SALES, Operation::transition("/sales/credit-notes/{id}/void", "voidSalesCredit",
        |call| recognize::void(Side::Sales, call))).summary("Void a credit to a customer"),
];

#[rustfmt::skip]
pub const PURCHASE_OPERATIONS: &[Operation] = &[
    list::<ListCredits, CreditHeader, ApiCredit>(PURCHASES,
        Operation::read("/purchases/credit-notes", "listPurchaseCredits", |call| list::list(Side::Purchases, call)))
        .summary("Credits of suppliers"),
    create(PURCHASES, Operation::create("/purchases/credit-notes", "createPurchaseCredit",
        |call| request::create(Side::Purchases, call))).summary("Request a credit of a supplier"),
    read::<Credit, ApiCredit>(PURCHASES, Operation::read("/purchases/credit-notes/{id}", "getPurchaseCredit",
        |call| list::read(Side::Purchases, call))).summary("A credit of a supplier"),
    replace(PURCHASES, Operation::replace("/purchases/credit-notes/{id}", "replacePurchaseCredit",
        |call| request::replace(Side::Purchases, call))).summary("Replace a REQUESTED credit of a supplier"),
    recognize(PURCHASES, Operation::transition("/purchases/credit-notes/{id}/recognize", "recognizePurchaseCredit",
        |call| recognize::recognize(Side::Purchases, call))).summary("Recognise a credit of a supplier"),
    void(PURCHASES, Operation::transition("/purchases/credit-notes/{id}/void", "voidPurchaseCredit",
        |call| recognize::void(Side::Purchases, call))).summary("Void a credit of a supplier"),
];

const fn create(rights: Rights, operation: Operation) -> Operation {
    write(rights.write, CREDIT, operation)
        .description(
            "A REQUESTED credit has no value until it is recognised by a document. References to goods or to a return \
            do not move stock.",
        )
        .body::<CreditInput>()
        .grows_with("/lines")
        .problems(&["DUPLICATE", "REFERENCE_INVALID"])
        .item_codes(&["SUM_MISMATCH"])
}

const fn replace(rights: Rights, operation: Operation) -> Operation {
    write(rights.write, CREDIT, operation)
        .description("Full replacement. Number and legal entity must be the current ones.")
        .body::<FullReplacement<CreditInput>>()
        .grows_with("/lines")
        .problems(&["VERSION_CONFLICT", "ILLEGAL_STATE", "IMMUTABLE_FIELD", "REFERENCE_INVALID", "LIMIT_EXCEEDED"])
        .item_codes(&["SUM_MISMATCH"])
}

const fn recognize(rights: Rights, operation: Operation) -> Operation {
    write(rights.settle, CREDIT, operation)
        .description(
            "State the document that grants the credit. Only a COST_CORRECTION changes the cost of goods, by no more \
            than their cost.",
        )
        .body::<RecognizeCredit>()
        .problems(RECOGNIZE_PROBLEMS)
        .item_codes(posting_reasons!["EXCEEDS_COST", "EXCEEDS_INVOICE", "NOT_RECEIVED", "UNCOSTED"])
}

const fn void(rights: Rights, operation: Operation) -> Operation {
    write(rights.settle, CREDIT, operation)
        .description("Rejected if the credit is applied or refunded, and always for a recognised COST_CORRECTION.")
        .body::<VoidDocument>()
        .problems(UNDO_PROBLEMS)
        .item_codes(undo_reasons!["COST_CORRECTION", "HAS_APPLICATIONS", "HAS_REFUNDS"])
}
