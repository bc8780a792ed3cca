//! A module that calls finance's service of tills as the register does, with sales' delivery between its two halves:
//! what a test asks for, in one transaction.

use stoa_sdk::{Answer, Call, Manifest, Module, Operation};
use stoa_wire::{Answers, Calls, ITEM_CODES, finance, make_all};

const OPERATIONS: &[Operation] = &[Operation::create("/teller/calls", "callFinance", run)
    .summary("Call finance's services")
    .needs(&["teller.call"])
    .body::<Calls>()
    .answers::<Answers>()
    .writes("TELLER_CALL", &[])
    .problems(&[
        "INSUFFICIENT_STOCK",
        "UNIT_UNAVAILABLE",
        "ILLEGAL_STATE",
        "LIMIT_EXCEEDED",
        "REFERENCE_INVALID",
        "VERSION_CONFLICT",
        "DUPLICATE",
        "PAYMENT_ACCOUNT_INVALID",
        "ACCOUNTING_SETUP_REQUIRED",
        "ACCOUNTING_PERIOD_CLOSED",
        "ACCOUNTING_CURRENCY_UNSUPPORTED",
        "ACCOUNTING_AMOUNT_PRECISION",
    ])
    .item_codes(ITEM_CODES)];

fn run(call: &Call) -> Answer {
    make_all(call, finance::Call::make)
}

/// The module.
pub struct Teller;

impl Module for Teller {
    const MANIFEST: Manifest = Manifest {
        operations: &[OPERATIONS],
        permissions: &[("teller.call", "Call finance's services.")],
        ..Manifest::new("teller", "1.0.0", "Calls finance's services for the suite.")
    };
}

stoa_sdk::export_module!(Teller);
