//! The pace of large writes. SQLite has one writer, and a large write holds it until it ends: next to many of them, each
//! write of the others would wait for one. While other companies write, large writes therefore run one at a time, those of
//! all companies in turn, and each leaves three times its own time to the others. Small writes wait for none of this.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::super::activity::Activity;
use super::super::fair_queue::Capacity;
use super::super::slots::{Seat, Slots};
use super::super::{Error, QueueKey};

/// So many times its own time a write leaves to others.
const OTHERS: u32 = 3;
/// Shorter writes leave no more than the queue gives to others.
const LONG: Duration = Duration::from_millis(20);
/// A company whose writes all take longer imports, and only that: the large writes of others need not wait for it.
const LARGE: Duration = Duration::from_millis(100);
/// How often a large write that waits looks whether others still write.
const LOOK: Duration = Duration::from_millis(100);
/// Large writes that may wait.
const QUEUE: usize = 256;

/// The right of a large write to run; the next one waits until it is dropped.
pub type PacePermit = Seat<QueueKey>;

pub struct Pace {
    state: Mutex<State>,
    turns: Arc<Slots<QueueKey>>,
}

#[derive(Default)]
struct State {
    /// Companies with writes that are not large.
    writers: Activity,
    /// When the next large write may begin.
    free_at: Option<Instant>,
    /// The time that the draft of the next large write took, beside the writer.
    draft: Duration,
}

impl Default for Pace {
    fn default() -> Pace {
        Pace { state: Mutex::default(), turns: Slots::new(Capacity { slots: 1, queue: QUEUE }) }
    }
}

impl Pace {
    /// Takes note of a write that has taken this time and ends now.
    pub fn note(&self, key: QueueKey, time: Duration, now: Instant) {
        self.lock().note(key, time, now);
    }

    /// Takes note of the time that the draft of a large write took, which others have lacked too.
    pub fn note_draft(&self, time: Duration) {
        self.lock().draft = time;
    }

    /// Waits, at most so long, until a large write of the company may run. `None`: no other company writes.
    pub async fn take(&self, key: QueueKey, limit: Duration) -> Result<Option<PacePermit>, Error> {
        if !self.lock().writers.has_other(key, Instant::now()) {
            return Ok(None);
        }
        let late = || Error::Unavailable("the large writes before it have left no time".into());
        let begin = Instant::now();
        let turn = self.turns.take(key, limit).await.map_err(|_| late())?;
        let left = limit.saturating_sub(begin.elapsed());
        tokio::time::timeout(left, self.wait_for_others(key)).await.map_err(|_| late())?;
        Ok(Some(turn))
    }

    /// Waits until the last large write has left its time to others.
    async fn wait_for_others(&self, key: QueueKey) {
        let mut has_waited = false;
        loop {
            let pause = self.lock().pause(key, Instant::now());
            if pause.is_zero() {
                return;
            }
            if !has_waited {
                metrics::counter!("stoa_paced_writes_total").increment(1);
            }
            has_waited = true;
            tokio::time::sleep(pause.min(LOOK)).await;
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn note(&mut self, key: QueueKey, time: Duration, now: Instant) {
        // The host's own work is no company's.
        let QueueKey::Company(_) = key else { return };
        let whole = if time < LONG { time } else { time + std::mem::take(&mut self.draft) };
        if whole < LARGE {
            self.writers.note(key, now);
        }
        if whole >= LONG {
            self.free_at = self.free_at.max(Some(now + whole * OTHERS));
        }
    }

    /// The time until the next large write may begin, which is this company's.
    fn pause(&self, key: QueueKey, now: Instant) -> Duration {
        match self.free_at {
            Some(free_at) if self.writers.has_other(key, now) => free_at.saturating_duration_since(now),
            _ => Duration::ZERO,
        }
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
        let (large, other, also_large) = (company(1), company(2), company(3));
        state.note(large, milliseconds(200), now);
        state.note(QueueKey::Global, milliseconds(1), now);
        assert_eq!(state.pause(large, now), Duration::ZERO, "no other company writes");
        let later = now + milliseconds(300);
        state.note(other, milliseconds(1), later);
        assert_eq!(state.pause(large, later), milliseconds(300));
        assert_eq!(state.pause(also_large, later), milliseconds(300), "large writes of all companies have one pace");
        assert_eq!(state.pause(other, later), Duration::ZERO, "the others import, and only that");
        assert_eq!(state.pause(large, later + milliseconds(300)), Duration::ZERO);
        // A short write of its own changes nothing, and a company that has written no more for a second is no other.
        state.note(large, milliseconds(2), later);
        assert_eq!(state.pause(large, later), milliseconds(300));
        state.note(large, milliseconds(900), later);
        state.note(also_large, milliseconds(100), later);
        assert_eq!(state.pause(large, later + milliseconds(999)), milliseconds(900 * 3 - 999));
        assert_eq!(state.pause(large, later + ACTIVE), Duration::ZERO);
        // Writes that are neither short nor large are those of another company too.
        state.note(also_large, milliseconds(99), later + ACTIVE);
        assert!(state.pause(large, later + ACTIVE) > Duration::ZERO);
    }

    #[test]
    fn the_time_of_a_draft_is_left_to_others_too() {
        let (mut state, now) = (State::default(), Instant::now());
        let (large, other) = (company(1), company(2));
        state.draft = milliseconds(50);
        state.note(other, milliseconds(1), now);
        state.note(large, milliseconds(60), now);
        assert_eq!(state.pause(large, now), milliseconds(110 * 3));
        assert_eq!(state.pause(other, now), Duration::ZERO, "an import is large, however short its transaction is");
        state.note(large, milliseconds(120), now);
        assert_eq!(state.pause(large, now), milliseconds(120 * 3), "it counts once");
    }

    #[tokio::test]
    async fn large_writes_run_one_at_a_time_while_others_write() {
        let pace = Pace::default();
        let (short, long) = (milliseconds(30), Duration::from_secs(60));
        assert!(pace.take(company(1), short).await.unwrap().is_none(), "it is the only one");
        let write = || pace.note(company(3), milliseconds(1), Instant::now());
        write();
        let first = pace.take(company(1), short).await.unwrap();
        assert!(first.is_some());
        write();
        assert!(pace.take(company(1), short).await.is_err(), "the first one still runs");
        assert!(pace.take(company(2), short).await.is_err(), "another company's waits too");
        write();
        let (second, ()) = tokio::join!(pace.take(company(2), long), async move { drop(first) });
        assert!(second.unwrap().is_some());
    }
}
