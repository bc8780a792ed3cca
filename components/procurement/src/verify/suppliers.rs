//! Suppliers: their codes are found in any case (J6), and who has no profile has none of its members.

use stoa_sdk::{Filter, Id};
use stoa_trade::stages::{Batch, NOTHING_LEFT, finding, read_batch};
use stoa_trade::text::key;

use crate::records::supplier::SupplierRow;

/// Rows of a batch: each may carry lists.
const BATCH: u32 = 50;

pub fn verify(after: Option<Id>) -> Batch {
    let Some(page) = read_batch::<SupplierRow>(Filter::default(), after, BATCH) else { return NOTHING_LEFT };
    let mut findings = Vec::new();
    for row in &page.rows {
        if row.code_key != key(&row.code) {
            findings.push(finding("J6", row.id, "The supplier's key is not that of its code."));
        }
        if !row.has_profile && row.clone().with_profile(None) != *row {
            findings.push(finding("supplier-profile", row.id, "A supplier without a profile has members of one."));
        }
    }
    (findings, page.last)
}
