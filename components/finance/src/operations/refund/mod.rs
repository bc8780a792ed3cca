//! The operations of refunds (finance-ledger.md B7).

mod give;
mod input;
mod list;
mod void;

use stoa_sdk::{Client, Operation, Page};

use crate::operations::refund::input::{RefundInput, VoidRefund};
use crate::operations::refund::list::ListRefunds;
use crate::records::permission::{PURCHASES, Rights, SALES};
use crate::records::receipt::FinanceReceipt;
use crate::records::refund::{ApiRefund, Refund};
use crate::records::side::REFUND;

#[rustfmt::skip]
pub const OPERATIONS: &[Operation] = &[
    refund(Operation::create("/sales/credit-notes/{id}/refunds", "refundSalesCredit", give::refund_sales_credit), SALES),
    refund(Operation::create("/sales/payments/{id}/refunds", "refundSalesPayment", give::refund_sales_payment), SALES),
    refund(Operation::create("/purchases/credit-notes/{id}/refunds", "refundPurchaseCredit", give::refund_purchase_credit), PURCHASES),
    refund(Operation::create("/purchases/payments/{id}/refunds", "refundPurchasePayment", give::refund_purchase_payment), PURCHASES),
    Operation::read("/sales/refunds", "listSalesRefunds", list::list_sales).summary("Refunds to customers")
        .needs(SALES.read).query::<ListRefunds>().answers::<Page<Refund>>().cache_control("no-store")
        .and_client(Client::new(SALES.read).run(list::list_sales_as_client).answers::<Page<ApiRefund>>()),
    Operation::read("/sales/refunds/{id}", "getSalesRefund", list::read_sales).summary("A refund to a customer")
        .needs(SALES.read).answers::<Refund>().cache_control("no-store")
        .and_client(Client::new(SALES.read).run(list::read_sales_as_client).answers::<ApiRefund>()),
    void(Operation::transition("/sales/refunds/{id}/void", "voidSalesRefund", void::void_sales), SALES),
    Operation::read("/purchases/refunds", "listPurchaseRefunds", list::list_purchases).summary("Refunds of suppliers")
        .needs(PURCHASES.read).query::<ListRefunds>().answers::<Page<Refund>>().cache_control("no-store"),
    Operation::read("/purchases/refunds/{id}", "getPurchaseRefund", list::read_purchase).summary("A refund of a supplier")
        .needs(PURCHASES.read).answers::<Refund>().cache_control("no-store"),
    void(Operation::transition("/purchases/refunds/{id}/void", "voidPurchaseRefund", void::void_purchase), PURCHASES),
];

const fn refund(operation: Operation, rights: Rights) -> Operation {
    operation
        .summary("Refund the available amount")
        .description(
            "At most the available amount. Cash that leaves a till needs the open session of that till and lowers its \
            expected cash. It is a multiple of the register's `smallestCoin`, if the register has one.",
        )
        .needs(rights.settle)
        .body::<RefundInput>()
        .answers::<FinanceReceipt>()
        .cache_control("no-store")
        .writes(REFUND, &[])
        .problems(&[
            "VERSION_CONFLICT",
            "ILLEGAL_STATE",
            "DUPLICATE",
            "LIMIT_EXCEEDED",
            "AMOUNT_PRECISION",
            "CASH_SESSION_REQUIRED",
            "PAYMENT_ACCOUNT_INVALID",
            "ARCHIVED",
            "ACCOUNTING_SETUP_REQUIRED",
            "ACCOUNTING_PERIOD_CLOSED",
            "ACCOUNTING_CURRENCY_UNSUPPORTED",
            "ACCOUNTING_AMOUNT_PRECISION",
        ])
}

const fn void(operation: Operation, rights: Rights) -> Operation {
    operation
        .summary("Void a refund")
        .description(
            "The refunded amount is available again. Cash that left a till returns to an open session of that till.",
        )
        .needs(rights.settle)
        .body::<VoidRefund>()
        .answers::<FinanceReceipt>()
        .cache_control("no-store")
        .writes(REFUND, &[])
        .without_if_match()
        .problems(&[
            "VERSION_CONFLICT",
            "ILLEGAL_STATE",
            "LIMIT_EXCEEDED",
            "CASH_SESSION_REQUIRED",
            "PAYMENT_ACCOUNT_INVALID",
            "ARCHIVED",
            "ACCOUNTING_PERIOD_CLOSED",
        ])
}
