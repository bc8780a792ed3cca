//! A module that calls the ledger's services as a test asks: several calls of one request are one transaction, as those of a
//! document's module are.

use stoa_sdk::{Answer, Call, Manifest, Module, Operation};
use stoa_wire::{Answers, Calls, ITEM_CODES, ledger, make_all};

const OPERATIONS: &[Operation] = &[Operation::transition("/poster/calls", "callLedger", run)
    .summary("Call the ledger's services")
    .without_if_match()
    .needs(&["poster.write"])
    .body::<Calls>()
    .answers::<Answers>()
    .writes("POSTER", &[])
    .problems(&[
        "ACCOUNTING_SETUP_REQUIRED",
        "ACCOUNTING_PERIOD_CLOSED",
        "ACCOUNTING_CURRENCY_UNSUPPORTED",
        "ACCOUNTING_AMOUNT_PRECISION",
        "PAYMENT_ACCOUNT_INVALID",
        "REFERENCE_INVALID",
        "ILLEGAL_STATE",
        "ARCHIVED",
        "DUPLICATE",
        "LIMIT_EXCEEDED",
        "VERSION_CONFLICT",
    ])
    .item_codes(ITEM_CODES)];

fn run(call: &Call) -> Answer {
    make_all(call, ledger::Call::make)
}

/// The module.
pub struct Poster;

impl Module for Poster {
    const MANIFEST: Manifest = Manifest {
        operations: &[OPERATIONS],
        permissions: &[("poster.write", "Call the ledger.")],
        ..Manifest::new("poster", env!("CARGO_PKG_VERSION"), "Calls the ledger's services.")
    };
}

stoa_sdk::export_module!(Poster);
