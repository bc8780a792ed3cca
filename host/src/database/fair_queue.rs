//! A fair queue. Requests that wait for a database are served round robin between the keys of their queues
//! (`destination.rs`), and a company or a caller has at most half of the slots at once: a company with many requests waits
//! for itself. Where time is charged, the key that has taken the least lately comes first. Other resources are shared in
//! the same way. This file only counts: threads and tasks wait elsewhere.

use std::collections::{HashMap, VecDeque};
use std::hash::Hash;
use std::time::{Duration, Instant};

use uuid::Uuid;

use super::QueueKey;

/// After this long half of a time that was charged still counts.
const HALF_LIFE: Duration = Duration::from_secs(1);
/// Less than this does not count.
const LEAST: Duration = Duration::from_millis(1);

/// How much there is to share.
#[derive(Debug, Clone, Copy)]
pub struct Capacity {
    /// Slots that run at once.
    pub slots: usize,
    /// Requests that may wait.
    pub queue: usize,
}

/// Use of what is shared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Load {
    pub running: usize,
    pub waiting: usize,
    /// The most that run at once.
    pub limit: usize,
}

/// The key of those who share: of a queue of the database, or the id of a company or a caller.
pub trait Sharer: Copy + Eq + Hash {
    /// Returns whether it may take all there is. Others have half.
    fn has_all(self) -> bool;
}

/// The host's own work has all.
impl Sharer for QueueKey {
    fn has_all(self) -> bool {
        match self {
            QueueKey::Global => true,
            QueueKey::Company(_) | QueueKey::Caller(_) => false,
        }
    }
}

impl Sharer for Uuid {
    fn has_all(self) -> bool {
        false
    }
}

/// Half of what there is, and at least one: the part of one key.
fn part(key: impl Sharer, all: usize) -> usize {
    if key.has_all() { all } else { (all / 2).max(1) }
}

pub struct FairQueue<T, K = QueueKey> {
    capacity: Capacity,
    waiting: HashMap<K, VecDeque<T>>,
    /// Keys with waiting requests, in the order in which they are served.
    round: VecDeque<K>,
    /// How many of each run.
    running: HashMap<K, usize>,
    /// The time that each has taken lately, as it counted when time was last charged. All of them shrink alike.
    debts: HashMap<K, Duration>,
    charged_at: Option<Instant>,
    all_waiting: usize,
    all_running: usize,
}

impl<T, K: Sharer> FairQueue<T, K> {
    pub fn new(capacity: Capacity) -> FairQueue<T, K> {
        FairQueue {
            capacity,
            waiting: HashMap::new(),
            round: VecDeque::new(),
            running: HashMap::new(),
            debts: HashMap::new(),
            charged_at: None,
            all_waiting: 0,
            all_running: 0,
        }
    }

    /// Adds an item to the queue of its key. Returned where the queue, or the key's half of it, is full.
    pub fn push(&mut self, key: K, item: T) -> Result<(), T> {
        let queue = self.waiting.get(&key).map_or(0, VecDeque::len);
        if self.all_waiting >= self.capacity.queue || queue >= part(key, self.capacity.queue) {
            return Err(item);
        }
        if queue == 0 {
            self.round.push_back(key);
        }
        self.waiting.entry(key).or_default().push_back(item);
        self.all_waiting += 1;
        Ok(())
    }

    /// The next that may run, which from now on counts as running. `may`: whether an item may run now, whichever key it
    /// has; those behind one that may not wait with it.
    pub fn next(&mut self, may: impl Fn(&T) -> bool) -> Option<(K, T)> {
        if self.all_running >= self.capacity.slots {
            return None;
        }
        let may_run = |key: &K| {
            let running = self.running.get(key).copied().unwrap_or(0);
            running < part(*key, self.capacity.slots)
                && self.waiting.get(key).and_then(VecDeque::front).is_some_and(&may)
        };
        let debt = |key: &K| self.debts.get(key).copied().unwrap_or_default();
        // The first in the round of those with the least debt.
        let ready = self.round.iter().enumerate().filter(|(_, key)| may_run(key));
        let (nth, _) = ready.min_by_key(|(_, key)| debt(key))?;
        let key = self.round.remove(nth)?;
        let queue = self.waiting.get_mut(&key)?;
        let item = queue.pop_front()?;
        if queue.is_empty() {
            self.waiting.remove(&key);
        } else {
            self.round.push_back(key);
        }
        self.all_waiting -= 1;
        self.all_running += 1;
        *self.running.entry(key).or_default() += 1;
        Some((key, item))
    }

