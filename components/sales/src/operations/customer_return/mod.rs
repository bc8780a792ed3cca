//! The operations of customer returns: the one way by which goods that were sold come back (sales-pos.md 6).

mod cancel;
mod draft;
mod input;
mod list;
mod receive;
mod references;

use stoa_sdk::{Client, Operation, Page};
use stoa_trade::document::version::Transition;

use crate::operations::customer_return::input::{SalesReturnInput, SalesReturnUpdate};
use crate::operations::customer_return::list::ListSalesReturns;
use crate::records::customer_return::{
    ApiSalesReturn, ApiSalesReturnHeader, CUSTOMER_RETURN, SalesReturn, SalesReturnHeader, SalesReturnWrite,
};
use crate::records::permission::{CLIENT_MOVE_GOODS, CLIENT_WRITE, CREATE, MOVE_GOODS, READ};

#[rustfmt::skip]
pub const OPERATIONS: &[Operation] = &[
    Operation::read("/sales/returns", "listSalesReturns", list::list).summary("Customer returns")
        .needs(READ).query::<ListSalesReturns>().answers::<Page<SalesReturnHeader>>().cache_control("no-store")
        .and_client(Client::new(READ, list::list_as_client).answers::<Page<ApiSalesReturnHeader>>()),
    Operation::create("/sales/returns", "createSalesReturn", draft::create).summary("Draft a customer return")
        .description("Of a completed order; physical only, independent of any credit. One line per line of the order and disposition.")
        .needs(CREATE).body::<SalesReturnInput>().grows_with("/items").answers::<SalesReturnWrite>().cache_control("no-store")
        .writes(CUSTOMER_RETURN, &[])
        .problems(&["ILLEGAL_STATE", "REFERENCE_INVALID", "UNIT_COUNT_MISMATCH", "LIMIT_EXCEEDED"])
        .and_client(Client::new(CLIENT_WRITE, draft::create_as_client)
            .description("API clients name no units: a serialized line takes all that was delivered and not returned.")),
    Operation::read("/sales/returns/{id}", "getSalesReturn", list::read).summary("A customer return")
        .description("`units` show serial numbers and states only to readers of serial numbers.")
        .needs(READ).answers::<SalesReturn>().discloses_identifiers().cache_control("no-store")
        .and_client(Client::new(READ, list::read_as_client).answers::<ApiSalesReturn>().description("")),
    Operation::replace("/sales/returns/{id}", "replaceSalesReturn", draft::replace).summary("Replace a draft")
        .description("Full replacement; the order must be the stored one.")
        .needs(CREATE).body::<SalesReturnUpdate>().grows_with("/items").answers::<SalesReturnWrite>().cache_control("no-store")
        .writes(CUSTOMER_RETURN, &[]).without_if_match()
        .problems(&["VERSION_CONFLICT", "ILLEGAL_STATE", "IMMUTABLE_FIELD", "REFERENCE_INVALID", "UNIT_COUNT_MISMATCH",
            "LIMIT_EXCEEDED"])
        .and_client(Client::new(CLIENT_WRITE, draft::replace_as_client)
            .description("Units that people named for a line that stays are kept, as far as they fit.")),
    Operation::transition("/sales/returns/{id}/receive", "receiveSalesReturn", receive::receive).summary("Receive a customer return")
        .description("Goods come back at what they cost when they left. Version and status of the order stay.")
        .needs(MOVE_GOODS).body::<Transition>().answers::<SalesReturnWrite>().cache_control("no-store")
        .writes(CUSTOMER_RETURN, &[]).without_if_match()
        .problems(&["VERSION_CONFLICT", "ILLEGAL_STATE", "LIMIT_EXCEEDED", "UNIT_COUNT_MISMATCH", "UNIT_UNAVAILABLE",
            "CUSTODY_CONFLICT", "REFERENCE_INVALID", "ARCHIVED", "ACCOUNTING_SETUP_REQUIRED", "ACCOUNTING_PERIOD_CLOSED",
            "ACCOUNTING_CURRENCY_UNSUPPORTED", "ACCOUNTING_AMOUNT_PRECISION"])
        .and_client(Client::new(CLIENT_MOVE_GOODS, receive::receive)),
    Operation::transition("/sales/returns/{id}/cancel", "cancelSalesReturn", cancel::cancel).summary("Cancel a customer return")
        .description("Of a draft.")
        .needs(CREATE).body::<Transition>().answers::<SalesReturnWrite>().cache_control("no-store")
        .writes(CUSTOMER_RETURN, &[]).without_if_match().problems(&["VERSION_CONFLICT", "ILLEGAL_STATE", "LIMIT_EXCEEDED"])
        .and_client(Client::new(CLIENT_WRITE, cancel::cancel)),
];
