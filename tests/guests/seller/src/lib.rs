//! A module that calls sales' services as finance and the register do: what a test asks for, in one transaction.

use stoa_sdk::{Answer, Call, Manifest, Module, Operation};
use stoa_wire::{Answers, Calls, ITEM_CODES, make_all, sales};

const OPERATIONS: &[Operation] = &[Operation::create("/seller/calls", "callSales", run)
    .summary("Call sales' services")
    .needs(&["seller.call"])
    .body::<Calls>()
    .answers::<Answers>()
    .writes("SELLER_CALL", &[])
    .problems(&[
        "INSUFFICIENT_STOCK",
        "UNIT_UNAVAILABLE",
        "UNIT_COUNT_MISMATCH",
        "CUSTODY_CONFLICT",
        "ILLEGAL_STATE",
        "LIMIT_EXCEEDED",
        "REFERENCE_INVALID",
        "VERSION_CONFLICT",
        "DUPLICATE",
        "ACCOUNTING_SETUP_REQUIRED",
        "ACCOUNTING_CURRENCY_UNSUPPORTED",
        "ACCOUNTING_AMOUNT_PRECISION",
    ])
    .item_codes(ITEM_CODES)];

fn run(call: &Call) -> Answer {
    make_all(call, sales::Call::make)
}

/// The module.
pub struct Seller;

impl Module for Seller {
    const MANIFEST: Manifest = Manifest {
        operations: &[OPERATIONS],
        permissions: &[("seller.call", "Call sales' services.")],
        ..Manifest::new("seller", "1.0.0", "Calls sales' services for the suite.")
    };
}

stoa_sdk::export_module!(Seller);
