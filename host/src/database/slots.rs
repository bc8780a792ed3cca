//! Slots for what runs at once, given in the order of the fair queue (`fair_queue.rs`): connections, reports, large bodies. Tasks
//! wait here.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::oneshot;
use tokio::time::timeout;

use super::fair_queue::{Capacity, FairQueue, Load, Sharer};

/// All slots of one kind. `K`: the key of those who share them.
pub struct Slots<K: Sharer>(Mutex<State<K>>);

struct State<K: Sharer> {
    fair_queue: FairQueue<oneshot::Sender<Seat<K>>, K>,
    closed: bool,
}

/// After this time a holder of a slot lets holders of less time go first: a report, an import.
const LONG: Duration = Duration::from_millis(20);

/// One slot, given back when it is dropped.
pub struct Seat<K: Sharer> {
    slots: Arc<Slots<K>>,
    key: K,
    since: Instant,
}

/// Why there is no seat.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoSeat {
    Closed,
    /// Too many wait already, in all or of this key.
    QueueFull,
    /// No slot became free in time.
    Late,
}

impl<K: Sharer> Drop for Seat<K> {
    fn drop(&mut self) {
        let (time, now) = (self.since.elapsed(), Instant::now());
        {
            let mut state = self.slots.lock();
            state.fair_queue.end(self.key);
            if time >= LONG {
                state.fair_queue.charge(self.key, time, now);
            }
        }
        self.slots.give();
    }
}

impl<K: Sharer> Slots<K> {
    pub fn new(capacity: Capacity) -> Arc<Slots<K>> {
        Arc::new(Slots(Mutex::new(State { fair_queue: FairQueue::new(capacity), closed: false })))
    }

    /// Waits for a slot for `wait` at most.
    pub async fn take(self: &Arc<Slots<K>>, key: K, wait: Duration) -> Result<Seat<K>, NoSeat> {
        let (send, receive) = oneshot::channel();
        self.lock().push(key, send)?;
        self.give();
        match timeout(wait, receive).await {
            Ok(Ok(seat)) => Ok(seat),
            Ok(Err(_)) => Err(NoSeat::Closed),
            Err(_) => Err(NoSeat::Late),
        }
    }

    /// Gives free slots to those who come next.
    fn give(self: &Arc<Slots<K>>) {
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
            drop(waiter.send(Seat { slots: self.clone(), key, since: Instant::now() }));
        }
    }

    /// How many have a slot, and how many wait for one.
    pub fn load(&self) -> Load {
        let mut state = self.lock();
        // Those who gave up wait no more.
        state.fair_queue.retain(|waiter| !waiter.is_closed());
        state.fair_queue.load()
    }

    /// Gives no more.
    pub fn close(&self) {
        self.lock().closed = true;
    }

    fn lock(&self) -> MutexGuard<'_, State<K>> {
        // Bookkeeping by plain arithmetic: a panic elsewhere leaves it whole.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<K: Sharer> State<K> {
    fn push(&mut self, key: K, waiter: oneshot::Sender<Seat<K>>) -> Result<(), NoSeat> {
        if self.closed {
            return Err(NoSeat::Closed);
        }
        let Err(waiter) = self.fair_queue.push(key, waiter) else { return Ok(()) };
        // Those who gave up are still in the queue: they leave when the queue is full.
        self.fair_queue.retain(|waiter| !waiter.is_closed());
        self.fair_queue.push(key, waiter).map_err(|_| NoSeat::QueueFull)
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::super::QueueKey;
    use super::*;

    const SHORT: Duration = Duration::from_millis(20);
    const LONG_WAIT: Duration = Duration::from_secs(5);

    #[tokio::test]
    async fn who_has_had_a_slot_for_long_comes_after_another() {
        let slots = Slots::new(Capacity { slots: 1, queue: 9 });
        let company = |number| QueueKey::Company(Uuid::from_u128(number));
        let first = slots.take(company(1), SHORT).await.unwrap();
        let mut ahead = Box::pin(slots.take(company(1), LONG_WAIT));
        assert!(futures_util::poll!(&mut ahead).is_pending());
        let mut behind = Box::pin(slots.take(company(2), LONG_WAIT));
        assert!(futures_util::poll!(&mut behind).is_pending());
        std::thread::sleep(LONG);
        drop(first);
        let other = behind.await.unwrap();
        assert!(futures_util::poll!(&mut ahead).is_pending());
        drop(other);
        assert!(ahead.await.is_ok());
    }

    #[tokio::test]
    async fn one_company_takes_half_and_another_finds_a_slot() {
        let slots = Slots::new(Capacity { slots: 4, queue: 9 });
        let company = |number| QueueKey::Company(Uuid::from_u128(number));
        let first = slots.take(company(1), SHORT).await.unwrap();
        let _second = slots.take(company(1), SHORT).await.unwrap();
        assert_eq!(slots.take(company(1), SHORT).await.err(), Some(NoSeat::Late));
        let _other = slots.take(company(2), SHORT).await.unwrap();
        let _global = slots.take(QueueKey::Global, SHORT).await.unwrap();
        assert_eq!(slots.take(company(3), SHORT).await.err(), Some(NoSeat::Late));
        let (next, ()) = tokio::join!(slots.take(company(1), LONG_WAIT), async move { drop(first) });
        assert!(next.is_ok());
        slots.close();
        assert_eq!(slots.take(company(2), SHORT).await.err(), Some(NoSeat::Closed));
    }

    #[tokio::test]
    async fn the_next_slot_is_not_of_the_key_with_most_waiting() {
        let slots = Slots::new(Capacity { slots: 1, queue: 64 });
        let [greedy, other] = [1, 2].map(Uuid::from_u128);
        let first = slots.take(greedy, SHORT).await.unwrap();
        let order = Mutex::new(Vec::new());
        let wait = async |key: Uuid| {
            let seat = slots.take(key, LONG_WAIT).await.unwrap();
            order.lock().unwrap().push(key);
            drop(seat);
        };
        // Joined futures begin in this order: two of one key wait before the other comes.
        tokio::join!(wait(greedy), wait(greedy), wait(other), async move { drop(first) });
        assert_eq!(*order.lock().unwrap(), [greedy, other, greedy]);
    }

    #[tokio::test]
    async fn those_who_gave_up_take_no_room_in_the_queue() {
        let slots = Slots::new(Capacity { slots: 1, queue: 2 });
        let [one, other] = [1, 2].map(Uuid::from_u128);
        let _first = slots.take(one, SHORT).await.unwrap();
        for _ in 0..4 {
            assert_eq!(slots.take(one, SHORT).await.err(), Some(NoSeat::Late));
            assert_eq!(slots.take(other, SHORT).await.err(), Some(NoSeat::Late));
        }
        let crowd = tokio::join!(slots.take(one, SHORT), slots.take(one, SHORT));
        assert_eq!((crowd.0.err(), crowd.1.err()), (Some(NoSeat::Late), Some(NoSeat::QueueFull)));
    }
}
