//! Sets and maps for components: `collect()` into one sorts first, and brings several kilobytes of sorting with every type it
//! is used for. These insert one by one.

use std::collections::{BTreeMap, BTreeSet};

/// The items, each once, in order.
pub fn set<T: Ord>(items: impl IntoIterator<Item = T>) -> BTreeSet<T> {
    let mut set = BTreeSet::new();
    set.extend(items);
    set
}

/// A map of pairs: the last of several pairs with one key stays.
pub fn map<K: Ord, V>(pairs: impl IntoIterator<Item = (K, V)>) -> BTreeMap<K, V> {
    let mut map = BTreeMap::new();
    map.extend(pairs);
    map
}
