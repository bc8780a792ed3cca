//! A module that calls inventory's services as procurement, sales and finance do: what a test asks for, in one transaction.

use stoa_sdk::{Answer, Call, Manifest, Module, Operation};
use stoa_wire::{Answers, Calls, ITEM_CODES, inventory, make_all};

const PROBLEMS: &[&str] = &[
    "INSUFFICIENT_STOCK",
    "UNIT_UNAVAILABLE",
    "UNIT_COUNT_MISMATCH",
    "UNIT_CONDITION_REQUIRED",
    "UNIT_CONDITION_MISMATCH",
    "CUSTODY_CONFLICT",
    "ILLEGAL_STATE",
    "LIMIT_EXCEEDED",
    "REFERENCE_INVALID",
    "DUPLICATE",
    "PERMISSION_DENIED",
    "VALUATION_COST_REQUIRED",
    "ACCOUNTING_AMOUNT_PRECISION",
];

const OPERATIONS: &[Operation] = &[
    Operation::create("/porter/calls", "callInventory", run)
        .summary("Call inventory's services")
        .needs(&["porter.call"])
        .body::<Calls>()
        .answers::<Answers>()
        .body_limit(16 << 20)
        .writes("PORTER_CALL", &[])
        .problems(PROBLEMS)
        .item_codes(ITEM_CODES),
    // A larger body brings larger limits of memory and of what one call of the store may carry.
    Operation::create("/porter/small-calls", "callInventoryWithOrdinaryLimits", run)
        .summary("Call inventory's services with the limits of ordinary operations")
        .needs(&["porter.call"])
        .body::<Calls>()
        .answers::<Answers>()
        .writes("PORTER_CALL", &[])
        .problems(PROBLEMS)
        .item_codes(ITEM_CODES),
];

fn run(call: &Call) -> Answer {
    make_all(call, inventory::Call::make)
}

/// The module.
pub struct Porter;

impl Module for Porter {
    const MANIFEST: Manifest = Manifest {
        operations: &[OPERATIONS],
        permissions: &[("porter.call", "Call inventory's services.")],
        ..Manifest::new("porter", "1.0.0", "Calls inventory's services for the suite.")
    };
}

stoa_sdk::export_module!(Porter);
