//! The limit for reads with large answers. Many of them at once keep the server and the modules busy, and each step of another
//! company's request waits for all of them.
//!
//! The host learns the size of an answer only when it is done, so it remembers which operations answered a company with much.
//! While other companies are served, such reads take a seat. There are half as many seats as processors, and companies have
//! them round robin.

use std::hash::{BuildHasher as _, RandomState};
use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use lru::LruCache;
use uuid::Uuid;

use super::fair_queue::Capacity;
use super::slots::{NoSeat, Seat, Slots};

/// Bytes of a large answer.
const LARGE: usize = 256 << 10;
/// Reads that may wait for a seat.
const QUEUE: usize = 1024;
/// Operations of companies that are remembered.
const REMEMBERED: NonZeroUsize = NonZeroUsize::new(1024).unwrap();

/// The seats of this host, and what answered with much.
pub struct LargeAnswers {
    seats: Arc<Slots<Uuid>>,
    /// Hashes of companies with operations. One that is met by chance costs a wait.
    large: Mutex<LruCache<u64, ()>>,
    hasher: RandomState,
}

impl LargeAnswers {
    /// `seats`: large answers that are made at once, at least one.
    pub fn new(seats: usize) -> LargeAnswers {
        LargeAnswers {
            seats: Slots::new(Capacity { slots: seats.max(1), queue: QUEUE }),
            large: Mutex::new(LruCache::new(REMEMBERED)),
            hasher: RandomState::new(),
        }
    }

    /// Returns whether the operation's last answer to this company was large.
    pub fn expects(&self, company: Uuid, operation: &str) -> bool {
        self.large().get(&self.key(company, operation)).is_some()
    }

    /// Takes note of the size of an answer in bytes.
    pub fn note(&self, company: Uuid, operation: &str, size: usize) {
        let key = self.key(company, operation);
        if size >= LARGE {
            self.large().put(key, ());
        } else {
            self.large().pop(&key);
        }
    }

    /// Waits for a seat of this company for so long at most.
    pub async fn take_seat(&self, company: Uuid, wait: Duration) -> Result<Seat<Uuid>, NoSeat> {
        self.seats.take(company, wait).await
    }

    fn key(&self, company: Uuid, operation: &str) -> u64 {
        self.hasher.hash_one((company, operation))
    }

    fn large(&self) -> MutexGuard<'_, LruCache<u64, ()>> {
        self.large.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_expected_to_be_as_large_as_the_last_one() {
        let (answers, [one, other]) = (LargeAnswers::new(1), [1, 2].map(Uuid::from_u128));
        assert!(!answers.expects(one, "listProducts"));
        answers.note(one, "listProducts", LARGE);
        answers.note(one, "listVariants", LARGE - 1);
        let expected = [(one, "listProducts"), (one, "listVariants"), (other, "listProducts")];
        assert_eq!(expected.map(|(company, operation)| answers.expects(company, operation)), [true, false, false]);
        answers.note(one, "listProducts", LARGE - 1);
        assert!(!answers.expects(one, "listProducts"));
    }

    #[test]
    fn what_is_remembered_is_limited() {
        let (answers, company) = (LargeAnswers::new(1), Uuid::from_u128(1));
        let operations: Vec<String> = (0..=REMEMBERED.get()).map(|number| format!("list{number}")).collect();
        operations.iter().for_each(|operation| answers.note(company, operation, LARGE));
        let remembered = operations.iter().filter(|operation| answers.expects(company, operation)).count();
        assert_eq!(remembered, REMEMBERED.get());
    }
}