    /// One of these runs no more.
    pub fn end(&mut self, key: K) {
        if let Some(running) = self.running.get_mut(&key) {
            self.all_running -= 1;
            *running -= 1;
            if *running == 0 {
                self.running.remove(&key);
            }
        }
    }

    /// Removes the waiting items that are not kept.
    pub fn retain(&mut self, keep: impl Fn(&T) -> bool) {
        self.waiting.retain(|_, queue| {
            queue.retain(&keep);
            !queue.is_empty()
        });
        self.round.retain(|key| self.waiting.contains_key(key));
        self.all_waiting = self.waiting.values().map(VecDeque::len).sum();
    }

    /// An item of these has taken this time, which ends now. The host's own work is for all, and is not charged.
    pub fn charge(&mut self, key: K, time: Duration, now: Instant) {
        if key.has_all() {
            return;
        }
        let passed = self.charged_at.map_or(Duration::ZERO, |charged| now.saturating_duration_since(charged));
        let kept = 0.5_f64.powf(passed.as_secs_f64() / HALF_LIFE.as_secs_f64());
        self.debts.retain(|_, debt| {
            *debt = debt.mul_f64(kept);
            *debt >= LEAST
        });
        *self.debts.entry(key).or_default() += time;
        self.charged_at = Some(now);
    }

    /// How many run.
    pub fn count_running(&self) -> usize {
        self.all_running
    }

    /// How many run and wait.
    pub fn load(&self) -> Load {
        Load { running: self.all_running, waiting: self.all_waiting, limit: self.capacity.slots }
    }

