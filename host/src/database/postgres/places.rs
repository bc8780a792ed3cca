//! The places of connections that may be open, given in the order of turns (`turns.rs`).

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::oneshot;
use tokio::time::timeout;

use super::super::turns::{Capacity, Turns};
use super::super::{Error, Place};

/// Requests that may wait for a connection.
const QUEUE: usize = 1024;

/// All of them, on one server.
pub struct Places(Mutex<State>);

struct State {
    turns: Turns<oneshot::Sender<Seat>>,
    closed: bool,
}

/// One of them, given back when it is dropped.
pub struct Seat {
    places: Arc<Places>,
    of: Place,
}

impl Drop for Seat {
    fn drop(&mut self) {
        self.places.lock().turns.end(self.of);
        self.places.give();
    }
}

impl Places {
    pub fn new(places: usize) -> Arc<Places> {
        let turns = Turns::new(Capacity { places, queue: QUEUE });
        Arc::new(Places(Mutex::new(State { turns, closed: false })))
    }

    /// Waits for one at most so long.
    pub async fn take(self: &Arc<Places>, of: Place, wait: Duration) -> Result<Seat, Error> {
        let (send, receive) = oneshot::channel();
        {
            let mut state = self.lock();
            if state.closed {
                return Err(Error::Unavailable("the database is closed".into()));
            }
            let pushed = state.turns.push(of, send);
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
    fn give(self: &Arc<Places>) {
        loop {
            let next = {
                let mut state = self.lock();
                state.turns.next(|_| true)
            };
            let Some((of, waiter)) = next else { return };
            if waiter.is_closed() {
                // Whoever waited has gone.
                self.lock().turns.end(of);
                continue;
            }
            drop(waiter.send(Seat { places: self.clone(), of }));
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
        let places = Places::new(4);
        let company = |number| Place::Company(Uuid::from_u128(number));
        let first = places.take(company(1), SHORT).await.unwrap();
        let _second = places.take(company(1), SHORT).await.unwrap();
        assert!(places.take(company(1), SHORT).await.is_err());
        let _other = places.take(company(2), SHORT).await.unwrap();
        let _home = places.take(Place::Home, SHORT).await.unwrap();
        assert!(places.take(company(3), SHORT).await.is_err());
        let (next, ()) = tokio::join!(places.take(company(1), Duration::from_secs(5)), async move { drop(first) });
        assert!(next.is_ok());
        places.close();
        assert!(places.take(company(2), SHORT).await.is_err());
    }
}
