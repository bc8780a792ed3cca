//! Units that documents name, as their reader may know them.

use std::collections::BTreeMap;

use stoa_sdk::{Id, holds, map};
use stoa_trade::clients::units::{self, Unit};

use crate::records::known_unit::NamedUnit;
use crate::records::permission::SERIALS_READ;

/// The units of these ids to a reader of serial numbers; none to others.
pub fn read_known_units(ids: impl IntoIterator<Item = Id>) -> BTreeMap<Id, Unit> {
    let ids: Vec<Id> = ids.into_iter().collect();
    match !ids.is_empty() && holds(SERIALS_READ) {
        true => map(units::get(&ids).into_iter().map(|unit| (Id::from(unit.id), unit))),
        false => BTreeMap::new(),
    }
}

/// The units of a line as the reader may know them.
pub fn name_units(ids: &[Id], known: &BTreeMap<Id, Unit>) -> Vec<NamedUnit> {
    ids.iter().map(|id| NamedUnit::new(*id, known.get(id))).collect()
}
