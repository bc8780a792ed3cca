//! The operations of payments (finance-ledger.md B4).

mod input;
pub mod list;
mod record;
mod undo;

use stoa_sdk::Operation;
use stoa_trade::document::replacement::FullReplacement;

use crate::operations::body::VoidDocument;
use crate::operations::payment::input::{ConfirmPayment, PaymentInput, ReversePayment};
use crate::operations::payment::list::ListPayments;
use crate::operations::row::{UNDO_PROBLEMS, list, posting_problems, posting_reasons, read, undo_reasons, write};
use crate::records::payment::{ApiPayment, Payment};
use crate::records::permission::{PURCHASES, Rights, SALES};
use crate::records::side::{PAYMENT, Side};

pub use input::parts_of;

const RECORD_PROBLEMS: &[&str] =
    posting_problems!["DUPLICATE", "REFERENCE_INVALID", "ILLEGAL_STATE", "LIMIT_EXCEEDED", "PAYMENT_ACCOUNT_INVALID",];
const CONFIRM_PROBLEMS: &[&str] = posting_problems![
    "VERSION_CONFLICT",
    "REFERENCE_INVALID",
    "ILLEGAL_STATE",
    "LIMIT_EXCEEDED",
    "PAYMENT_ACCOUNT_INVALID",
];
const REPLACE_PROBLEMS: &[&str] =
    &["VERSION_CONFLICT", "ILLEGAL_STATE", "IMMUTABLE_FIELD", "PAYMENT_ACCOUNT_INVALID", "ARCHIVED", "LIMIT_EXCEEDED"];

/// Item codes of a payment that becomes money, with the invoices that it pays.
const RECORD_REASONS: &[&str] =
    posting_reasons!["COLLECTED_AT_REGISTER", "EXCEEDS_AVAILABLE", "EXCEEDS_INVOICE_BALANCE", "METHOD_UNMAPPED",];

#[rustfmt::skip]
pub const SALES_OPERATIONS: &[Operation] = &[
    list::<ListPayments, Payment, ApiPayment>(SALES, Operation::read("/sales/payments", "listSalesPayments",
        |call| list::list(Side::Sales, call))).summary("Payments of customers"),
    create(SALES, Operation::create("/sales/payments", "createSalesPayment", |call| record::create(Side::Sales, call)))
        .summary("Record a payment of a customer"),
    read::<Payment, ApiPayment>(SALES, Operation::read("/sales/payments/{id}", "getSalesPayment",
        |call| list::read(Side::Sales, call))).summary("A payment of a customer"),
    replace(SALES, Operation::replace("/sales/payments/{id}", "replaceSalesPayment",
        |call| record::replace(Side::Sales, call))).summary("Replace a PENDING payment of a customer"),
    confirm(SALES, Operation::transition("/sales/payments/{id}/confirm", "confirmSalesPayment",
        |call| record::confirm(Side::Sales, call))).summary("Confirm a PENDING payment of a customer"),
    void(SALES, Operation::transition("/sales/payments/{id}/void", "voidSalesPayment",
        |call| undo::void(Side::Sales, call))).summary("Void a payment of a customer"),
    reverse(SALES, Operation::transition("/sales/payments/{id}/reverse", "reverseSalesPayment",
        |call| undo::reverse(Side::Sales, call))).summary("Reverse a payment of a customer whose money failed to arrive"),
];

#[rustfmt::skip]
pub const PURCHASE_OPERATIONS: &[Operation] = &[
    list::<ListPayments, Payment, ApiPayment>(PURCHASES, Operation::read("/purchases/payments", "listPurchasePayments",
        |call| list::list(Side::Purchases, call))).summary("Payments to suppliers"),
    create(PURCHASES, Operation::create("/purchases/payments", "createPurchasePayment",
        |call| record::create(Side::Purchases, call))).summary("Record a payment to a supplier"),
    read::<Payment, ApiPayment>(PURCHASES, Operation::read("/purchases/payments/{id}", "getPurchasePayment",
        |call| list::read(Side::Purchases, call))).summary("A payment to a supplier"),
    replace(PURCHASES, Operation::replace("/purchases/payments/{id}", "replacePurchasePayment",
        |call| record::replace(Side::Purchases, call))).summary("Replace a PENDING payment to a supplier"),
    confirm(PURCHASES, Operation::transition("/purchases/payments/{id}/confirm", "confirmPurchasePayment",
        |call| record::confirm(Side::Purchases, call))).summary("Confirm a PENDING payment to a supplier"),
    void(PURCHASES, Operation::transition("/purchases/payments/{id}/void", "voidPurchasePayment",
        |call| undo::void(Side::Purchases, call))).summary("Void a payment to a supplier"),
    reverse(PURCHASES, Operation::transition("/purchases/payments/{id}/reverse", "reversePurchasePayment",
        |call| undo::reverse(Side::Purchases, call))).summary("Reverse a payment to a supplier whose money failed to arrive"),
];

const fn create(rights: Rights, operation: Operation) -> Operation {
    write(rights.write, PAYMENT, operation)
        .description(
            "A PENDING payment settles and posts nothing until it is confirmed. Card numbers are rejected in every \
            member.",
        )
        .body::<PaymentInput>()
        .problems(RECORD_PROBLEMS)
        .item_codes(RECORD_REASONS)
}

const fn replace(rights: Rights, operation: Operation) -> Operation {
    write(rights.write, PAYMENT, operation)
        .description("Full replacement. Number and legal entity must be the current ones, and `status` PENDING.")
        .body::<FullReplacement<PaymentInput>>()
        .problems(REPLACE_PROBLEMS)
        .item_codes(&["METHOD_UNMAPPED"])
}

const fn confirm(rights: Rights, operation: Operation) -> Operation {
    write(rights.write, PAYMENT, operation)
        .body::<ConfirmPayment>()
        .problems(CONFIRM_PROBLEMS)
        .item_codes(RECORD_REASONS)
}

const fn void(rights: Rights, operation: Operation) -> Operation {
    write(rights.settle, PAYMENT, operation)
        .description("Rejected if the payment is applied or refunded, or if a register collected it.")
        .body::<VoidDocument>()
        .problems(UNDO_PROBLEMS)
        .item_codes(undo_reasons!["HAS_APPLICATIONS", "HAS_REFUNDS", "POS_RECEIPT"])
}

const fn reverse(rights: Rights, operation: Operation) -> Operation {
    write(rights.settle, PAYMENT, operation)
        .description("Reverses an applied payment, such as a bounced cheque. The invoices that it paid are open again.")
        .body::<ReversePayment>()
        .problems(UNDO_PROBLEMS)
        .item_codes(undo_reasons!["HAS_REFUNDS", "NOT_APPLIED", "POS_RECEIPT"])
}
