//! A request may keep its reads: an instance lives for one request, so that values in its memory can be no older.
//!
//! Not for what a lock guards: rows that were locked are read after the lock, and code that waited for one calls
//! [`Kept::forget`] for what was read before and may have changed meanwhile.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;

use crate::host;
use crate::sets::{map, set};

/// Answers by key, for a `thread_local!` of the module.
///
/// ```
/// use stoa_sdk::Kept;
///
/// thread_local! { static SQUARES: Kept<u32, u32> = const { Kept::new() }; }
///
/// let asked = std::cell::Cell::new(0);
/// let read = |wanted: &[u32]| {
///     asked.set(asked.get() + wanted.len());
///     wanted.iter().map(|number| (*number, number * number)).collect()
/// };
/// let first = SQUARES.with(|kept| kept.get([2, 3], read));
/// let second = SQUARES.with(|kept| kept.get([3, 4], read));
/// assert_eq!((first[&3], second[&3], second[&4], asked.get()), (9, 9, 16, 3));
/// ```
pub struct Kept<K, V> {
    /// The request of the kept answers: a native program has many in one thread.
    request: Cell<u64>,
    answers: RefCell<BTreeMap<K, Option<V>>>,
}

impl<K: Ord + Clone, V: Clone> Kept<K, V> {
    /// With nothing kept.
    pub const fn new() -> Self {
        Kept { request: Cell::new(0), answers: RefCell::new(BTreeMap::new()) }
    }

    /// The answers of these keys: `read` is asked for those that were not asked for before, and not called for an empty
    /// list. Keys that it does not answer are absent, now and when they are asked for again.
    pub fn get(&self, keys: impl IntoIterator<Item = K>, read: impl FnOnce(&[K]) -> Vec<(K, V)>) -> BTreeMap<K, V> {
        if !host::keeps() {
            let keys: Vec<K> = set(keys).into_iter().collect();
            return if keys.is_empty() { BTreeMap::new() } else { map(read(&keys)) };
        }
        self.begin();
        let wanted = set(keys);
        let answers = self.answers.borrow();
        let missing: Vec<K> = wanted.iter().filter(|key| !answers.contains_key(key)).cloned().collect();
        drop(answers);
        if !missing.is_empty() {
            // Not borrowed meanwhile: the function that reads may ask for others.
            let read = read(&missing);
            let mut answers = self.answers.borrow_mut();
            for key in missing {
                answers.insert(key, None);
            }
            for (key, value) in read {
                answers.insert(key, Some(value));
            }
        }
        let answers = self.answers.borrow();
        let mut found = BTreeMap::new();
        for key in wanted {
            if let Some(Some(value)) = answers.get(&key) {
                found.insert(key, value.clone());
            }
        }
        found
    }

    /// Forgets all: the next value that is asked for is read again.
    pub fn forget(&self) {
        self.answers.borrow_mut().clear();
    }

    fn begin(&self) {
        let request = host::request_in_thread();
        if self.request.replace(request) != request {
            self.forget();
        }
    }
}

impl<K: Ord + Clone, V: Clone> Default for Kept<K, V> {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scripted::script;

    #[test]
    fn each_key_is_read_once_a_request() {
        let kept: Kept<u32, u32> = Kept::new();
        let asked = RefCell::new(Vec::new());
        let get = |keys: &[u32]| {
            kept.get(keys.iter().copied(), |missing| {
                asked.borrow_mut().extend_from_slice(missing);
                missing.iter().filter(|key| **key != 7).map(|key| (*key, key * 10)).collect()
            })
        };
        assert_eq!(get(&[1, 1, 7]).into_iter().collect::<Vec<_>>(), [(1, 10)]);
        assert_eq!(get(&[7, 2, 1]).into_iter().collect::<Vec<_>>(), [(1, 10), (2, 20)]);
        assert_eq!(*asked.borrow(), [1, 7, 2]);
        kept.forget();
        get(&[1]);
        assert_eq!(*asked.borrow(), [1, 7, 2, 1]);
        // Another request in the same thread.
        script([]);
        get(&[1]);
        assert_eq!(*asked.borrow(), [1, 7, 2, 1, 1]);
    }
}
