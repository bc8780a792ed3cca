//! The operations of invoices (finance-ledger.md B2 and B3).

mod confirm_purchase;
mod confirm_sale;
mod draft;
mod input;
mod issue;
mod list;
mod void;

use schemars::JsonSchema;
use stoa_sdk::{Operation, Page};
use stoa_trade::document::replacement::{FullReplacement, Replaceable};
use stoa_trade::points;

use crate::operations::application::ListApplications;
use crate::operations::body::VoidDocument;
use crate::operations::invoice::input::{
    ConfirmPurchaseInvoice, ConfirmSalesInvoice, IssueInvoice, PurchaseInvoiceFromOrder, PurchaseInvoiceInput,
    RecognizePurchaseInvoice, RecognizeSalesInvoice, SalesInvoiceFromOrder, SalesInvoiceInput,
};
use crate::operations::invoice::list::ListInvoices;
use crate::operations::row::{UNDO_PROBLEMS, list, posting_problems, posting_reasons, read_lines, undo_reasons, write};
use crate::records::application::Application;
use crate::records::invoice::{
    ApiPurchaseInvoiceHeader, ApiSalesInvoiceHeader, PurchaseInvoiceHeader, SalesInvoiceHeader,
};
use crate::records::invoice_line::{ApiPurchaseInvoice, ApiSalesInvoice, PurchaseInvoice, SalesInvoice};
use crate::records::permission::{CONFIRM_PURCHASE, CONFIRM_SALE, PURCHASES, Rights, SALES};
use crate::records::receipt::DraftFromOrder;
use crate::records::side::{PURCHASE_INVOICE, SALES_INVOICE, Side};

/// The codes of a draft and of the records that it names, after those of the operation.
macro_rules! draft_problems {
    ($($code:literal),* $(,)?) => {
        &[
            $($code,)*
            "DUPLICATE",
            "REFERENCE_INVALID",
            "IMMUTABLE_FIELD",
            "UNIT_COUNT_MISMATCH",
            "AMOUNT_PRECISION",
            "LIMIT_EXCEEDED",
        ]
    };
}

