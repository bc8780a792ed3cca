//! Refusals that several operations share.

use stoa_sdk::{Problem, item};
use stoa_trade::refusal::refuse;

/// Problem codes of accounting, in addition to the platform's own.
#[rustfmt::skip]
pub const CODES: &[(&str, u16, &str)] = &[
    ("ACCOUNTING_SETUP_REQUIRED", 409, "The books of the legal entity lack an account or mapping that the entry needs. Complete the mapping set."),
    ("ACCOUNTING_PERIOD_CLOSED", 409, "The accounting period is closed. Use a later day or reopen the month."),
    ("ACCOUNTING_CURRENCY_UNSUPPORTED", 409, "The books are kept in another currency. Use the currency of the books."),
    ("ACCOUNTING_AMOUNT_PRECISION", 409, "An amount has more decimals than the books allow. Change quantities or prices."),
    ("PAYMENT_ACCOUNT_INVALID", 409, "The money account does not fit the payment method, currency or legal entity. Choose another account."),
];

/// Refuses with an item of the refusal's own code at each pointer, if there is any.
pub fn refuse_at(code: &str, pointers: Vec<String>) -> Result<(), Problem> {
    refuse(code, pointers.into_iter().map(|pointer| item(pointer, code)).collect())
}

/// Refuses what was asked of the record in the path while any of these holds; pairs of a reason's code and whether it does.
///
/// # Errors
/// ILLEGAL_STATE with every reason.
pub fn refuse_while(reasons: &[(&str, bool)]) -> Result<(), Problem> {
    let holding = reasons.iter().filter(|(_, holds)| *holds);
    refuse("ILLEGAL_STATE", holding.map(|(code, _)| item("/path/id", code)).collect())
}
