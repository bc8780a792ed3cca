//! The operations of sales orders (sales-pos.md 5.3).

mod cancel;
mod complete;
mod confirm;
mod draft;
mod exchange;
mod input;
mod list;
mod read;
mod refresh;

use stoa_sdk::{Client, Operation, Page};
use stoa_trade::document::replacement::FullReplacement;
use stoa_trade::document::version::{ReasonedTransition, Transition};
use stoa_trade::points;

use crate::operations::order::input::{ConfirmSalesOrder, ConfirmSalesOrderAsClient, ExchangeUnit, SalesOrderInput};
use crate::operations::order::list::ListSalesOrders;
use crate::records::order::{
    ApiSalesOrder, ApiSalesOrderHeader, SALE_CANCELLED, SALE_COMPLETED, SALE_CONFIRMED, SALE_CREATED, SALE_UPDATED,
    SALES_ORDER, SalesOrder, SalesOrderDraftWrite, SalesOrderHeader, SalesOrderWrite,
};
use crate::records::permission::{
    CANCEL, CLIENT_CONFIRM, CLIENT_DRAFT, CLIENT_MOVE_GOODS, CLIENT_READ_ORDER, CLIENT_WRITE, CONFIRM, DRAFT,
    MOVE_GOODS, READ,
};

/// The points that pricing the lines of a document reaches.
pub const PRICED: &[&str] = &[points::PRICE_ADJUSTMENT.0];
/// As [`PRICED`], and the point of its number.
pub const PRICED_AND_NUMBERED: &[&str] = &[points::PRICE_ADJUSTMENT.0, points::NUMBERING.0];
/// An event of inventory, for goods that are held, released or gone.
const STOCK: &str = "inventory.updated";
const CONFIRMED: &[&str] = &[points::PRICE_ADJUSTMENT.0, points::ORDER_CONFIRMATION.0, points::AVAILABILITY.0, STOCK];

