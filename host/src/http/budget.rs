//! Memory that is held for callers, counted in bytes: of request bodies, and of answers that are not sent yet. A caller
//! may hold as much as remains free: one caller at most half of all, two a third each, and however many hold some,
//! another finds room.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use uuid::Uuid;

/// Bytes for all callers together.
pub struct Budget {
    most: usize,
    held: Mutex<Held>,
}

#[derive(Default)]
struct Held {
    all: usize,
    by_caller: HashMap<Uuid, usize>,
}

/// Bytes that one request holds, given back when this is dropped.
pub struct BudgetShare {
    budget: Arc<Budget>,
    caller: Uuid,
    bytes: usize,
}

impl Budget {
    pub fn new(most: usize) -> Arc<Budget> {
        Arc::new(Budget { most, held: Mutex::default() })
    }

    /// A share without bytes.
    pub fn share(self: &Arc<Budget>, caller: Uuid) -> BudgetShare {
        BudgetShare { budget: self.clone(), caller, bytes: 0 }
    }

    /// Bytes that callers hold, and the most that they may.
    pub fn load(&self) -> (usize, usize) {
        (self.lock().all, self.most)
    }

    fn lock(&self) -> MutexGuard<'_, Held> {
        // Plain counters: a panic elsewhere leaves them whole.
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl BudgetShare {
    /// Takes so many bytes more, if there is room for them.
    pub fn grow(&mut self, bytes: usize) -> bool {
        let budget = self.budget.clone();
        let mut held = budget.lock();
        let (all, caller) = (held.all + bytes, held.by_caller.get(&self.caller).copied().unwrap_or(0) + bytes);
        let fits = budget.most.checked_sub(all).is_some_and(|free| caller <= free);
        if fits {
            self.add(&mut held, bytes);
        }
        fits
    }

    /// Takes so many bytes more, whether there is room for them or not.
    pub fn grow_anyway(&mut self, bytes: usize) {
        let budget = self.budget.clone();
        self.add(&mut budget.lock(), bytes);
    }

    fn add(&mut self, held: &mut Held, bytes: usize) {
        if bytes > 0 {
            held.all += bytes;
            *held.by_caller.entry(self.caller).or_default() += bytes;
            self.bytes += bytes;
        }
    }
}

impl Drop for BudgetShare {
    fn drop(&mut self) {
        if self.bytes == 0 {
            return;
        }
        let mut held = self.budget.lock();
        held.all -= self.bytes;
        if let Some(bytes) = held.by_caller.get_mut(&self.caller) {
            *bytes -= self.bytes;
            if *bytes == 0 {
                held.by_caller.remove(&self.caller);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_caller_holds_half_and_another_always_finds_room() {
        let budget = Budget::new(1200);
        let fill = |caller| {
            let mut share = budget.share(Uuid::from_u128(caller));
            while share.grow(1) {}
            share
        };
        let [one, two, three] = [1, 2, 3].map(fill);
        assert_eq!([one.bytes, two.bytes, three.bytes], [600, 300, 150]);
        assert!(!budget.share(Uuid::from_u128(1)).grow(1), "by several requests no more than by one");
        assert_eq!(fill(4).bytes, 75);
        drop(one);
        assert_eq!(fill(5).bytes, 375);
        drop((two, three));
        assert!(budget.lock().by_caller.is_empty() && budget.lock().all == 0);
    }

    #[test]
    fn bytes_beyond_the_budget_are_counted() {
        let budget = Budget::new(100);
        let mut share = budget.share(Uuid::nil());
        share.grow_anyway(150);
        assert!(!budget.share(Uuid::from_u128(2)).grow(1));
        drop(share);
        assert!(budget.share(Uuid::from_u128(2)).grow(50));
    }
}
