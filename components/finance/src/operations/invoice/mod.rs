//! The operations of invoices (finance-ledger.md B2 and B3).

mod confirm_purchase;
mod confirm_sale;
mod draft;
mod input;
mod issue;
pub mod list;
mod void;

use stoa_sdk::{Client, Operation, Page};

use crate::operations::body::VoidDocument;
use crate::operations::invoice::input::{
    ConfirmPurchaseInvoice, ConfirmSalesInvoice, IssueInvoice, PurchaseInvoiceFromOrder, PurchaseInvoiceInput,
    PurchaseInvoiceUpdate, RecognizePurchaseInvoice, RecognizeSalesInvoice, SalesInvoiceFromOrder, SalesInvoiceInput,
    SalesInvoiceUpdate,
};
use crate::operations::invoice::list::{ListApplications, ListInvoices};
use crate::records::application::Application;
use crate::records::invoice::{
    ApiPurchaseInvoiceHeader, ApiSalesInvoiceHeader, PurchaseInvoiceHeader, SalesInvoiceHeader,
};
use crate::records::invoice_line::{ApiPurchaseInvoice, ApiSalesInvoice, PurchaseInvoice, SalesInvoice};
use crate::records::permission::{CONFIRM_PURCHASE, CONFIRM_SALE, PURCHASES, SALES};
use crate::records::receipt::{DraftFromOrder, FinanceReceipt};
use crate::records::side::{PURCHASE_INVOICE, SALES_INVOICE};

/// Problem codes of a draft and of the records that it names.
const DRAFT_PROBLEMS: &[&str] =
    &["DUPLICATE", "REFERENCE_INVALID", "IMMUTABLE_FIELD", "UNIT_COUNT_MISMATCH", "AMOUNT_PRECISION", "LIMIT_EXCEEDED"];
const REPLACE_PROBLEMS: &[&str] = &[
    "VERSION_CONFLICT",
    "ILLEGAL_STATE",
    "DUPLICATE",
    "REFERENCE_INVALID",
    "IMMUTABLE_FIELD",
    "UNIT_COUNT_MISMATCH",
    "AMOUNT_PRECISION",
    "LIMIT_EXCEEDED",
];
const FROM_ORDER_PROBLEMS: &[&str] = &[
    "ILLEGAL_STATE",
    "DUPLICATE",
    "REFERENCE_INVALID",
    "IMMUTABLE_FIELD",
    "UNIT_COUNT_MISMATCH",
    "AMOUNT_PRECISION",
    "LIMIT_EXCEEDED",
];
const POST_PROBLEMS: &[&str] = &[
    "VERSION_CONFLICT",
    "ILLEGAL_STATE",
    "DUPLICATE",
    "REFERENCE_INVALID",
    "FULFILMENT_REQUIRED",
    "FULFILMENT_INCOMPLETE",
    "LIMIT_EXCEEDED",
    "ARCHIVED",
    "ACCOUNTING_SETUP_REQUIRED",
    "ACCOUNTING_PERIOD_CLOSED",
    "ACCOUNTING_CURRENCY_UNSUPPORTED",
    "ACCOUNTING_AMOUNT_PRECISION",
];
const CONFIRM_PROBLEMS: &[&str] = &[
    "VERSION_CONFLICT",
    "ILLEGAL_STATE",
    "DUPLICATE",
    "REFERENCE_INVALID",
    "ARCHIVED",
    "FULFILMENT_INCOMPLETE",
    "UNIT_COUNT_MISMATCH",
    "UNIT_UNAVAILABLE",
    "UNIT_CONDITION_REQUIRED",
    "UNIT_CONDITION_MISMATCH",
    "INSUFFICIENT_STOCK",
    "CUSTODY_CONFLICT",
    "LIMIT_EXCEEDED",
    "ACCOUNTING_SETUP_REQUIRED",
    "ACCOUNTING_PERIOD_CLOSED",
    "ACCOUNTING_CURRENCY_UNSUPPORTED",
    "ACCOUNTING_AMOUNT_PRECISION",
];
const VOID_PROBLEMS: &[&str] =
    &["VERSION_CONFLICT", "ILLEGAL_STATE", "LIMIT_EXCEEDED", "ARCHIVED", "ACCOUNTING_PERIOD_CLOSED"];

