//! Gathering faults, so that one response lists all of them.

use stoa_sdk::Item;

/// The value, or its faults put to the others.
pub fn collect<T>(faults: &mut Vec<Item>, checked: Result<T, Vec<Item>>) -> Option<T> {
    checked.map_err(|found| faults.extend(found)).ok()
}