#[rustfmt::skip]
pub const OPERATIONS: &[Operation] = &[
    Operation::read("/sales/orders", "listSalesOrders", list::list).summary("Sales orders")
        .needs(READ).query::<ListSalesOrders>().answers::<Page<SalesOrderHeader>>().cache_control("no-store")
        .and_client(Client::new(READ).answers::<Page<ApiSalesOrderHeader>>()),
    Operation::create("/sales/orders", "createSalesOrder", draft::create).summary("Draft a sales order")
        .description("Lines get the prices in effect of the list; every line needs one, even with an agreed price. A draft \
            reserves nothing. A variant may appear on one line only: add its quantities up, or create a second order if prices \
            differ.")
        .needs(DRAFT).body::<SalesOrderInput>().grows_with("/items").answers::<SalesOrderDraftWrite>().cache_control("no-store")
        .writes(SALES_ORDER, &[SALE_CREATED.code])
        .problems(&["DUPLICATE", "REFERENCE_INVALID", "PRICE_NOT_EXACT", "DISCOUNT_EXCEEDS_PRICE", "UNIT_COUNT_MISMATCH",
            "LIMIT_EXCEEDED"])
        .item_codes(&["OTHER_ENTITY", "OTHER_VARIANT", "NOT_NORMAL", "UNITS_DIFFER_FROM_QUANTITY"])
        .reaches(PRICED_AND_NUMBERED)
        .and_client(Client::new(CLIENT_DRAFT)
            .description("Only public price lists and published products. API clients cannot choose units: a user does.")),
    Operation::read("/sales/orders/{id}", "getSalesOrder", read::read).summary("A sales order")
        .description("Members `units` with serial numbers and states are present only for callers with \
            `inventory.serials.read`.")
        .needs(READ).answers::<SalesOrder>().discloses_identifiers().cache_control("no-store").reaches(&[points::VIEWS.0])
        .and_client(Client::any_of(CLIENT_READ_ORDER).answers::<ApiSalesOrder>().description("")),
    Operation::replace("/sales/orders/{id}", "replaceSalesOrder", draft::replace)
        .summary("Replace a draft of a sales order")
        .description("Full replacement, priced now. Number and legal entity must be the current ones. A line whose variant \
            returns gets the same id again. A line at the quoted price keeps its origin.")
        .needs(DRAFT).body::<FullReplacement<SalesOrderInput>>().grows_with("/items").answers::<SalesOrderDraftWrite>().cache_control("no-store")
        .writes(SALES_ORDER, &[SALE_UPDATED.code]).without_if_match()
        .problems(&["VERSION_CONFLICT", "ILLEGAL_STATE", "IMMUTABLE_FIELD", "REFERENCE_INVALID", "PRICE_NOT_EXACT",
            "DISCOUNT_EXCEEDS_PRICE", "UNIT_COUNT_MISMATCH", "LIMIT_EXCEEDED"])
        .item_codes(&["OTHER_ENTITY", "OTHER_VARIANT", "NOT_NORMAL", "UNITS_DIFFER_FROM_QUANTITY"])
        .reaches(PRICED)
        .and_client(Client::new(CLIENT_DRAFT)
            .description("Units that a user chose for a variant that remains on the document are kept, up to the new quantity.")),
    Operation::transition("/sales/orders/{id}/refresh-prices", "refreshSalesOrderPrices", refresh::refresh)
        .summary("Refresh the prices of a draft")
        .description("Reads the current list price of every line again; agreed prices and discounts remain. Always creates a \
            new version.")
        .needs(DRAFT).body::<Transition>().answers::<SalesOrderWrite>().cache_control("no-store")
        .writes(SALES_ORDER, &[SALE_UPDATED.code]).without_if_match()
        .problems(&["VERSION_CONFLICT", "ILLEGAL_STATE", "ARCHIVED", "REFERENCE_INVALID", "LIMIT_EXCEEDED"])
        .reaches(PRICED)
        .and_client(Client::new(CLIENT_DRAFT)),
    Operation::transition("/sales/orders/{id}/confirm", "confirmSalesOrder", confirm::confirm).summary("Confirm a sales order")
        .description("Refreshes prices a last time and fixes them, and reserves goods and chosen units, all or nothing. A \
            serialized line needs as many units as its quantity. The service never picks a unit.")
        .needs(CONFIRM).body::<ConfirmSalesOrder>().answers::<SalesOrderWrite>().cache_control("no-store")
        .writes(SALES_ORDER, &[SALE_CONFIRMED.code]).without_if_match()
        .problems(&["VERSION_CONFLICT", "ILLEGAL_STATE", "ARCHIVED", "REFERENCE_INVALID", "TOTAL_CHANGED", "UNIT_COUNT_MISMATCH",
            "UNIT_UNAVAILABLE", "INSUFFICIENT_STOCK", "CUSTODY_CONFLICT", "LIMIT_EXCEEDED", "ACCOUNTING_SETUP_REQUIRED",
            "ACCOUNTING_CURRENCY_UNSUPPORTED", "ACCOUNTING_AMOUNT_PRECISION"])
        .item_codes(&["OTHER_VARIANT", "UNITS_DIFFER_FROM_QUANTITY", "ROLE_UNMAPPED", "AMOUNT_PRECISION"])
        .reaches(CONFIRMED)
        .and_client(Client::new(CLIENT_CONFIRM).body::<ConfirmSalesOrderAsClient>()),
    Operation::transition("/sales/orders/{id}/exchange-unit", "exchangeSalesOrderUnit", exchange::exchange)
        .summary("Exchange a unit of a confirmed order")
        .description("Releases one unit and reserves another for the same line, for example if another box left the shelf. The \
            price does not change.")
        .needs(MOVE_GOODS).body::<ExchangeUnit>().answers::<SalesOrderWrite>().cache_control("no-store")
        .writes(SALES_ORDER, &[]).without_if_match()
        .problems(&["VERSION_CONFLICT", "ILLEGAL_STATE", "REFERENCE_INVALID", "UNIT_UNAVAILABLE", "CUSTODY_CONFLICT",
            "LIMIT_EXCEEDED"])
        .item_codes(&["OTHER_VARIANT"]).reaches(&[STOCK]),
    Operation::transition("/sales/orders/{id}/complete", "completeSalesOrder", complete::complete).summary("Deliver a sales order")
        .description("One transaction: reserved goods leave stock, units become SOLD, revenue and cost are posted.")
        .needs(MOVE_GOODS).body::<Transition>().answers::<SalesOrderWrite>().cache_control("no-store")
        .writes(SALES_ORDER, &[SALE_COMPLETED.code]).without_if_match()
        .problems(&["VERSION_CONFLICT", "ILLEGAL_STATE", "UNIT_UNAVAILABLE", "LIMIT_EXCEEDED", "ACCOUNTING_SETUP_REQUIRED",
            "ACCOUNTING_PERIOD_CLOSED", "ACCOUNTING_CURRENCY_UNSUPPORTED", "ACCOUNTING_AMOUNT_PRECISION"])
        .item_codes(&["ROLE_UNMAPPED", "AMOUNT_PRECISION", "BEFORE_BOOKS", "MONTH_CLOSED"]).reaches(&[STOCK])
        .and_client(Client::new(CLIENT_MOVE_GOODS)),
    Operation::transition("/sales/orders/{id}/cancel", "cancelSalesOrder", cancel::cancel).summary("Cancel a sales order")
        .description("Only before delivery, and while no issued invoice bills the order. Its reservations are released.")
        .needs(CANCEL).body::<ReasonedTransition>().answers::<SalesOrderWrite>().cache_control("no-store")
        .writes(SALES_ORDER, &[SALE_CANCELLED.code]).without_if_match()
        .problems(&["VERSION_CONFLICT", "ILLEGAL_STATE", "UNIT_UNAVAILABLE", "LIMIT_EXCEEDED"])
        .item_codes(&["ORDER_BILLED"]).reaches(&[STOCK])
        .and_client(Client::new(CLIENT_WRITE)),
];
