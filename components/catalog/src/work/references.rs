//! Reading what products name: their units, held against changes, and their lookups.

use stoa_sdk::store::{Find, GetAll, Lock, MOST_KEYS, find, get_all, lock_all_shared};
use stoa_sdk::{Field, Id, set};

use crate::records::lookup::{Kind, LookupHead, UnitHead, unit_lock};
use crate::rules::objections::references;
use crate::rules::product::ProductInput;

/// The batch that holds the units and reads what the products name.
pub fn look_up<'a>(
    inputs: impl Iterator<Item = &'a ProductInput> + Clone,
) -> (Lock, Find<UnitHead>, Vec<GetAll<LookupHead>>) {
    let codes = set(inputs.clone().map(|input| input.unit_of_measure.as_str()));
    let ids: Vec<Id> = set(inputs.flat_map(references).filter_map(|(id, ..)| id)).into_iter().collect();
    (
        lock_all_shared(codes.iter().map(|code| unit_lock(code))),
        find("code", codes.iter().map(|code| vec![Kind::Units.put(), (*code).to_owned().put()])),
        ids.chunks(MOST_KEYS).map(|ids| get_all(ids.iter().copied())).collect(),
    )
}