#[rustfmt::skip]
pub const SALES_OPERATIONS: &[Operation] = &[
    Operation::read("/sales/invoices", "listSalesInvoices", list::list_sales).summary("Sales invoices")
        .needs(SALES.read).query::<ListInvoices>().answers::<Page<SalesInvoiceHeader>>().cache_control("no-store")
        .and_client(Client::new(SALES.read).run(list::list_sales_as_client).answers::<Page<ApiSalesInvoiceHeader>>()),
    Operation::create("/sales/invoices", "createSalesInvoice", draft::create_sales).summary("Draft a sales invoice")
        .description("A commercial document, not a fiscal one. A draft may be incomplete. It reserves no quantity and posts \
            nothing.")
        .needs(SALES.write).body::<SalesInvoiceInput>().grows_with("/lines").answers::<FinanceReceipt>().cache_control("no-store")
        .writes(SALES_INVOICE, &[]).problems(DRAFT_PROBLEMS),
    Operation::create("/sales/invoices/from-order", "draftSalesInvoiceFromOrder", draft::of_sales_order)
        .summary("Draft an invoice for the unbilled quantities of an order")
        .description("Creates a line for each order line with an unbilled quantity, and adds its delivered units.")
        .needs(SALES.write).body::<SalesInvoiceFromOrder>().answers::<FinanceReceipt>().cache_control("no-store")
        .writes(SALES_INVOICE, &[]).problems(FROM_ORDER_PROBLEMS),
    Operation::read("/sales/invoices/{id}", "getSalesInvoice", list::read_sales).summary("A sales invoice")
        .description("Members `units` with serial numbers and states are present only for callers with \
            `inventory.serials.read`.")
        .needs(SALES.read).answers::<SalesInvoice>().discloses_identifiers().cache_control("no-store")
        .and_client(Client::new(SALES.read).run(list::read_sales_as_client).answers::<ApiSalesInvoice>().description("")),
    Operation::replace("/sales/invoices/{id}", "replaceSalesInvoice", draft::replace_sales).summary("Replace a draft")
        .description("Full replacement. Number and legal entity must be the current ones.")
        .needs(SALES.write).body::<SalesInvoiceUpdate>().grows_with("/lines").answers::<FinanceReceipt>().cache_control("no-store")
        .writes(SALES_INVOICE, &[]).without_if_match().problems(REPLACE_PROBLEMS),
    Operation::transition("/sales/invoices/{id}/issue", "issueSalesInvoice", issue::issue).summary("Issue a sales invoice")
        .description("Every unit of a serialized line must be delivered and listed, or the line must bill all delivered units. \
            If a register collected the order, the payment settles the invoice at once.")
        .needs(SALES.write).body::<IssueInvoice>().answers::<FinanceReceipt>().cache_control("no-store")
        .writes(SALES_INVOICE, &[]).without_if_match().problems(POST_PROBLEMS),
    Operation::transition("/sales/invoices/{id}/confirm", "confirmSalesInvoice", confirm_sale::confirm)
        .summary("Deliver the goods of a sales invoice and issue it")
        .description("All goods on the invoice must belong to one CONFIRMED order, which is delivered in full. If they belong \
            to none, the host creates an order for them.")
        .needs(CONFIRM_SALE).body::<ConfirmSalesInvoice>().answers::<FinanceReceipt>().cache_control("no-store")
        .writes(SALES_INVOICE, &[]).without_if_match().problems(CONFIRM_PROBLEMS),
    Operation::transition("/sales/invoices/{id}/recognize", "recognizeSalesInvoice", issue::recognize_sales)
        .summary("Recognise the revenue of lines without a delivery")
        .description("Recognises the lines without an order, once. A draft is issued by the same request, which then needs \
            `sales.create` too.")
        .needs(SALES.settle).body::<RecognizeSalesInvoice>().answers::<FinanceReceipt>().cache_control("no-store")
        .writes(SALES_INVOICE, &[]).without_if_match().problems(POST_PROBLEMS),
    Operation::transition("/sales/invoices/{id}/void", "voidSalesInvoice", void::void_sales).summary("Void a sales invoice")
        .description("Only an invoice to which no payment or credit is applied. The billed quantities can be billed again; \
            deliveries remain.")
        .needs(SALES.settle).body::<VoidDocument>().answers::<FinanceReceipt>().cache_control("no-store")
        .writes(SALES_INVOICE, &[]).without_if_match().problems(VOID_PROBLEMS),
    Operation::read("/sales/invoices/{id}/applications", "listSalesInvoiceApplications", list::list_sales_applications)
        .summary("Applications to a sales invoice")
        .needs(SALES.read).query::<ListApplications>().answers::<Page<Application>>().cache_control("no-store"),
];

