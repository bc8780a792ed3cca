//! Units that documents name, as their reader may know them.

use std::collections::BTreeMap;

use stoa_sdk::Id;
use stoa_trade::clients::units::Unit;

use crate::records::known_unit::NamedUnit;

/// The units of a line as the reader may know them.
pub fn name_units(ids: &[Id], known: &BTreeMap<Id, Unit>) -> Vec<NamedUnit> {
    ids.iter().map(|id| NamedUnit::new(*id, known.get(id))).collect()
}
