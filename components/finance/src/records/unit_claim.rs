//! Which invoice bills a unit: a claimed unit is not billed again while that invoice is valid (FI5 of finance-ledger.md B12).

use stoa_sdk::{Id, collection};

use crate::records::side::Side;

collection! {
    /// `claim_key` is the allocation of a sales order, since a unit that came back is sold again by another, or the unit of a
    /// purchase. `invoice_id` null: free again.
    pub record UnitClaimRow in "unit_claim" {
        side: Side,
        claim_key: Id,
        invoice_id: Option<Id>,
    }
    unique { claim: [side, claim_key] }
    index { [invoice_id] }
}
