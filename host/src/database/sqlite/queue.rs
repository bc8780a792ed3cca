//! Jobs that wait for SQLite's threads, in the order of the fair queue (`fair_queue.rs`). Threads block here, and readers wait
//! while the writer empties the log.

use std::collections::HashSet;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::super::fair_queue::{Capacity, FairQueue, Load};
use super::super::{Error, QueueKey};

pub struct Queue<J> {
    state: Mutex<State<J>>,
    changed: Condvar,
}

struct State<J> {
    fair_queue: FairQueue<J>,
    is_held: fn(&J, &HashSet<QueueKey>) -> bool,
    closed: bool,
    held: Hold,
}

/// Jobs that do not begin until the hold ends.
#[derive(Debug, PartialEq, Eq)]
pub enum Hold {
    Nothing,
    /// Jobs of these keys, and others that the queue holds with them.
    Keys(HashSet<QueueKey>),
    Everything,
}

/// The next job of a queue.
#[derive(Debug, PartialEq, Eq)]
pub enum Next<J> {
    Job(QueueKey, J),
    /// None came in time.
    Late,
    /// The queue is closed and empty.
    Closed,
}

impl<J> Queue<J> {
    /// `is_held`: whether a job is held where the jobs of these keys are.
    pub fn new(capacity: Capacity, is_held: fn(&J, &HashSet<QueueKey>) -> bool) -> Queue<J> {
        let state = State { fair_queue: FairQueue::new(capacity), is_held, closed: false, held: Hold::Nothing };
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
        match self.pop_within(None) {
            Next::Job(key, job) => Some((key, job)),
            Next::Late | Next::Closed => None,
        }
    }

    /// Waits for the next, at most so long. `None`: without an end.
    pub fn pop_within(&self, time: Option<Duration>) -> Next<J> {
        let until = time.map(|time| Instant::now() + time);
        let mut state = self.lock();
        loop {
            if let Some((key, job)) = state.next() {
                return Next::Job(key, job);
            }
            if state.closed && state.fair_queue.is_empty() {
                return Next::Closed;
            }
            let Some(until) = until else {
                state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
                continue;
            };
            let Some(left) = until.checked_duration_since(Instant::now()) else { return Next::Late };
            state = self.changed.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
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

    /// A job of these has taken this time, which ends now.
    pub fn charge(&self, key: QueueKey, time: Duration, now: Instant) {
        self.lock().fair_queue.charge(key, time, now);
    }

    /// How many jobs run and wait.
    pub fn load(&self) -> Load {
        self.lock().fair_queue.load()
    }

    pub fn hold(&self, held: Hold) {
        let mut state = self.lock();
        // A closed queue still serves its waiting jobs: no caller would release a new hold.
        if !state.closed {
            state.held = held;
        }
        drop(state);
        self.changed.notify_all();
    }

    /// Waits until nothing runs; returns whether that came in time.
    pub fn wait_idle(&self, time: Duration) -> bool {
        let until = Instant::now() + time;
        let mut state = self.lock();
        while state.fair_queue.count_running() > 0 {
            let Some(left) = until.checked_duration_since(Instant::now()) else { return false };
            state = self.changed.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
        }
        true
    }

    /// Takes no more jobs; the waiting ones are still served.
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
        match &self.held {
            Hold::Nothing => self.fair_queue.next(|_| true),
            Hold::Keys(keys) => self.fair_queue.next(|job| !(self.is_held)(job, keys)),
            Hold::Everything => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    fn company(number: u128) -> QueueKey {
        QueueKey::Company(Uuid::from_u128(number))
    }

    fn queue() -> Queue<(QueueKey, u32)> {
        let is_held = |(key, job): &(QueueKey, u32), keys: &HashSet<QueueKey>| *job >= 100 || keys.contains(key);
        Queue::new(Capacity { slots: 2, queue: 9 }, is_held)
    }

    #[test]
    fn what_is_held_begins_when_it_is_let_go() {
        let queue = queue();
        for (number, job) in [(1, 100), (2, 1), (3, 2)] {
            queue.push(company(number), (company(number), job)).unwrap();
        }
        queue.hold(Hold::Everything);
        assert!(queue.try_pop().is_none());
        queue.hold(Hold::Keys([company(3)].into()));
        assert_eq!(queue.try_pop(), Some((company(2), (company(2), 1))));
        assert!(queue.try_pop().is_none());
        assert!(!queue.wait_idle(Duration::from_millis(1)));
        queue.end(company(2));
        assert!(queue.wait_idle(Duration::from_millis(1)));
        queue.hold(Hold::Nothing);
        assert_eq!(queue.try_pop(), Some((company(1), (company(1), 100))));
        assert_eq!(queue.try_pop(), Some((company(3), (company(3), 2))));
    }

    #[test]
    fn who_waits_for_a_time_goes_on_without_a_job() {
        let queue = queue();
        assert_eq!(queue.pop_within(Some(Duration::from_millis(1))), Next::Late);
        let job = (QueueKey::Global, 1);
        queue.push(QueueKey::Global, job).unwrap();
        assert_eq!(queue.pop_within(Some(Duration::ZERO)), Next::Job(QueueKey::Global, job));
        queue.close();
        assert_eq!(queue.pop_within(Some(Duration::from_secs(60))), Next::Closed);
    }

    #[test]
    fn a_closed_queue_serves_what_waits_and_takes_no_more() {
        let queue = queue();
        queue.push(QueueKey::Global, (QueueKey::Global, 1)).unwrap();
        queue.close();
        assert!(queue.push(QueueKey::Global, (QueueKey::Global, 2)).is_err());
        assert_eq!(queue.pop(), Some((QueueKey::Global, (QueueKey::Global, 1))));
        queue.end(QueueKey::Global);
        assert_eq!(queue.pop(), None);
    }
}
