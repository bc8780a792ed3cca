//! The operations of refunds (finance-ledger.md B7).

mod give;
mod input;
mod list;
mod void;

use stoa_sdk::{Operation, Page};

use crate::operations::refund::input::{RefundInput, VoidRefund};
use crate::operations::refund::list::ListRefunds;
use crate::operations::row::{list, posting_problems, posting_reasons, read, undo_reasons, write};
use crate::records::credit::CreditRow;
use crate::records::payment::PaymentRow;
use crate::records::permission::{PURCHASES, Rights, SALES};
use crate::records::refund::{ApiRefund, Refund};
use crate::records::side::{REFUND, Side};

#[rustfmt::skip]
pub const OPERATIONS: &[Operation] = &[
    refund(SALES, Operation::create("/sales/credit-notes/{id}/refunds", "refundSalesCredit",
        |call| give::refund::<CreditRow>(Side::Sales, call))).summary("Refund the available amount of a credit to a customer"),
    refund(SALES, Operation::create("/sales/payments/{id}/refunds", "refundSalesPayment",
        |call| give::refund::<PaymentRow>(Side::Sales, call))).summary("Refund the available amount of a payment of a customer"),
    refund(PURCHASES, Operation::create("/purchases/credit-notes/{id}/refunds", "refundPurchaseCredit",
        |call| give::refund::<CreditRow>(Side::Purchases, call))).summary("Refund the available amount of a credit of a supplier"),
    refund(PURCHASES, Operation::create("/purchases/payments/{id}/refunds", "refundPurchasePayment",
        |call| give::refund::<PaymentRow>(Side::Purchases, call))).summary("Refund the available amount of a payment to a supplier"),
    list::<ListRefunds, Refund, ApiRefund>(SALES, Operation::read("/sales/refunds", "listSalesRefunds",
        |call| list::list(Side::Sales, call))).summary("Refunds to customers"),
    read::<Refund, ApiRefund>(SALES, Operation::read("/sales/refunds/{id}", "getSalesRefund",
        |call| list::read(Side::Sales, call))).summary("A refund to a customer"),
    void(SALES, Operation::transition("/sales/refunds/{id}/void", "voidSalesRefund",
        |call| void::void(Side::Sales, call))).summary("Void a refund to a customer"),
    Operation::read("/purchases/refunds", "listPurchaseRefunds", |call| list::list(Side::Purchases, call))
        .summary("Refunds of suppliers")
        .needs(PURCHASES.read).query::<ListRefunds>().answers::<Page<Refund>>().cache_control("no-store"),
    Operation::read("/purchases/refunds/{id}", "getPurchaseRefund", |call| list::read(Side::Purchases, call))
        .summary("A refund of a supplier")
        .needs(PURCHASES.read).answers::<Refund>().cache_control("no-store"),
    void(PURCHASES, Operation::transition("/purchases/refunds/{id}/void", "voidPurchaseRefund",
        |call| void::void(Side::Purchases, call))).summary("Void a refund of a supplier"),
];

const fn refund(rights: Rights, operation: Operation) -> Operation {
    write(rights.settle, REFUND, operation)
        .description(
            "At most the available amount. Cash that leaves a till needs the open session of that till and lowers its \
            expected cash. It is a multiple of the register's `smallestCoin`, if the register has one.",
        )
        .body::<RefundInput>()
        .problems(posting_problems![
            "VERSION_CONFLICT",
            "ILLEGAL_STATE",
            "DUPLICATE",
            "LIMIT_EXCEEDED",
            "AMOUNT_PRECISION",
            "CASH_SESSION_REQUIRED",
            "PAYMENT_ACCOUNT_INVALID",
        ])
        .item_codes(posting_reasons![
            "DATE_BEFORE_DOCUMENT",
            "EXCEEDS_AVAILABLE",
            "EXCEEDS_TILL_CASH",
            "METHOD_UNMAPPED",
            "POS_RECEIPT",
        ])
}

const fn void(rights: Rights, operation: Operation) -> Operation {
    write(rights.settle, REFUND, operation)
        .description(
            "The refunded amount is available again. Cash that left a till returns to an open session of that till.",
        )
        .body::<VoidRefund>()
        .problems(&[
            "VERSION_CONFLICT",
            "ILLEGAL_STATE",
            "LIMIT_EXCEEDED",
            "CASH_SESSION_REQUIRED",
            "PAYMENT_ACCOUNT_INVALID",
            "ARCHIVED",
            "ACCOUNTING_PERIOD_CLOSED",
        ])
        .item_codes(undo_reasons![])
}
