//! Customers and suppliers as documents name them.

use stoa_sdk::{Id, Problem};
use stoa_trade::clients::{customers, suppliers};
use stoa_trade::refusal::unusable;

use crate::records::side::Side;

/// Facts about a party that a document needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Party {
    pub is_active: bool,
    /// From which a due date follows.
    pub payment_term_days: Option<u16>,
}

/// The party of this id, if there is one.
pub fn read_party(side: Side, id: Id) -> Option<Party> {
    match side {
        Side::Sales => customers::get([id])
            .get(&id)
            .map(|party| Party { is_active: party.active, payment_term_days: party.payment_term_days }),
        Side::Purchases => suppliers::get([id])
            .get(&id)
            .map(|party| Party { is_active: party.active, payment_term_days: party.payment_term_days }),
    }
}

/// The party that a body names, archived or not: debts outlive an archive.
///
/// # Errors
/// NOT_FOUND at `/partyId`.
pub fn require_party(side: Side, id: Id) -> Result<Party, Problem> {
    read_party(side, id).ok_or_else(|| Problem::reference_missing("/partyId"))
}

/// The party of a new invoice.
///
/// # Errors
/// NOT_FOUND; REFERENCE_INVALID with ARCHIVED at `/partyId`.
pub fn require_active_party(side: Side, id: Id) -> Result<Party, Problem> {
    let party = require_party(side, id)?;
    if party.is_active { Ok(party) } else { Err(unusable("/partyId", "ARCHIVED")) }
}
