//! Entries of the books by role, on the day of the request: the modules state source and legs, and the ledger finds the
//! accounts.

use stoa_sdk::{Id, Problem};

use crate::clients::books::{self, Leg, Posting, Side, Target};
use crate::quantity::Amount;

/// Source and purpose of an entry: one entry for each, for ever.
#[derive(Debug, Clone, Copy)]
pub struct EntrySource {
    /// Kind of the source, such as `STOCK_COUNT`.
    pub kind: &'static str,
    /// Id of the source.
    pub id: Id,
    /// Purpose of the entry.
    pub purpose: &'static str,
}

/// A leg on the account of a role, of a branch.
pub fn new_role_leg(role: &str, side: Side, amount: Amount, branch: Option<Id>) -> Leg {
    Leg {
        target: Target::Role(role.to_owned()),
        side,
        amount: amount.to_string(),
        party: None,
        branch: branch.map(Into::into),
        pointer: None,
    }
}

/// Posts an entry on the day of the request; nothing without legs. `currency`: its code, and the pointer where a body
/// states it.
///
/// # Errors
/// ACCOUNTING_SETUP_REQUIRED, ACCOUNTING_PERIOD_CLOSED, ACCOUNTING_CURRENCY_UNSUPPORTED, ACCOUNTING_AMOUNT_PRECISION.
pub fn post_today(
    entity: Id,
    currency: (&str, Option<&str>),
    source: EntrySource,
    text: &str,
    legs: Vec<Leg>,
) -> Result<(), Problem> {
    if legs.is_empty() {
        return Ok(());
    }
    books::post(&Posting {
        entity: entity.into(),
        currency_code: currency.0.to_owned(),
        currency_pointer: currency.1.map(str::to_owned),
        on: None,
        on_pointer: None,
        source_kind: source.kind.to_owned(),
        source_id: source.id.into(),
        purpose: source.purpose.to_owned(),
        text: text.to_owned(),
        legs,
    })
    .map(|_| ())
}
