//! One file per service of another module: its calls, what a request has read of it, and its refusals in the caller's words. In
//! native builds each has a `stand_in` for tests and benchmarks.

pub mod articles;
pub mod books;
pub mod charges;
pub mod costs;
pub mod customers;
pub mod directory;
pub mod holdings;
pub mod money;
pub mod offers;
pub mod prices;
pub mod products;
pub mod purchases;
pub mod sales;
pub mod stock;
pub mod suppliers;
pub mod tills;
pub mod units;
pub mod warehouses;

use std::collections::BTreeMap;
use std::thread::LocalKey;

use stoa_sdk::{Id, Kept};

/// An id as it crosses the border.
pub type Key = (u64, u64);

/// Ids as they cross the border.
pub fn keys(ids: impl IntoIterator<Item = Id>) -> Vec<Key> {
    ids.into_iter().map(Key::from).collect()
}

/// The most entries that a service takes in one call.
const MOST: usize = 1_000;

/// The answers for any number of ids, asked for in as few calls as there can be.
fn ask_all<T>(ids: &[Id], ask: impl Fn(&[Key]) -> Vec<T>) -> Vec<T> {
    ids.chunks(MOST).flat_map(|some| ask(&keys(some.iter().copied()))).collect()
}

/// The records of these ids: those that the request has not asked for before are asked for, absent ones stay absent.
fn get_kept<T: Clone>(
    kept: &'static LocalKey<Kept<Id, T>>,
    ids: impl IntoIterator<Item = Id>,
    ask: impl Fn(&[Key]) -> Vec<T>,
    key: impl Fn(&T) -> Key,
) -> BTreeMap<Id, T> {
    let read = |missing: &[Id]| ask_all(missing, ask).into_iter().map(|record| (key(&record).into(), record)).collect();
    kept.with(|kept| kept.get(ids, read))
}
