//! The slots of connections that may be open, given in the order of the fair queue (`fair_queue.rs`).

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::oneshot;
use tokio::time::timeout;

use super::super::fair_queue::{Capacity, FairQueue};
use super::super::{Error, QueueKey};

/// Requests that may wait for a connection.
const QUEUE: usize = 1024;

/// All of them, on one server.
pub struct Slots(Mutex<State>);

struct State {
    fair_queue: FairQueue<oneshot::Sender<Seat>>,
    closed: bool,
}

/// One of them, given back when it is dropped.
pub struct Seat {
    slots: Arc<Slots>,
    key: QueueKey,
}

impl Drop for Seat {
    fn drop(&mut self) {
        self.slots.lock().fair_queue.end(self.key);
        self.slots.give();
    }
}

impl Slots {
    pub fn new(slots: usize) -> Arc<Slots> {
        let fair_queue = FairQueue::new(Capacity { slots, queue: QUEUE });
        Arc::new(Slots(Mutex::new(State { fair_queue, closed: false })))
    }

    /// Waits for one at most so long.
    pub async fn take(self: &Arc<Slots>, key: QueueKey, wait: Duration) -> Result<Seat, Error> {
        let (send, receive) = oneshot::channel();
        {
            let mut state = self.lock();
            if state.closed {
                return Err(Error::Unavailable("the database is closed".into()));
            }
            let pushed = state.fair_queue.push(key, send);
            pushed.map_err(|_| Error::Unavailable("too many requests wait for the database".into()))?;
        }
        self.give();
        match timeout(wait, receive).await {
            Ok(Ok(seat)) => Ok(seat),
            Ok(Err(_)) => Err(Error::Unavailable("the database is closed".into())),
            Err(_) => Err(Error::Unavailable("no database connection became free".into())),
        }
    }

    /// Gives what is free to those whose turn it is.
    fn give(self: &Arc<Slots>) {
        loop {
            let next = {
                let mut state = self.lock();
                state.fair_queue.next(|_| true)
            };
            let Some((key, waiter)) = next else { return };
            if waiter.is_closed() {
                // The waiter has gone.
                self.lock().fair_queue.end(key);
                continue;
            }
            drop(waiter.send(Seat { slots: self.clone(), key }));
        }
    }

    /// Gives no more.
    pub fn close(&self) {
        self.lock().closed = true;
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // Bookkeeping by plain arithmetic: a panic elsewhere leaves it whole.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    const SHORT: Duration = Duration::from_millis(20);

    #[tokio::test]
    async fn one_company_takes_half_and_another_finds_a_place() {
        let slots = Slots::new(4);
        let company = |number| QueueKey::Company(Uuid::from_u128(number));
        let first = slots.take(company(1), SHORT).await.unwrap();
        let _second = slots.take(company(1), SHORT).await.unwrap();
        assert!(slots.take(company(1), SHORT).await.is_err());
        let _other = slots.take(company(2), SHORT).await.unwrap();
        let _home = slots.take(QueueKey::Global, SHORT).await.unwrap();
        assert!(slots.take(company(3), SHORT).await.is_err());
        let (next, ()) = tokio::join!(slots.take(company(1), Duration::from_secs(5)), async move { drop(first) });
        assert!(next.is_ok());
        slots.close();
        assert!(slots.take(company(2), SHORT).await.is_err());
    }
}
