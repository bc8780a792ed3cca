//! Jobs that wait for SQLite's threads, in the order of the fair queue (`fair_queue.rs`). Threads block here, and readers stand still
//! while the writer empties the log.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::super::fair_queue::{Capacity, FairQueue};
use super::super::{Error, QueueKey};

pub struct Queue<J> {
    state: Mutex<State<J>>,
    changed: Condvar,
}

struct State<J> {
    fair_queue: FairQueue<J>,
    is_long: fn(&J) -> bool,
    closed: bool,
    held: Hold,
}

/// Jobs that do not begin until the hold ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Hold {
    Nothing,
    /// Reads that may take long.
    Long,
    Everything,
}

impl<J> Queue<J> {
    /// `is_long`: what is held first.
    pub fn new(capacity: Capacity, is_long: fn(&J) -> bool) -> Queue<J> {
        let state = State { fair_queue: FairQueue::new(capacity), is_long, closed: false, held: Hold::Nothing };
        Queue { state: Mutex::new(state), changed: Condvar::new() }
    }

    pub fn push(&self, key: QueueKey, job: J) -> Result<(), Error> {
        let mut state = self.lock();
        if state.closed {
            return Err(Error::Unavailable("the database is closed".into()));
        }
        let pushed = state.fair_queue.push(key, job);
        pushed.map_err(|_| Error::Unavailable("too many requests wait for the database".into()))?;
        drop(state);
        self.changed.notify_one();
        Ok(())
    }

    /// Waits for the next. `None`: the queue is closed and empty.
    pub fn pop(&self) -> Option<(QueueKey, J)> {
        let mut state = self.lock();
        loop {
            if let Some(next) = state.next() {
                return Some(next);
            }
            if state.closed && state.fair_queue.is_empty() {
                return None;
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// The next, if one waits.
    pub fn try_pop(&self) -> Option<(QueueKey, J)> {
        self.lock().next()
    }

    /// One of these runs no more.
    pub fn end(&self, key: QueueKey) {
        self.lock().fair_queue.end(key);
        self.changed.notify_all();
    }

    pub fn hold(&self, held: Hold) {
        let mut state = self.lock();
        // A closed queue still serves its waiting jobs: nobody would release a new hold.
        if !state.closed {
            state.held = held;
        }
        drop(state);
        self.changed.notify_all();
    }

    /// Waits until nothing runs; whether that came in time.
    pub fn wait_idle(&self, time: Duration) -> bool {
        let until = Instant::now() + time;
        let mut state = self.lock();
        while state.fair_queue.count_running() > 0 {
            let Some(left) = until.checked_duration_since(Instant::now()) else { return false };
            state = self.changed.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
        }
        true
    }

    /// Takes no more; what waits is still served.
    pub fn close(&self) {
        let mut state = self.lock();
        state.closed = true;
        state.held = Hold::Nothing;
        drop(state);
        self.changed.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, State<J>> {
        // Bookkeeping by plain arithmetic: a panic elsewhere leaves it whole.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<J> State<J> {
    fn next(&mut self) -> Option<(QueueKey, J)> {
        let (held, is_long) = (self.held, self.is_long);
        if held == Hold::Everything {
            return None;
        }
        self.fair_queue.next(|job| held == Hold::Nothing || !is_long(job))
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    fn queue() -> Queue<u32> {
        Queue::new(Capacity { slots: 2, queue: 9 }, |job| *job >= 100)
    }

    #[test]
    fn what_is_held_begins_when_it_is_let_go() {
        let queue = queue();
        let company = |number| QueueKey::Company(Uuid::from_u128(number));
        queue.push(company(1), 100).unwrap();
        queue.push(company(2), 1).unwrap();
        queue.hold(Hold::Everything);
        assert!(queue.try_pop().is_none());
        queue.hold(Hold::Long);
        assert_eq!(queue.try_pop(), Some((company(2), 1)));
        assert!(queue.try_pop().is_none());
        assert!(!queue.wait_idle(Duration::from_millis(1)));
        queue.end(company(2));
        assert!(queue.wait_idle(Duration::from_millis(1)));
        queue.hold(Hold::Nothing);
        assert_eq!(queue.try_pop(), Some((company(1), 100)));
    }

    #[test]
    fn a_closed_queue_serves_what_waits_and_takes_no_more() {
        let queue = queue();
        queue.push(QueueKey::Global, 1).unwrap();
        queue.close();
        assert!(queue.push(QueueKey::Global, 2).is_err());
        assert_eq!(queue.pop(), Some((QueueKey::Global, 1)));
        queue.end(QueueKey::Global);
        assert_eq!(queue.pop(), None);
    }
}
