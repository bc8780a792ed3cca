//! Amount left of a payment or a credit. It has a row from the day it is posted, next to the document whose version only its own
//! operations raise.

use stoa_sdk::{Id, collection};
use stoa_trade::quantity::Money;

use crate::records::side::Side;

collection! {
    /// `source_id` is a payment or a credit. `available` is what invoices and refunds may still take: nothing of what
    /// the register collected, nor of what is void or reversed.
    pub projection FundsRow in "funds" {
        source_id: Id,
        side: Side,
        legal_entity_id: Id,
        party_id: Id,
        currency_code: String,
        applied: Money,
        refunded: Money,
        available: Money,
    }
    unique { source: [source_id] }
    index { [side, legal_entity_id, currency_code], [side, party_id], [side, updated_at] }
    checks { applied: [applied >= 0], refunded: [refunded >= 0], available: [available >= 0] }
    lock_order [source_id]
    counters [applied, refunded, available]
}
