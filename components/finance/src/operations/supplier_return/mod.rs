//! The operations of supplier returns (finance-ledger.md B8).

mod draft;
mod input;
mod list;
mod ship;

use stoa_sdk::{Client, Operation, Page};
use stoa_trade::document::version::Transition;

use crate::operations::supplier_return::input::{SupplierReturnInput, SupplierReturnUpdate};
use crate::operations::supplier_return::list::ListSupplierReturns;
use crate::records::permission::{PURCHASES, SHIP_RETURN};
use crate::records::receipt::FinanceReceipt;
use crate::records::side::SUPPLIER_RETURN;
use crate::records::supplier_return::{
    ApiSupplierReturn, ApiSupplierReturnHeader, SupplierReturn, SupplierReturnHeader,
};

#[rustfmt::skip]
pub const OPERATIONS: &[Operation] = &[
    Operation::read("/purchases/returns", "listSupplierReturns", list::list).summary("Supplier returns")
        .needs(PURCHASES.read).query::<ListSupplierReturns>().answers::<Page<SupplierReturnHeader>>().cache_control("no-store")
        .and_client(Client::new(PURCHASES.read).run(list::list_as_client).answers::<Page<ApiSupplierReturnHeader>>()),
    Operation::create("/purchases/returns", "createSupplierReturn", draft::create).summary("Draft a supplier return")
        .description("Returns received goods to the supplier, independent of any credit. A draft moves no stock.")
        .needs(PURCHASES.write).body::<SupplierReturnInput>().grows_with("/lines").answers::<FinanceReceipt>().cache_control("no-store")
        .writes(SUPPLIER_RETURN, &[]).problems(&["DUPLICATE", "REFERENCE_INVALID"]),
    Operation::read("/purchases/returns/{id}", "getSupplierReturn", list::read).summary("A supplier return")
        .description("Members `units` with serial numbers and states are present only for callers with \
            `inventory.serials.read`.")
        .needs(PURCHASES.read).answers::<SupplierReturn>().discloses_identifiers().cache_control("no-store")
        .and_client(Client::new(PURCHASES.read).run(list::read_as_client).answers::<ApiSupplierReturn>().description("")),
    Operation::replace("/purchases/returns/{id}", "replaceSupplierReturn", draft::replace).summary("Replace a draft")
        .description("Full replacement. Number and legal entity must be the current ones.")
        .needs(PURCHASES.write).body::<SupplierReturnUpdate>().grows_with("/lines").answers::<FinanceReceipt>().cache_control("no-store")
        .writes(SUPPLIER_RETURN, &[]).without_if_match()
        .problems(&["VERSION_CONFLICT", "ILLEGAL_STATE", "IMMUTABLE_FIELD", "REFERENCE_INVALID", "LIMIT_EXCEEDED"]),
    Operation::transition("/purchases/returns/{id}/ship", "shipSupplierReturn", ship::ship).summary("Ship goods back to the \
        supplier")
        .description("Quantities leave at the cost of the oldest layers, units at their own cost. The return is final: readmit \
            goods that come back.")
        .needs(SHIP_RETURN).body::<Transition>().answers::<FinanceReceipt>().cache_control("no-store")
        .writes(SUPPLIER_RETURN, &[]).without_if_match()
        .problems(&["VERSION_CONFLICT", "ILLEGAL_STATE", "REFERENCE_INVALID", "LIMIT_EXCEEDED", "INSUFFICIENT_STOCK",
            "UNIT_UNAVAILABLE", "UNIT_COUNT_MISMATCH", "CUSTODY_CONFLICT", "ARCHIVED", "ACCOUNTING_SETUP_REQUIRED",
            "ACCOUNTING_PERIOD_CLOSED", "ACCOUNTING_CURRENCY_UNSUPPORTED", "ACCOUNTING_AMOUNT_PRECISION"]),
    Operation::transition("/purchases/returns/{id}/cancel", "cancelSupplierReturn", draft::cancel).summary("Cancel a supplier return")
        .description("Only a DRAFT.")
        .needs(PURCHASES.write).body::<Transition>().answers::<FinanceReceipt>().cache_control("no-store")
        .writes(SUPPLIER_RETURN, &[]).without_if_match().problems(&["VERSION_CONFLICT", "ILLEGAL_STATE", "LIMIT_EXCEEDED"]),
];
