//! The operations of sales orders (sales-pos.md 5.3).

mod cancel;
mod complete;
mod confirm;
mod create;
mod exchange;
mod input;
mod list;
mod read;
mod refresh;
mod replace;

use stoa_sdk::{Client, Operation, Page};
use stoa_trade::document::version::{ReasonedTransition, Transition};

use crate::operations::order::input::{
    ConfirmSalesOrder, ConfirmSalesOrderAsClient, ExchangeUnit, SalesOrderInput, SalesOrderUpdate,
};
use crate::operations::order::list::ListSalesOrders;
use crate::records::order::{
    ApiSalesOrder, ApiSalesOrderHeader, SALE_CANCELLED, SALE_COMPLETED, SALE_CONFIRMED, SALE_CREATED, SALE_UPDATED,
    SALES_ORDER, SalesOrder, SalesOrderHeader, SalesOrderWrite,
};
use crate::records::permission::{
    CANCEL, CLIENT_CONFIRM, CLIENT_DRAFT, CLIENT_MOVE_GOODS, CLIENT_READ_ORDER, CLIENT_WRITE, CONFIRM, DRAFT,
    MOVE_GOODS, READ,
};

#[rustfmt::skip]
pub const OPERATIONS: &[Operation] = &[
    Operation::read("/sales/orders", "listSalesOrders", list::list).summary("Sales orders")
        .needs(READ).query::<ListSalesOrders>().answers::<Page<SalesOrderHeader>>().cache_control("no-store")
        .and_client(Client::new(READ, list::list_as_client).answers::<Page<ApiSalesOrderHeader>>()),
    Operation::create("/sales/orders", "createSalesOrder", create::create).summary("Draft a sales order")
        .description("Lines are priced at the list's prices in effect; every line needs one, agreed or not. A draft holds nothing. \
            A variant stands on one line: add its quantities up, or write a second order where prices differ.")
        .needs(DRAFT).body::<SalesOrderInput>().grows_with("/items").answers::<SalesOrderWrite>().cache_control("no-store")
        .writes(SALES_ORDER, &[SALE_CREATED.code])
        .problems(&["DUPLICATE", "REFERENCE_INVALID", "PRICE_NOT_EXACT", "DISCOUNT_EXCEEDS_PRICE", "UNIT_COUNT_MISMATCH",
            "LIMIT_EXCEEDED"])
        .and_client(Client::new(CLIENT_DRAFT, create::create_as_client)
            .description("Of public price lists and published products. API clients name no units: a person chooses them.")),
    Operation::read("/sales/orders/{id}", "getSalesOrder", read::read).summary("A sales order")
        .description("`units` show serial numbers and states only to readers of serial numbers.")
        .needs(READ).answers::<SalesOrder>().discloses_identifiers().cache_control("no-store")
        .and_client(Client::any_of(CLIENT_READ_ORDER, read::read_as_client).answers::<ApiSalesOrder>().description("")),
    Operation::replace("/sales/orders/{id}", "replaceSalesOrder", replace::replace).summary("Replace a draft")
        .description("Full replacement, priced now; number and legal entity must be the stored ones. A line whose variant comes back \
            has its id again; one at the price that was quoted keeps its origin.")
        .needs(DRAFT).body::<SalesOrderUpdate>().grows_with("/items").answers::<SalesOrderWrite>().cache_control("no-store")
        .writes(SALES_ORDER, &[SALE_UPDATED.code]).without_if_match()
        .problems(&["VERSION_CONFLICT", "ILLEGAL_STATE", "IMMUTABLE_FIELD", "REFERENCE_INVALID", "PRICE_NOT_EXACT",
            "DISCOUNT_EXCEEDS_PRICE", "UNIT_COUNT_MISMATCH", "LIMIT_EXCEEDED"])
        .and_client(Client::new(CLIENT_DRAFT, replace::replace_as_client)
            .description("Units that people chose for a variant that stays are kept, as far as they fit.")),
    Operation::transition("/sales/orders/{id}/refresh-prices", "refreshSalesOrderPrices", refresh::refresh)
        .summary("Price a draft anew")
        .description("The list's part of every line is what the list asks now; what was agreed stays. Always a change.")
        .needs(DRAFT).body::<Transition>().answers::<SalesOrderWrite>().cache_control("no-store")
        .writes(SALES_ORDER, &[SALE_UPDATED.code]).without_if_match()
        .problems(&["VERSION_CONFLICT", "ILLEGAL_STATE", "ARCHIVED", "REFERENCE_INVALID", "LIMIT_EXCEEDED"])
        .and_client(Client::new(CLIENT_DRAFT, refresh::refresh)),
    Operation::transition("/sales/orders/{id}/confirm", "confirmSalesOrder", confirm::confirm).summary("Confirm a sales order")
        .description("Prices are refreshed a last time and fixed, goods and chosen units are held, all or nothing. A serialized line \
            needs as many units as its quantity; none is ever picked by the service.")
        .needs(CONFIRM).body::<ConfirmSalesOrder>().answers::<SalesOrderWrite>().cache_control("no-store")
        .writes(SALES_ORDER, &[SALE_CONFIRMED.code]).without_if_match()
        .problems(&["VERSION_CONFLICT", "ILLEGAL_STATE", "ARCHIVED", "REFERENCE_INVALID", "TOTAL_CHANGED", "UNIT_COUNT_MISMATCH",
            "UNIT_UNAVAILABLE", "INSUFFICIENT_STOCK", "CUSTODY_CONFLICT", "LIMIT_EXCEEDED", "ACCOUNTING_SETUP_REQUIRED",
            "ACCOUNTING_CURRENCY_UNSUPPORTED", "ACCOUNTING_AMOUNT_PRECISION"])
        .and_client(Client::new(CLIENT_CONFIRM, confirm::confirm_as_client).body::<ConfirmSalesOrderAsClient>()),
    Operation::transition("/sales/orders/{id}/exchange-unit", "exchangeSalesOrderUnit", exchange::exchange)
        .summary("Exchange a unit of a confirmed order")
        .description("Another box left the shelf: one unit is let go, another is held for the same line. No price moves.")
        .needs(MOVE_GOODS).body::<ExchangeUnit>().answers::<SalesOrderWrite>().cache_control("no-store")
        .writes(SALES_ORDER, &[]).without_if_match()
        .problems(&["VERSION_CONFLICT", "ILLEGAL_STATE", "REFERENCE_INVALID", "UNIT_UNAVAILABLE", "CUSTODY_CONFLICT",
            "LIMIT_EXCEEDED"]),
    Operation::transition("/sales/orders/{id}/complete", "completeSalesOrder", complete::complete).summary("Deliver a sales order")
        .description("Everything at once: what is held leaves stock, units are SOLD, revenue and cost are posted.")
        .needs(MOVE_GOODS).body::<Transition>().answers::<SalesOrderWrite>().cache_control("no-store")
        .writes(SALES_ORDER, &[SALE_COMPLETED.code]).without_if_match()
        .problems(&["VERSION_CONFLICT", "ILLEGAL_STATE", "UNIT_UNAVAILABLE", "LIMIT_EXCEEDED", "ACCOUNTING_SETUP_REQUIRED",
            "ACCOUNTING_PERIOD_CLOSED", "ACCOUNTING_CURRENCY_UNSUPPORTED", "ACCOUNTING_AMOUNT_PRECISION"])
        .and_client(Client::new(CLIENT_MOVE_GOODS, complete::complete)),
    Operation::transition("/sales/orders/{id}/cancel", "cancelSalesOrder", cancel::cancel).summary("Cancel a sales order")
        .description("Before it is delivered, and while no issued invoice bills it. What it holds is let go.")
        .needs(CANCEL).body::<ReasonedTransition>().answers::<SalesOrderWrite>().cache_control("no-store")
        .writes(SALES_ORDER, &[SALE_CANCELLED.code]).without_if_match()
        .problems(&["VERSION_CONFLICT", "ILLEGAL_STATE", "UNIT_UNAVAILABLE", "LIMIT_EXCEEDED"])
        .and_client(Client::new(CLIENT_WRITE, cancel::cancel)),
];
