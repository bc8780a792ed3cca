//! A module that calls procurement's services as finance does: what a test asks for, in one transaction.

use stoa_sdk::{Answer, Call, Manifest, Module, Operation};
use stoa_wire::{Answers, Calls, ITEM_CODES, make_all, procurement};

const OPERATIONS: &[Operation] = &[Operation::create("/clerk/calls", "callProcurement", run)
    .summary("Call procurement's services")
    .needs(&["clerk.call"])
    .body::<Calls>()
    .answers::<Answers>()
    .writes("CLERK_CALL", &[])
    .problems(&[
        "ACCOUNTING_AMOUNT_PRECISION",
        "ACCOUNTING_CURRENCY_UNSUPPORTED",
        "ACCOUNTING_PERIOD_CLOSED",
        "ACCOUNTING_SETUP_REQUIRED",
        "ARCHIVED",
        "CUSTODY_CONFLICT",
        "DUPLICATE",
        "ILLEGAL_STATE",
        "LIMIT_EXCEEDED",
        "REFERENCE_INVALID",
        "UNIT_CONDITION_MISMATCH",
        "UNIT_CONDITION_REQUIRED",
        "UNIT_COUNT_MISMATCH",
        "VERSION_CONFLICT",
    ])
    .item_codes(ITEM_CODES)];

fn run(call: &Call) -> Answer {
    make_all(call, procurement::Call::make)
}

/// The module.
pub struct Clerk;

impl Module for Clerk {
    const MANIFEST: Manifest = Manifest {
        operations: &[OPERATIONS],
        permissions: &[("clerk.call", "Call procurement's services.")],
        ..Manifest::new("clerk", "1.0.0", "Calls procurement's services for the suite.")
    };
}

stoa_sdk::export_module!(Clerk);