    /// Returns whether nothing waits.
    pub fn is_empty(&self) -> bool {
        self.all_waiting == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn company(number: u128) -> QueueKey {
        QueueKey::Company(Uuid::from_u128(number))
    }

    fn queue_of(slots: usize, queue: usize) -> FairQueue<u32> {
        FairQueue::new(Capacity { slots, queue })
    }

    #[test]
    fn companies_come_round_robin_however_much_one_of_them_asks() {
        let mut fair_queue = queue_of(100, 100);
        for item in 0..5 {
            fair_queue.push(company(1), item).unwrap();
        }
        fair_queue.push(company(2), 10).unwrap();
        fair_queue.push(company(2), 11).unwrap();
        fair_queue.push(QueueKey::Global, 20).unwrap();
        let served: Vec<u32> = std::iter::from_fn(|| fair_queue.next(|_| true)).map(|(_, item)| item).collect();
        assert_eq!(served, [0, 10, 20, 1, 11, 2, 3, 4]);
    }

    #[test]
    fn a_company_has_half_of_the_places_and_what_belongs_to_none_has_all() {
        for (slots, of_a_company) in [(1, 1), (2, 1), (3, 1), (4, 2), (16, 8)] {
            let mut fair_queue = queue_of(slots, 100);
            for item in 0..20 {
                fair_queue.push(company(1), item).unwrap();
            }
            for _ in 0..of_a_company {
                assert!(fair_queue.next(|_| true).is_some());
            }
            assert!(fair_queue.next(|_| true).is_none(), "{slots}: its half is taken");
            if slots > of_a_company {
                fair_queue.push(company(2), 99).unwrap();
                assert_eq!(fair_queue.next(|_| true), Some((company(2), 99)), "{slots}: the rest is for others");
                fair_queue.end(company(2));
            }
            fair_queue.end(company(1));
            assert!(fair_queue.next(|_| true).is_some(), "{slots}");
        }
        let mut fair_queue = queue_of(3, 100);
        (0..5).for_each(|item| fair_queue.push(QueueKey::Global, item).unwrap());
        assert_eq!(std::iter::from_fn(|| fair_queue.next(|_| true)).count(), 3);
    }

    #[test]
    fn a_caller_outside_of_a_company_has_half_and_takes_none_of_the_company() {
        let caller = |number| QueueKey::Caller(Uuid::from_u128(number));
        let mut fair_queue = queue_of(4, 8);
        assert_eq!((0..10).filter(|item| fair_queue.push(caller(1), *item).is_ok()).count(), 4);
        assert_eq!(std::iter::from_fn(|| fair_queue.next(|_| true)).count(), 2);
        // The same number is another queue.
        fair_queue.push(company(1), 20).unwrap();
        fair_queue.push(caller(2), 30).unwrap();
        assert_eq!(fair_queue.next(|_| true), Some((company(1), 20)));
        assert_eq!(fair_queue.next(|_| true), Some((caller(2), 30)));
    }

    #[test]
    fn who_has_taken_the_least_time_lately_comes_first() {
        let mut fair_queue = queue_of(100, 100);
        let now = Instant::now();
        let order = |fair_queue: &mut FairQueue<u32>| -> Vec<u32> {
            for (number, item) in [(1, 10), (1, 11), (2, 20), (2, 21), (3, 30), (3, 31)] {
                fair_queue.push(company(number), item).unwrap();
            }
            fair_queue.push(QueueKey::Global, 0).unwrap();
            std::iter::from_fn(|| fair_queue.next(|_| true)).map(|(_, item)| item).collect()
        };
        fair_queue.charge(company(1), Duration::from_millis(200), now);
        fair_queue.charge(company(2), Duration::from_millis(5), now);
        fair_queue.charge(QueueKey::Global, Duration::from_secs(9), now);
        assert_eq!(order(&mut fair_queue), [30, 0, 31, 20, 21, 10, 11]);
        // After three seconds an eighth of it counts, and what has become little does not.
        fair_queue.charge(company(3), Duration::from_millis(30), now + HALF_LIFE * 3);
        assert_eq!(order(&mut fair_queue), [20, 0, 21, 10, 11, 30, 31]);
        assert_eq!(fair_queue.debts.len(), 2);
    }

    #[test]
    fn long_items_of_one_company_leave_half_of_the_time_to_short_ones_of_another() {
        let mut fair_queue = queue_of(9, 9);
        let (begin, mut now) = (Instant::now(), Instant::now());
        let mut taken = [Duration::ZERO; 2];
        // An item is its time in milliseconds.
        fair_queue.push(company(1), 200).unwrap();
        fair_queue.push(company(2), 2).unwrap();
        while now < begin + HALF_LIFE * 20 {
            let (key, milliseconds) = fair_queue.next(|_| true).unwrap();
            let time = Duration::from_millis(milliseconds.into());
            now += time;
            taken[usize::from(key == company(2))] += time;
            fair_queue.end(key);
            fair_queue.charge(key, time, now);
            fair_queue.push(key, milliseconds).unwrap();
        }
        let share = taken[1].as_secs_f64() / (taken[0] + taken[1]).as_secs_f64();
        assert!((0.4..0.6).contains(&share), "{share}");
    }

    #[test]
    fn a_company_fills_half_of_the_queue_and_leaves_the_other() {
        let mut fair_queue = queue_of(0, 6);
        assert_eq!((0..10).filter(|item| fair_queue.push(company(1), *item).is_ok()).count(), 3);
        assert_eq!((0..10).filter(|item| fair_queue.push(company(2), *item).is_ok()).count(), 3);
        assert_eq!(fair_queue.push(company(3), 7), Err(7));
        assert!(!fair_queue.is_empty());
    }

    #[test]
    fn what_may_not_run_now_holds_up_its_own_company_alone() {
        let mut fair_queue = queue_of(9, 9);
        fair_queue.push(company(1), 1).unwrap();
        fair_queue.push(company(2), 2).unwrap();
        assert_eq!(fair_queue.next(|item| *item != 1), Some((company(2), 2)));
        assert_eq!(fair_queue.next(|item| *item != 1), None);
        assert_eq!(fair_queue.next(|_| true), Some((company(1), 1)));
        assert_eq!(fair_queue.count_running(), 2);
        fair_queue.end(company(3));
        fair_queue.end(company(1));
        assert_eq!(fair_queue.count_running(), 1);
    }

    #[test]
    fn items_that_are_removed_leave_their_places_to_others() {
        let mut fair_queue = queue_of(9, 4);
        for (owner, item) in [(1, 1), (1, 2), (2, 3), (2, 4)] {
            fair_queue.push(company(owner), item).unwrap();
        }
        assert_eq!(fair_queue.push(company(3), 5), Err(5));
        fair_queue.retain(|item| *item == 2);
        fair_queue.push(company(3), 5).unwrap();
        let served: Vec<u32> = std::iter::from_fn(|| fair_queue.next(|_| true)).map(|(_, item)| item).collect();
        assert_eq!((served, fair_queue.is_empty()), (vec![2, 5], true));
    }
}
