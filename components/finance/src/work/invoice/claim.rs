//! Claims of serial units: each is billed by one valid invoice, kept by a row that is free or names it. A request that
//! claims holds the units' order.

use std::collections::BTreeMap;

use stoa_sdk::store::{Find, Update, find, update_all};
use stoa_sdk::{Field, Id, new_id};
use stoa_trade::new_record;

use crate::records::side::Side;
use crate::records::unit_claim::UnitClaimRow;

/// Asks for the claims of these keys; an empty list needs no query.
pub fn find_claims(side: Side, keys: &[Id]) -> Option<Find<UnitClaimRow>> {
    let rows = keys.iter().map(|claim| vec![side.put(), claim.put()]);
    (!keys.is_empty()).then(|| find("claim", rows))
}

/// Takes claims for an invoice: rows that are there, and those that are missing.
pub fn take_claims(
    side: Side,
    keys: &[Id],
    there: &BTreeMap<Id, UnitClaimRow>,
    invoice: Id,
) -> (Update<UnitClaimRow>, Vec<UnitClaimRow>) {
    let free = keys.iter().filter_map(|claim| there.get(claim)).map(|row| row.id);
    let taken = update_all::<UnitClaimRow>(free)
        .set(UnitClaimRow::invoice_id, &Some(invoice))
        .when(UnitClaimRow::invoice_id.is_null());
    let row =
        |claim: &Id| new_record!(UnitClaimRow { id: new_id(), side, claim_key: *claim, invoice_id: Some(invoice) });
    (taken, keys.iter().filter(|claim| !there.contains_key(claim)).map(row).collect())
}

/// Frees what an invoice claimed.
pub fn free_claims(rows: &[UnitClaimRow]) -> Update<UnitClaimRow> {
    update_all::<UnitClaimRow>(rows.iter().map(|row| row.id)).set(UnitClaimRow::invoice_id, &None)
}
