//! The pace of large writes. SQLite has one writer, and a large write holds it until it ends: behind a company with one
//! after the other, each write of the others would wait for one of them. While others write, a company's large writes
//! therefore run one at a time, and each of them leaves three times its own time to the others. Its small writes wait
//! for none of this.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};

use tokio::sync::OwnedMutexGuard;

use super::super::activity::Activity;
use super::super::{Error, QueueKey};

/// So many times its own time a write leaves to others.
const OTHERS: u32 = 3;
/// Shorter writes leave no more than the queue gives to others.
const LONG: Duration = Duration::from_millis(20);
/// How often a large write that waits looks whether others still write.
const LOOK: Duration = Duration::from_millis(100);

/// The right of a company's large write to run; the next one waits until it is dropped.
pub type PacePermit = OwnedMutexGuard<()>;

#[derive(Default)]
pub struct Pace(Mutex<State>);

#[derive(Default)]
struct State {
    /// Companies that write.
    writers: Activity,
    /// When the next large write of a company may begin, where that is later than now.
    free_at: HashMap<QueueKey, Instant>,
    /// Held by the large write of a company that runs.
    locks: HashMap<QueueKey, Weak<tokio::sync::Mutex<()>>>,
}

impl Pace {
    /// Takes note of a write that has taken this time and ends now.
    pub fn note(&self, key: QueueKey, time: Duration, now: Instant) {
        self.lock().note(key, time, now);
    }

    /// Waits, at most so long, until a large write of the company may run. `None`: no other company writes.
    pub async fn take(&self, key: QueueKey, limit: Duration) -> Result<Option<PacePermit>, Error> {
        if !self.lock().writers.has_other(key, Instant::now()) {
            return Ok(None);
        }
        let take = async {
            let lock = self.lock().lock_of(key);
            let permit = lock.lock_owned().await;
            let mut has_waited = false;
            loop {
                let pause = self.lock().pause(key, Instant::now());
                if pause.is_zero() {
                    return permit;
                }
                if !has_waited {
                    metrics::counter!("stoa_paced_writes_total").increment(1);
                }
                has_waited = true;
                tokio::time::sleep(pause.min(LOOK)).await;
            }
        };
        let late = |_| Error::Unavailable("the company's large writes before it have left no time".into());
        tokio::time::timeout(limit, take).await.map(Some).map_err(late)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn note(&mut self, key: QueueKey, time: Duration, now: Instant) {
        // The host's own work is no company's.
        let QueueKey::Company(_) = key else { return };
        self.free_at.retain(|_, free_at| *free_at > now);
        self.writers.note(key, now);
        if time >= LONG {
            self.free_at.insert(key, now + time * OTHERS);
        }
    }

    /// The time until the company's next large write may begin.
    fn pause(&self, key: QueueKey, now: Instant) -> Duration {
        match self.free_at.get(&key) {
            Some(free_at) if self.writers.has_other(key, now) => free_at.saturating_duration_since(now),
            _ => Duration::ZERO,
        }
    }

    fn lock_of(&mut self, key: QueueKey) -> Arc<tokio::sync::Mutex<()>> {
        if let Some(lock) = self.locks.get(&key).and_then(Weak::upgrade) {
            return lock;
        }
        self.locks.retain(|_, lock| lock.strong_count() > 0);
        let lock = Arc::default();
        self.locks.insert(key, Arc::downgrade(&lock));
        lock
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::activity::ACTIVE;
    use super::*;

    fn company(number: u128) -> QueueKey {
        QueueKey::Company(uuid::Uuid::from_u128(number))
    }

    fn milliseconds(number: u64) -> Duration {
        Duration::from_millis(number)
    }

    #[test]
    fn a_long_write_leaves_three_times_its_time_to_others() {
        let (mut state, now) = (State::default(), Instant::now());
        let (large, other) = (company(1), company(2));
        state.note(large, milliseconds(200), now);
        state.note(QueueKey::Global, milliseconds(1), now);
        assert_eq!(state.pause(large, now), Duration::ZERO, "no other company writes");
        let later = now + milliseconds(300);
        state.note(other, milliseconds(1), later);
        assert_eq!(state.pause(large, later), milliseconds(300));
        assert_eq!(state.pause(other, later), Duration::ZERO, "its writes are short");
        assert_eq!(state.pause(large, later + milliseconds(300)), Duration::ZERO);
        // A short write of its own changes nothing, and a company that has written no more for a second is no other.
        state.note(large, milliseconds(2), later);
        assert_eq!(state.pause(large, later), milliseconds(300));
        state.note(other, milliseconds(50), later);
        state.note(large, milliseconds(900), later);
        assert_eq!(state.pause(large, later + milliseconds(999)), milliseconds(900 * 3 - 999));
        assert_eq!(state.pause(large, later + ACTIVE), Duration::ZERO);
        // Past entries are not kept.
        state.note(company(3), milliseconds(1), later + ACTIVE * 60);
        assert!(state.free_at.is_empty());
    }

    #[tokio::test]
    async fn large_writes_of_a_company_run_one_at_a_time_while_others_write() {
        let pace = Pace::default();
        let (short, long) = (milliseconds(30), Duration::from_secs(60));
        assert!(pace.take(company(1), short).await.unwrap().is_none(), "it is the only one");
        let write = |number| pace.note(company(number), milliseconds(1), Instant::now());
        [1, 2].into_iter().for_each(write);
        let first = pace.take(company(1), short).await.unwrap();
        assert!(first.is_some());
        [1, 2].into_iter().for_each(write);
        assert!(pace.take(company(1), short).await.is_err(), "the first one still runs");
        assert!(pace.take(company(2), short).await.unwrap().is_some(), "another company's does not wait for it");
        [1, 2].into_iter().for_each(write);
        let (second, ()) = tokio::join!(pace.take(company(1), long), async move { drop(first) });
        assert!(second.unwrap().is_some());
        assert!(pace.take(company(3), short).await.unwrap().is_some());
        assert_eq!(pace.lock().locks.len(), 1, "locks that nothing holds are not kept");
    }
}
