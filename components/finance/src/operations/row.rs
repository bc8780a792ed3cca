//! Settings and problem codes that rows of the tables share.

use schemars::JsonSchema;
use stoa_sdk::{Client, Operation, Page};

use crate::records::permission::Rights;
use crate::records::receipt::FinanceReceipt;

/// The codes of an operation that posts an entry: its own, then those of the books.
macro_rules! posting_problems {
    ($($code:literal),+ $(,)?) => {
        &[
            $($code,)+
            "ARCHIVED",
            "ACCOUNTING_SETUP_REQUIRED",
            "ACCOUNTING_PERIOD_CLOSED",
            "ACCOUNTING_CURRENCY_UNSUPPORTED",
            "ACCOUNTING_AMOUNT_PRECISION",
        ]
    };
}

pub(crate) use posting_problems;

/// The item codes of an operation that posts an entry: its own, then those of the books.
macro_rules! posting_reasons {
    ($($code:literal),* $(,)?) => {
        &[$($code,)* "BEFORE_BOOKS", "MONTH_CLOSED", "ROLE_UNMAPPED"]
    };
}

/// The item codes of an operation that voids a document or reverses it: its own, then those of the books.
macro_rules! undo_reasons {
    ($($code:literal),* $(,)?) => {
        &[$($code,)* "BEFORE_BOOKS", "DATE_BEFORE_DOCUMENT", "DATE_BEFORE_ORIGINAL", "MONTH_CLOSED"]
    };
}

pub(crate) use posting_reasons;
pub(crate) use undo_reasons;

/// Codes of an operation that voids a document or reverses it.
pub const UNDO_PROBLEMS: &[&str] =
    &["VERSION_CONFLICT", "ILLEGAL_STATE", "LIMIT_EXCEEDED", "ARCHIVED", "ACCOUNTING_PERIOD_CLOSED"];

/// A list, for people and API clients.
pub const fn list<Q: JsonSchema, P: JsonSchema, C: JsonSchema>(rights: Rights, operation: Operation) -> Operation {
    let client = Client::new(rights.read).answers::<Page<C>>();
    operation.needs(rights.read).query::<Q>().answers::<Page<P>>().cache_control("no-store").and_client(client)
}

/// A read of one document, for people and API clients.
pub const fn read<P: JsonSchema, C: JsonSchema>(rights: Rights, operation: Operation) -> Operation {
    let client = Client::new(rights.read).answers::<C>();
    operation.needs(rights.read).answers::<P>().cache_control("no-store").and_client(client)
}

/// A read of one document with its lines; people may see the serial units on them.
pub const fn read_lines<P: JsonSchema, C: JsonSchema>(rights: Rights, operation: Operation) -> Operation {
    let client = Client::new(rights.read).answers::<C>().description("");
    read::<P, C>(rights, operation)
        .description(
            "Members `units` with serial numbers and states are present only for callers with \
            `inventory.serials.read`.",
        )
        .discloses_identifiers()
        .and_client(client)
}

/// A write of a document, which answers its receipt.
pub const fn write(needs: &'static [&'static str], audit: &'static str, operation: Operation) -> Operation {
    operation.needs(needs).answers::<FinanceReceipt>().cache_control("no-store").writes(audit, &[]).without_if_match()
}
