//! The operations of customer returns: the one way by which goods that were sold come back (sales-pos.md 6).

mod cancel;
mod draft;
mod input;
mod list;
mod receive;
mod references;

use stoa_sdk::{Client, Operation, Page};
use stoa_trade::document::replacement::FullReplacement;
use stoa_trade::document::version::Transition;

use crate::operations::customer_return::input::SalesReturnInput;
use crate::operations::customer_return::list::ListSalesReturns;
use crate::records::customer_return::{
    ApiSalesReturn, ApiSalesReturnHeader, CUSTOMER_RETURN, SalesReturn, SalesReturnDraftWrite, SalesReturnHeader,
    SalesReturnWrite,
};
use crate::records::permission::{CLIENT_MOVE_GOODS, CLIENT_WRITE, CREATE, MOVE_GOODS, READ};

#[rustfmt::skip]
pub const OPERATIONS: &[Operation] = &[
    Operation::read("/sales/returns", "listSalesReturns", list::list).summary("Customer returns")
        .needs(READ).query::<ListSalesReturns>().answers::<Page<SalesReturnHeader>>().cache_control("no-store")
        .and_client(Client::new(READ).answers::<Page<ApiSalesReturnHeader>>()),
    Operation::create("/sales/returns", "createSalesReturn", draft::create).summary("Draft a customer return")
        .description("Return of goods of a COMPLETED order. It moves stock only and is independent of any credit. A return has \
            one line for each order line and disposition.")
        .needs(CREATE).body::<SalesReturnInput>().grows_with("/items").answers::<SalesReturnDraftWrite>().cache_control("no-store")
        .writes(CUSTOMER_RETURN, &[])
        .problems(&["ILLEGAL_STATE", "REFERENCE_INVALID", "UNIT_COUNT_MISMATCH", "LIMIT_EXCEEDED"])
        .item_codes(&["OTHER_ENTITY", "OTHER_WAREHOUSE", "OTHER_VARIANT", "UNITS_DIFFER_FROM_QUANTITY"])
        .and_client(Client::new(CLIENT_WRITE)
            .description("API clients cannot choose units: a serialized line includes all units that were delivered and not \
                yet returned.")),
    Operation::read("/sales/returns/{id}", "getSalesReturn", list::read).summary("A customer return")
        .description("Members `units` with serial numbers and states are present only for callers with \
            `inventory.serials.read`.")
        .needs(READ).answers::<SalesReturn>().discloses_identifiers().cache_control("no-store")
        .and_client(Client::new(READ).answers::<ApiSalesReturn>().description("")),
    Operation::replace("/sales/returns/{id}", "replaceSalesReturn", draft::replace)
        .summary("Replace a draft of a customer return")
        .description("Full replacement. The order must be the current one.")
        .needs(CREATE).body::<FullReplacement<SalesReturnInput>>().grows_with("/items").answers::<SalesReturnDraftWrite>().cache_control("no-store")
        .writes(CUSTOMER_RETURN, &[]).without_if_match()
        .problems(&["VERSION_CONFLICT", "ILLEGAL_STATE", "IMMUTABLE_FIELD", "REFERENCE_INVALID", "UNIT_COUNT_MISMATCH",
            "LIMIT_EXCEEDED"])
        .item_codes(&["OTHER_ENTITY", "OTHER_WAREHOUSE", "OTHER_VARIANT", "UNITS_DIFFER_FROM_QUANTITY"])
        .and_client(Client::new(CLIENT_WRITE)
            .description("Units that a user chose for a line that remains are kept, up to the new quantity.")),
    Operation::transition("/sales/returns/{id}/receive", "receiveSalesReturn", receive::receive).summary("Receive a customer return")
        .description("Goods return at the cost at which they left. Version and status of the order do not change.")
        .needs(MOVE_GOODS).body::<Transition>().answers::<SalesReturnWrite>().cache_control("no-store")
        .writes(CUSTOMER_RETURN, &[]).without_if_match()
        .problems(&["VERSION_CONFLICT", "ILLEGAL_STATE", "LIMIT_EXCEEDED", "UNIT_COUNT_MISMATCH", "UNIT_UNAVAILABLE",
            "CUSTODY_CONFLICT", "REFERENCE_INVALID", "ARCHIVED", "ACCOUNTING_SETUP_REQUIRED", "ACCOUNTING_PERIOD_CLOSED",
            "ACCOUNTING_CURRENCY_UNSUPPORTED", "ACCOUNTING_AMOUNT_PRECISION"])
        .item_codes(&["OTHER_WAREHOUSE", "BEYOND_DELIVERED", "UNITS_DIFFER_FROM_QUANTITY", "ROLE_UNMAPPED", "AMOUNT_PRECISION",
            "BEFORE_BOOKS", "MONTH_CLOSED"])
        .reaches(&["inventory.updated"])
        .and_client(Client::new(CLIENT_MOVE_GOODS)),
    Operation::transition("/sales/returns/{id}/cancel", "cancelSalesReturn", cancel::cancel).summary("Cancel a customer return")
        .description("Rejected unless the return is a DRAFT.")
        .needs(CREATE).body::<Transition>().answers::<SalesReturnWrite>().cache_control("no-store")
        .writes(CUSTOMER_RETURN, &[]).without_if_match().problems(&["VERSION_CONFLICT", "ILLEGAL_STATE", "LIMIT_EXCEEDED"])
        .and_client(Client::new(CLIENT_WRITE)),
];
