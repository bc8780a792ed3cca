//! Units as a reader may see them.

use std::collections::BTreeMap;

use stoa_sdk::{Id, holds, map};
use stoa_trade::clients::units::{self, Unit};

use crate::records::permission::SERIALS_READ;

/// The units of these ids to a reader of serial numbers; none to others.
pub fn read_known_units(ids: impl IntoIterator<Item = Id>) -> BTreeMap<Id, Unit> {
    let ids: Vec<Id> = ids.into_iter().collect();
    match !ids.is_empty() && holds(SERIALS_READ) {
        true => map(units::get(&ids).into_iter().map(|unit| (Id::from(unit.id), unit))),
        false => BTreeMap::new(),
    }
}
