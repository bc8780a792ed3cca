//! The ledger that keeps each identity for one unit of the company for ever.

use stoa_sdk::store::Clash;
use stoa_sdk::{Id, Instant, Item, Problem, item, new_ids};

use crate::records::unit::UnitIdentityRow;
use stoa_trade::unit_identity::{UnitInput, key, kind};

/// The identities of new units, for the ledger that keeps each of them for ever.
pub struct NewIdentities {
    pub rows: Vec<UnitIdentityRow>,
    /// For each row, the place of its unit in the request.
    pointers: Vec<String>,
}

impl NewIdentities {
    /// Identities of these units, in their order; `pointers` of each.
    pub fn new<'a>(units: impl IntoIterator<Item = (Id, &'a UnitInput)>, pointers: &[String]) -> NewIdentities {
        let units: Vec<(Id, &UnitInput)> = units.into_iter().collect();
        let count: usize = units.iter().map(|(_, unit)| unit.identities().count()).sum();
        let mut ids = new_ids(u32::try_from(count).unwrap_or(u32::MAX)).into_iter();
        let mut new = NewIdentities { rows: Vec::new(), pointers: Vec::new() };
        for ((unit_id, unit), pointer) in units.into_iter().zip(pointers) {
            for ((slot, value), id) in unit.identities().zip(ids.by_ref()) {
                let (created_at, updated_at) = (Instant(0), Instant(0));
                let (kind, value_key) = (kind(slot), key(value));
                new.rows.push(UnitIdentityRow { id, created_at, updated_at, kind, value_key, slot, unit_id });
                new.pointers.push(pointer.clone());
            }
        }
        new
    }

    /// 409 at every unit of which an identity is taken.
    pub fn refuse_taken(&self, clashes: &[Clash]) -> Problem {
        // An identity is the only one of these keys that another row may hold.
        let row = |clash: &Clash| self.pointers.get(usize::try_from(clash.row).ok()?);
        let mut errors: Vec<Item> = Vec::new();
        for pointer in clashes.iter().filter_map(row) {
            if errors.last().is_none_or(|last| last.pointer != *pointer) {
                errors.push(item(pointer.clone(), "DUPLICATE"));
            }
        }
        errors.truncate(200);
        Problem { code: "DUPLICATE".to_owned(), errors }
    }
}
