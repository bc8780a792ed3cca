//! The operations of supplier returns (finance-ledger.md B8).

mod draft;
mod input;
mod list;
mod ship;

use stoa_sdk::Operation;
use stoa_trade::document::replacement::FullReplacement;
use stoa_trade::document::version::Transition;

use crate::operations::row::{list, posting_problems, posting_reasons, read_lines, write};
use crate::operations::supplier_return::input::SupplierReturnInput;
use crate::operations::supplier_return::list::ListSupplierReturns;
use crate::records::permission::{PURCHASES, SHIP_RETURN};
use crate::records::side::SUPPLIER_RETURN;
use crate::records::supplier_return::{
    ApiSupplierReturn, ApiSupplierReturnHeader, SupplierReturn, SupplierReturnHeader,
};

#[rustfmt::skip]
pub const OPERATIONS: &[Operation] = &[
    list::<ListSupplierReturns, SupplierReturnHeader, ApiSupplierReturnHeader>(PURCHASES,
        Operation::read("/purchases/returns", "listSupplierReturns", list::list)).summary("Supplier returns"),
    write(PURCHASES.write, SUPPLIER_RETURN, Operation::create("/purchases/returns", "createSupplierReturn",
        draft::create)).summary("Draft a supplier return")
        .description("Returns received goods to the supplier, independent of any credit. A draft moves no stock.")
        .body::<SupplierReturnInput>().grows_with("/lines").problems(&["DUPLICATE", "REFERENCE_INVALID"]),
    read_lines::<SupplierReturn, ApiSupplierReturn>(PURCHASES,
        Operation::read("/purchases/returns/{id}", "getSupplierReturn", list::read)).summary("A supplier return"),
    write(PURCHASES.write, SUPPLIER_RETURN, Operation::replace("/purchases/returns/{id}", "replaceSupplierReturn",
        draft::replace)).summary("Replace a draft of a supplier return")
        .description("Full replacement. Number and legal entity must be the current ones.")
        .body::<FullReplacement<SupplierReturnInput>>().grows_with("/lines")
        .problems(&["VERSION_CONFLICT", "ILLEGAL_STATE", "IMMUTABLE_FIELD", "REFERENCE_INVALID", "LIMIT_EXCEEDED"]),
    write(SHIP_RETURN, SUPPLIER_RETURN, Operation::transition("/purchases/returns/{id}/ship", "shipSupplierReturn",
        ship::ship)).summary("Ship goods back to the supplier")
        .description("Quantities leave at the cost of the oldest layers, units at their own cost. The return is final: readmit \
            goods that come back.")
        .body::<Transition>()
        .problems(posting_problems!["VERSION_CONFLICT", "ILLEGAL_STATE", "REFERENCE_INVALID", "LIMIT_EXCEEDED",
            "INSUFFICIENT_STOCK", "UNIT_UNAVAILABLE", "UNIT_COUNT_MISMATCH", "CUSTODY_CONFLICT"])
        .item_codes(posting_reasons!["BEYOND_RECEIVED", "UNITS_DIFFER_FROM_QUANTITY"]).reaches(&["inventory.updated"]),
    write(PURCHASES.write, SUPPLIER_RETURN,
        Operation::transition("/purchases/returns/{id}/cancel", "cancelSupplierReturn", draft::cancel))
        .summary("Cancel a supplier return")
        .description("Rejected unless the return is a DRAFT.")
        .body::<Transition>().problems(&["VERSION_CONFLICT", "ILLEGAL_STATE", "LIMIT_EXCEEDED"]),
];
