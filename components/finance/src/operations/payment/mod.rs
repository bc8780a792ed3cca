//! The operations of payments (finance-ledger.md B4).

mod input;
pub mod list;
mod record;
mod undo;

use stoa_sdk::{Client, Operation, Page};

use crate::operations::body::VoidDocument;
use crate::operations::payment::input::{ConfirmPayment, PaymentInput, PaymentUpdate, ReversePayment};
use crate::operations::payment::list::ListPayments;
use crate::records::payment::{ApiPayment, Payment};
use crate::records::permission::{PURCHASES, Rights, SALES};
use crate::records::receipt::FinanceReceipt;
use crate::records::side::PAYMENT;

pub use input::parts_of;

const RECORD_PROBLEMS: &[&str] = &[
    "DUPLICATE",
    "REFERENCE_INVALID",
    "ILLEGAL_STATE",
    "LIMIT_EXCEEDED",
    "PAYMENT_ACCOUNT_INVALID",
    "ARCHIVED",
    "ACCOUNTING_SETUP_REQUIRED",
    "ACCOUNTING_PERIOD_CLOSED",
    "ACCOUNTING_CURRENCY_UNSUPPORTED",
    "ACCOUNTING_AMOUNT_PRECISION",
];
const CONFIRM_PROBLEMS: &[&str] = &[
    "VERSION_CONFLICT",
    "REFERENCE_INVALID",
    "ILLEGAL_STATE",
    "LIMIT_EXCEEDED",
    "PAYMENT_ACCOUNT_INVALID",
    "ARCHIVED",
    "ACCOUNTING_SETUP_REQUIRED",
    "ACCOUNTING_PERIOD_CLOSED",
    "ACCOUNTING_CURRENCY_UNSUPPORTED",
    "ACCOUNTING_AMOUNT_PRECISION",
];
const REPLACE_PROBLEMS: &[&str] =
    &["VERSION_CONFLICT", "ILLEGAL_STATE", "IMMUTABLE_FIELD", "PAYMENT_ACCOUNT_INVALID", "ARCHIVED", "LIMIT_EXCEEDED"];
const UNDO_PROBLEMS: &[&str] =
    &["VERSION_CONFLICT", "ILLEGAL_STATE", "LIMIT_EXCEEDED", "ARCHIVED", "ACCOUNTING_PERIOD_CLOSED"];

#[rustfmt::skip]
pub const SALES_OPERATIONS: &[Operation] = &[
    Operation::read("/sales/payments", "listSalesPayments", list::list_sales).summary("Payments of customers")
        .needs(SALES.read).query::<ListPayments>().answers::<Page<Payment>>().cache_control("no-store")
        .and_client(Client::new(SALES.read).run(list::list_sales_as_client).answers::<Page<ApiPayment>>()),
    create(Operation::create("/sales/payments", "createSalesPayment", record::create_sales), SALES)
        .summary("Record a payment of a customer"),
    Operation::read("/sales/payments/{id}", "getSalesPayment", list::read_sales).summary("A payment of a customer")
        .needs(SALES.read).answers::<Payment>().cache_control("no-store")
        .and_client(Client::new(SALES.read).run(list::read_sales_as_client).answers::<ApiPayment>()),
    replace(Operation::replace("/sales/payments/{id}", "replaceSalesPayment", record::replace_sales), SALES),
    confirm(Operation::transition("/sales/payments/{id}/confirm", "confirmSalesPayment", record::confirm_sales), SALES),
    void(Operation::transition("/sales/payments/{id}/void", "voidSalesPayment", undo::void_sales), SALES),
    reverse(Operation::transition("/sales/payments/{id}/reverse", "reverseSalesPayment", undo::reverse_sales), SALES),
];

#[rustfmt::skip]
pub const PURCHASE_OPERATIONS: &[Operation] = &[
    Operation::read("/purchases/payments", "listPurchasePayments", list::list_purchases).summary("Payments to suppliers")
        .needs(PURCHASES.read).query::<ListPayments>().answers::<Page<Payment>>().cache_control("no-store")
        .and_client(Client::new(PURCHASES.read).run(list::list_purchases_as_client).answers::<Page<ApiPayment>>()),
    create(Operation::create("/purchases/payments", "createPurchasePayment", record::create_purchase), PURCHASES)
        .summary("Record a payment to a supplier"),
    Operation::read("/purchases/payments/{id}", "getPurchasePayment", list::read_purchase).summary("A payment to a supplier")
        .needs(PURCHASES.read).answers::<Payment>().cache_control("no-store")
        .and_client(Client::new(PURCHASES.read).run(list::read_purchase_as_client).answers::<ApiPayment>()),
    replace(Operation::replace("/purchases/payments/{id}", "replacePurchasePayment", record::replace_purchase), PURCHASES),
    confirm(Operation::transition("/purchases/payments/{id}/confirm", "confirmPurchasePayment", record::confirm_purchase), PURCHASES),
    void(Operation::transition("/purchases/payments/{id}/void", "voidPurchasePayment", undo::void_purchase), PURCHASES),
    reverse(Operation::transition("/purchases/payments/{id}/reverse", "reversePurchasePayment", undo::reverse_purchase), PURCHASES),
];

/// Settings common to the operations of both sides.
const fn write(operation: Operation, needs: &'static [&'static str]) -> Operation {
    operation.needs(needs).answers::<FinanceReceipt>().cache_control("no-store").writes(PAYMENT, &[]).without_if_match()
}

const fn create(operation: Operation, rights: Rights) -> Operation {
    write(operation, rights.write)
        .description(
            "A PENDING payment settles and posts nothing until it is confirmed. Card numbers are rejected in every \
            member.",
        )
        .body::<PaymentInput>()
        .problems(RECORD_PROBLEMS)
}

const fn replace(operation: Operation, rights: Rights) -> Operation {
    write(operation, rights.write)
        .summary("Replace a PENDING payment")
        .description("Full replacement. Number and legal entity must be the current ones, and `status` PENDING.")
        .body::<PaymentUpdate>()
        .problems(REPLACE_PROBLEMS)
}

const fn confirm(operation: Operation, rights: Rights) -> Operation {
    write(operation, rights.write)
        .summary("Confirm a PENDING payment")
        .body::<ConfirmPayment>()
        .problems(CONFIRM_PROBLEMS)
}

const fn void(operation: Operation, rights: Rights) -> Operation {
    write(operation, rights.settle)
        .summary("Void a payment")
        .description("Only a payment that is neither applied nor refunded, and that no register collected.")
        .body::<VoidDocument>()
        .problems(UNDO_PROBLEMS)
}

const fn reverse(operation: Operation, rights: Rights) -> Operation {
    write(operation, rights.settle)
        .summary("Reverse a payment whose money failed to arrive")
        .description("Reverses an applied payment, such as a bounced cheque. The invoices that it paid are open again.")
        .body::<ReversePayment>()
        .problems(UNDO_PROBLEMS)
}