#[rustfmt::skip]
pub const PURCHASE_OPERATIONS: &[Operation] = &[
    Operation::read("/purchases/invoices", "listPurchaseInvoices", list::list_purchases).summary("Purchase invoices")
        .needs(PURCHASES.read).query::<ListInvoices>().answers::<Page<PurchaseInvoiceHeader>>().cache_control("no-store")
        .and_client(Client::new(PURCHASES.read).run(list::list_purchases_as_client).answers::<Page<ApiPurchaseInvoiceHeader>>()),
    Operation::create("/purchases/invoices", "createPurchaseInvoice", draft::create_purchase).summary("Draft a purchase invoice")
        .description("A commercial document, not a fiscal one. A draft may be incomplete. It reserves no quantity and posts \
            nothing.")
        .needs(PURCHASES.write).body::<PurchaseInvoiceInput>().grows_with("/lines").answers::<FinanceReceipt>().cache_control("no-store")
        .writes(PURCHASE_INVOICE, &[]).problems(DRAFT_PROBLEMS),
    Operation::create("/purchases/invoices/from-order", "draftPurchaseInvoiceFromOrder", draft::of_purchase_order)
        .summary("Draft an invoice for the unbilled quantities of an order")
        .description("Creates a line for each receipt line, with its units, or for each order line, with an unbilled quantity: \
            at most 100 lines and 100 units. `remainingLines` is the number of lines that are left for the next draft.")
        .needs(PURCHASES.write).body::<PurchaseInvoiceFromOrder>().answers::<DraftFromOrder>().cache_control("no-store")
        .writes(PURCHASE_INVOICE, &[]).problems(FROM_ORDER_PROBLEMS),
    Operation::read("/purchases/invoices/{id}", "getPurchaseInvoice", list::read_purchase).summary("A purchase invoice")
        .description("Members `units` with serial numbers and states are present only for callers with \
            `inventory.serials.read`.")
        .needs(PURCHASES.read).answers::<PurchaseInvoice>().discloses_identifiers().cache_control("no-store")
        .and_client(Client::new(PURCHASES.read).run(list::read_purchase_as_client).answers::<ApiPurchaseInvoice>().description("")),
    Operation::replace("/purchases/invoices/{id}", "replacePurchaseInvoice", draft::replace_purchase).summary("Replace a draft")
        .description("Full replacement. Number and legal entity must be the current ones.")
        .needs(PURCHASES.write).body::<PurchaseInvoiceUpdate>().grows_with("/lines").answers::<FinanceReceipt>().cache_control("no-store")
        .writes(PURCHASE_INVOICE, &[]).without_if_match().problems(REPLACE_PROBLEMS),
    Operation::transition("/purchases/invoices/{id}/recognize", "recognizePurchaseInvoice", issue::recognize_purchase)
        .summary("Recognise a debt to a supplier")
        .description("Every unit of a serialized line must be received and listed, or the line must bill all received units.")
        .needs(PURCHASES.settle).body::<RecognizePurchaseInvoice>().answers::<FinanceReceipt>().cache_control("no-store")
        .writes(PURCHASE_INVOICE, &[]).without_if_match().problems(POST_PROBLEMS),
    Operation::transition("/purchases/invoices/{id}/confirm", "confirmPurchaseInvoice", confirm_purchase::confirm)
        .summary("Receive the goods of a purchase invoice and recognise it")
        .description("All goods on the invoice must belong to one open order, of which exactly the billed quantities are \
            received. If they belong to none, the host creates an order at the costs of the invoice. The confirmation also \
            approves that order.")
        .needs(CONFIRM_PURCHASE).body::<ConfirmPurchaseInvoice>().grows_with("/units").answers::<FinanceReceipt>().cache_control("no-store")
        .writes(PURCHASE_INVOICE, &[]).without_if_match().problems(CONFIRM_PROBLEMS),
    Operation::transition("/purchases/invoices/{id}/void", "voidPurchaseInvoice", void::void_purchase)
        .summary("Void a purchase invoice")
        .description("Only an invoice to which no payment or credit is applied. The billed quantities can be billed again; \
            receipts remain.")
        .needs(PURCHASES.settle).body::<VoidDocument>().answers::<FinanceReceipt>().cache_control("no-store")
        .writes(PURCHASE_INVOICE, &[]).without_if_match().problems(VOID_PROBLEMS),
    Operation::read("/purchases/invoices/{id}/applications", "listPurchaseInvoiceApplications", list::list_purchase_applications)
        .summary("Applications to a purchase invoice")
        .needs(PURCHASES.read).query::<ListApplications>().answers::<Page<Application>>().cache_control("no-store"),
];