const POST_PROBLEMS: &[&str] = posting_problems![
    "VERSION_CONFLICT",
    "ILLEGAL_STATE",
    "DUPLICATE",
    "REFERENCE_INVALID",
    "FULFILMENT_REQUIRED",
    "FULFILMENT_INCOMPLETE",
    "LIMIT_EXCEEDED",
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

/// Item codes of an invoice that is posted without its goods.
const POST_REASONS: &[&str] = posting_reasons![
    "BILLED_BEYOND_ORDER",
    "COLLECTED_AT_REGISTER",
    "DATE_BEFORE_DOCUMENT",
    "DELIVERY_REQUIRED",
    "DRAFT",
    "LINES_REQUIRED",
    "NOTHING_TO_RECOGNIZE",
    "OTHER_LINE",
    "RECEIPT_REQUIRED",
    "UNITS_DIFFER_FROM_QUANTITY",
];
/// Item codes of an invoice that is confirmed together with its goods, which sales delivers.
const CONFIRM_SALE_REASONS: &[&str] = posting_reasons![
    "BILLED_BEYOND_ORDER",
    "COLLECTED_AT_REGISTER",
    "DELIVERY_REQUIRED",
    "LINES_REQUIRED",
    "MIXED_FULFILMENT",
    "NOT_NORMAL",
    "NO_GOODS",
    "ORDER_NOT_CONFIRMED",
    "OTHER_CURRENCY",
    "OTHER_ENTITY",
    "OTHER_VARIANT",
    "TWO_PRICES",
    "UNITS_DIFFER_FROM_QUANTITY",
];
/// Item codes of an invoice that is confirmed together with its goods, which procurement receives.
const CONFIRM_PURCHASE_REASONS: &[&str] = posting_reasons![
    "ALREADY_RECEIVED",
    "BILLED_BEYOND_ORDER",
    "DRAFT",
    "IMPORT",
    "LINES_REQUIRED",
    "MIXED_FULFILMENT",
    "NO_GOODS",
    "ORDER_NOT_OPEN",
    "OTHER_ENTITY",
    "OTHER_LINE",
    "OTHER_ORDER",
    "OTHER_WAREHOUSE",
    "RECEIPT_REQUIRED",
    "TWO_COSTS",
    "UNITS_DIFFER_FROM_QUANTITY",
];
/// Points and events of an invoice that sales sells, by an order of its own or not.
const SALE_REACHES: &[&str] = &[
    points::PRICE_ADJUSTMENT.0,
    points::ORDER_CONFIRMATION.0,
    points::AVAILABILITY.0,
    "sale.created",
    "sale.confirmed",
    "sale.completed",
    "inventory.updated",
];
/// Events of an invoice that procurement buys, by an order of its own or not.
const PURCHASE_REACHES: &[&str] = &[
    "procurement.order.created",
    "procurement.order.approved",
    "procurement.order.updated",
    "procurement.receipt.created",
    "inventory.updated",
];
/// Item codes of an invoice that is voided.
const VOID_REASONS: &[&str] = undo_reasons!["BILLED_BEYOND_ORDER", "HAS_APPLICATIONS"];
/// Item codes of a draft.
const DRAFT_REASONS: &[&str] = &["UNITS_DIFFER_FROM_QUANTITY"];

#[rustfmt::skip]
pub const SALES_OPERATIONS: &[Operation] = &[
    list::<ListInvoices, SalesInvoiceHeader, ApiSalesInvoiceHeader>(SALES,
        Operation::read("/sales/invoices", "listSalesInvoices", |call| list::list(Side::Sales, call)))
        .summary("Sales invoices"),
    create::<SalesInvoiceInput>(SALES, SALES_INVOICE, Operation::create("/sales/invoices", "createSalesInvoice",
        draft::create::<SalesInvoiceInput>)).summary("Draft a sales invoice"),
    from_order(SALES, SALES_INVOICE, Operation::create("/sales/invoices/from-order", "draftSalesInvoiceFromOrder",
        draft::of_sales_order)).summary("Draft a sales invoice for the unbilled quantities of an order")
        .description("Creates a line for each order line with an unbilled quantity, and adds its delivered units.")
        .body::<SalesInvoiceFromOrder>(),
    read_lines::<SalesInvoice, ApiSalesInvoice>(SALES, Operation::read("/sales/invoices/{id}", "getSalesInvoice",
        |call| list::read(Side::Sales, call))).summary("A sales invoice"),
    replace::<SalesInvoiceInput>(SALES, SALES_INVOICE, Operation::replace("/sales/invoices/{id}", "replaceSalesInvoice",
        draft::replace::<SalesInvoiceInput>)).summary("Replace a draft of a sales invoice"),
    write(SALES.write, SALES_INVOICE, Operation::transition("/sales/invoices/{id}/issue", "issueSalesInvoice",
        issue::issue)).summary("Issue a sales invoice")
        .description("Every unit of a serialized line must be delivered and listed, or the line must bill all delivered units. \
            If a register collected the order, the payment settles the invoice at once.")
        .body::<IssueInvoice>().problems(POST_PROBLEMS).item_codes(POST_REASONS),
    write(CONFIRM_SALE, SALES_INVOICE, Operation::transition("/sales/invoices/{id}/confirm", "confirmSalesInvoice",
        confirm_sale::confirm)).summary("Deliver the goods of a sales invoice and issue it")
        .description("All goods on the invoice must belong to one CONFIRMED order, which is delivered in full. If they belong \
            to none, the host creates an order for them.")
        .body::<ConfirmSalesInvoice>().problems(CONFIRM_PROBLEMS).item_codes(CONFIRM_SALE_REASONS).reaches(SALE_REACHES),
    write(SALES.settle, SALES_INVOICE, Operation::transition("/sales/invoices/{id}/recognize", "recognizeSalesInvoice",
        issue::recognize_sales)).summary("Recognise the revenue of lines without a delivery")
        .description("Recognises the lines without an order, once. A draft is issued by the same request, which then needs \
            `sales.create` too.")
        .body::<RecognizeSalesInvoice>().problems(POST_PROBLEMS).item_codes(POST_REASONS),
    write(SALES.settle, SALES_INVOICE, Operation::transition("/sales/invoices/{id}/void", "voidSalesInvoice",
        |call| void::void(Side::Sales, call))).summary("Void a sales invoice")
        .description("Only an invoice to which no payment or credit is applied. The billed quantities can be billed again; \
            deliveries remain.")
        .body::<VoidDocument>().problems(UNDO_PROBLEMS).item_codes(VOID_REASONS),
    applications(SALES, Operation::read("/sales/invoices/{id}/applications", "listSalesInvoiceApplications",
        |call| list::list_applications(Side::Sales, call))).summary("Applications to a sales invoice"),
];

#[rustfmt::skip]
pub const PURCHASE_OPERATIONS: &[Operation] = &[
    list::<ListInvoices, PurchaseInvoiceHeader, ApiPurchaseInvoiceHeader>(PURCHASES,
        Operation::read("/purchases/invoices", "listPurchaseInvoices", |call| list::list(Side::Purchases, call)))
        .summary("Purchase invoices"),
    create::<PurchaseInvoiceInput>(PURCHASES, PURCHASE_INVOICE,
        Operation::create("/purchases/invoices", "createPurchaseInvoice", draft::create::<PurchaseInvoiceInput>))
        .summary("Draft a purchase invoice"),
    from_order(PURCHASES, PURCHASE_INVOICE,
        Operation::create("/purchases/invoices/from-order", "draftPurchaseInvoiceFromOrder", draft::of_purchase_order))
        .summary("Draft a purchase invoice for the unbilled quantities of an order")
        .description("Creates a line for each receipt line, with its units, or for each order line, with an unbilled quantity: \
            at most 100 lines and 100 units. `remainingLines` is the number of lines that are left for the next draft.")
        .body::<PurchaseInvoiceFromOrder>().answers::<DraftFromOrder>(),
    read_lines::<PurchaseInvoice, ApiPurchaseInvoice>(PURCHASES,
        Operation::read("/purchases/invoices/{id}", "getPurchaseInvoice", |call| list::read(Side::Purchases, call)))
        .summary("A purchase invoice"),
    replace::<PurchaseInvoiceInput>(PURCHASES, PURCHASE_INVOICE,
        Operation::replace("/purchases/invoices/{id}", "replacePurchaseInvoice",
            draft::replace::<PurchaseInvoiceInput>)).summary("Replace a draft of a purchase invoice"),
    write(PURCHASES.settle, PURCHASE_INVOICE,
        Operation::transition("/purchases/invoices/{id}/recognize", "recognizePurchaseInvoice",
            issue::recognize_purchase)).summary("Recognise a debt to a supplier")
        .description("Every unit of a serialized line must be received and listed, or the line must bill all received units.")
        .body::<RecognizePurchaseInvoice>().problems(POST_PROBLEMS).item_codes(POST_REASONS),
    write(CONFIRM_PURCHASE, PURCHASE_INVOICE,
        Operation::transition("/purchases/invoices/{id}/confirm", "confirmPurchaseInvoice", confirm_purchase::confirm))
        .summary("Receive the goods of a purchase invoice and recognise it")
        .description("All goods on the invoice must belong to one open order, of which exactly the billed quantities are \
            received. If they belong to none, the host creates an order at the costs of the invoice. The confirmation also \
            approves that order.")
        .body::<ConfirmPurchaseInvoice>().grows_with("/units").problems(CONFIRM_PROBLEMS)
        .item_codes(CONFIRM_PURCHASE_REASONS).reaches(PURCHASE_REACHES),
    write(PURCHASES.settle, PURCHASE_INVOICE,
        Operation::transition("/purchases/invoices/{id}/void", "voidPurchaseInvoice",
            |call| void::void(Side::Purchases, call))).summary("Void a purchase invoice")
        .description("Only an invoice to which no payment or credit is applied. The billed quantities can be billed again; \
            receipts remain.")
        .body::<VoidDocument>().problems(UNDO_PROBLEMS).item_codes(VOID_REASONS),
    applications(PURCHASES, Operation::read("/purchases/invoices/{id}/applications", "listPurchaseInvoiceApplications",
        |call| list::list_applications(Side::Purchases, call))).summary("Applications to a purchase invoice"),
];

const fn create<B: JsonSchema>(rights: Rights, audit: &'static str, operation: Operation) -> Operation {
    write(rights.write, audit, operation)
        .description(
            "A commercial document, not a fiscal one. A draft may be incomplete. It reserves no quantity and posts \
            nothing.",
        )
        .body::<B>()
        .grows_with("/lines")
        .problems(draft_problems![])
        .item_codes(DRAFT_REASONS)
}

const fn from_order(rights: Rights, audit: &'static str, operation: Operation) -> Operation {
    write(rights.write, audit, operation)
        .problems(draft_problems!["ILLEGAL_STATE"])
        .item_codes(&["NOTHING_TO_BILL", "UNITS_DIFFER_FROM_QUANTITY"])
}

const fn replace<B: Replaceable>(rights: Rights, audit: &'static str, operation: Operation) -> Operation {
    write(rights.write, audit, operation)
        .description("Full replacement. Number and legal entity must be the current ones.")
        .body::<FullReplacement<B>>()
        .grows_with("/lines")
        .problems(draft_problems!["VERSION_CONFLICT", "ILLEGAL_STATE"])
        .item_codes(DRAFT_REASONS)
}

const fn applications(rights: Rights, operation: Operation) -> Operation {
    operation.needs(rights.read).query::<ListApplications>().answers::<Page<Application>>().cache_control("no-store")
}
