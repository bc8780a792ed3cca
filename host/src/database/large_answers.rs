//! The limit for reads with large answers. Many of them at once keep the server and the modules busy, and each step of another
//! company's request waits for all of them.
//!
//! The host learns the size of an answer only when it is done, so it remembers for a while which operations answered a company
//! with much. A small answer in between changes nothing: else a caller would mix both. While other companies are served, such
//! reads take a seat. There are half as many of these seats as of those for heavy work, and companies have them round robin.

use std::hash::{BuildHasher as _, RandomState};
use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use lru::LruCache;
use uuid::Uuid;

use super::fair_queue::Capacity;
use super::slots::{NoSeat, Seat, Slots};

/// Bytes of a large answer.
const LARGE: usize = 256 << 10;
/// How long a large answer is remembered.
const MEMORY: Duration = Duration::from_secs(600);
/// Reads that may wait for a seat.
const QUEUE: usize = 1024;
/// Operations of companies that are remembered.
const REMEMBERED: NonZeroUsize = NonZeroUsize::new(1024).unwrap();

/// The seats of this host, and what answered with much.
pub struct LargeAnswers {
    seats: Arc<Slots<Uuid>>,
    /// Hashes of companies with operations, and the time of the last large answer. One that is met by chance costs a wait.
    large: Mutex<LruCache<u64, Instant>>,
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

    /// Returns whether the operation lately gave this company a large answer.
    pub fn expects(&self, company: Uuid, operation: &str, now: Instant) -> bool {
        let key = self.key(company, operation);
        self.large().get(&key).is_some_and(|at| now.saturating_duration_since(*at) < MEMORY)
    }

    /// Takes note of the size of an answer in bytes.
    pub fn note(&self, company: Uuid, operation: &str, size: usize, now: Instant) {
        if size >= LARGE {
            self.large().put(self.key(company, operation), now);
        }
    }

    /// Waits for a seat of this company for so long at most.
    pub async fn take_seat(&self, company: Uuid, wait: Duration) -> Result<Seat<Uuid>, NoSeat> {
        self.seats.take(company, wait).await
    }

    fn key(&self, company: Uuid, operation: &str) -> u64 {
        self.hasher.hash_one((company, operation))
    }

    fn large(&self) -> MutexGuard<'_, LruCache<u64, Instant>> {
        self.large.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_large_answer_is_expected_for_a_while_after_one() {
        let (answers, [one, other], now) = (LargeAnswers::new(1), [1, 2].map(Uuid::from_u128), Instant::now());
        assert!(!answers.expects(one, "listProducts", now));
        answers.note(one, "listProducts", LARGE, now);
        answers.note(one, "listVariants", LARGE - 1, now);
        let asked = [(one, "listProducts"), (one, "listVariants"), (other, "listProducts")];
        assert_eq!(asked.map(|(company, operation)| answers.expects(company, operation, now)), [true, false, false]);
        answers.note(one, "listProducts", LARGE - 1, now + MEMORY / 2);
        let last = Duration::from_millis(1);
        assert_eq!([MEMORY - last, MEMORY].map(|age| answers.expects(one, "listProducts", now + age)), [true, false]);
    }

    #[test]
    fn what_is_remembered_is_limited() {
        let (answers, company, now) = (LargeAnswers::new(1), Uuid::from_u128(1), Instant::now());
        let operations: Vec<String> = (0..=REMEMBERED.get()).map(|number| format!("list{number}")).collect();
        operations.iter().for_each(|operation| answers.note(company, operation, LARGE, now));
        let remembered = operations.iter().filter(|operation| answers.expects(company, operation, now)).count();
        assert_eq!(remembered, REMEMBERED.get());
    }
}
