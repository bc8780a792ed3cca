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
use crate::operations::row::{UNDO_PROBLEMS, list, posting_problems, read, write};
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

#[rustfmt::skip]
pub const SALES_OPERATIONS: &[Operation] = &[
    list::<ListPayments, Payment, ApiPayment>(SALES, Operation::read("/sales/payments", "listSalesPayments",
        |call| list::list(Side::Sales, call))).summary("Payments of customers"),
    create(SALES, Operation::create("/sales/payments", "createSalesPayment", |call| record::create(Side::Sales, call)))
        .summary("Record a payment of a customer"),
    read::<Payment, ApiPayment>(SALES, Operation::read("/sales/payments/{id}", "getSalesPayment",
        |call| list::read(Side::Sales, call))).summary("A payment of a customer"),
    replace(SALES, Operation::replace("/sales/payments/{id}", "replaceSalesPayment",
        |call| record::replace(Side::Sales, call))),
    confirm(SALES, Operation::transition("/sales/payments/{id}/confirm", "confirmSalesPayment",
        |call| record::confirm(Side::Sales, call))),
    void(SALES, Operation::transition("/sales/payments/{id}/void", "voidSalesPayment",
        |call| undo::void(Side::Sales, call))),
    reverse(SALES, Operation::transition("/sales/payments/{id}/reverse", "reverseSalesPayment",
        |call| undo::reverse(Side::Sales, call))),
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
        |call| record::replace(Side::Purchases, call))),
    confirm(PURCHASES, Operation::transition("/purchases/payments/{id}/confirm", "confirmPurchasePayment",
        |call| record::confirm(Side::Purchases, call))),
    void(PURCHASES, Operation::transition("/purchases/payments/{id}/void", "voidPurchasePayment",
        |call| undo::void(Side::Purchases, call))),
    reverse(PURCHASES, Operation::transition("/purchases/payments/{id}/reverse", "reversePurchasePayment",
        |call| undo::reverse(Side::Purchases, call))),
];

const fn create(rights: Rights, operation: Operation) -> Operation {
    write(rights.write, PAYMENT, operation)
        .description(
            "A PENDING payment settles and posts nothing until it is confirmed. Card numbers are rejected in every \
            member.",
        )
        .body::<PaymentInput>()
        .problems(RECORD_PROBLEMS)
}

const fn replace(rights: Rights, operation: Operation) -> Operation {
    write(rights.write, PAYMENT, operation)
        .summary("Replace a PENDING payment")
        .description("Full replacement. Number and legal entity must be the current ones, and `status` PENDING.")
        .body::<FullReplacement<PaymentInput>>()
        .problems(REPLACE_PROBLEMS)
}

const fn confirm(rights: Rights, operation: Operation) -> Operation {
    write(rights.write, PAYMENT, operation)
        .summary("Confirm a PENDING payment")
        .body::<ConfirmPayment>()
        .problems(CONFIRM_PROBLEMS)
}

const fn void(rights: Rights, operation: Operation) -> Operation {
    write(rights.settle, PAYMENT, operation)
        .summary("Void a payment")
        .description("Only a payment that is neither applied nor refunded, and that no register collected.")
        .body::<VoidDocument>()
        .problems(UNDO_PROBLEMS)
}

const fn reverse(rights: Rights, operation: Operation) -> Operation {
    write(rights.settle, PAYMENT, operation)
        .summary("Reverse a payment whose money failed to arrive")
        .description("Reverses an applied payment, such as a bounced cheque. The invoices that it paid are open again.")
        .body::<ReversePayment>()
        .problems(UNDO_PROBLEMS)
}
