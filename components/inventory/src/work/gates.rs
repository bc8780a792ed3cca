//! The gates of warehouses and locations: shared by everybody who brings goods there, so that the records behind them are not
//! archived meanwhile.

use stoa_sdk::Id;
use stoa_sdk::store::{GetAll, Lock, get_all, lock_all_shared};

use crate::records::location::{LocationRow, location_gate};
use crate::records::warehouse::{WarehouseRow, gate};

/// The gates of these warehouses and location, shared with everybody who brings goods there, and the records behind them.
pub fn enter(warehouses: &[Id], location: Option<Id>) -> (Lock, GetAll<WarehouseRow>, GetAll<LocationRow>) {
    let names = warehouses.iter().map(|id| gate(*id)).chain(location.map(location_gate));
    (lock_all_shared(names), get_all(warehouses.iter().copied()), get_all(location))
}
