//! Whose turn it is. What waits for a database is served round robin between companies, and no company has more than half of the
//! places at once: whoever asks for much waits for itself. Pure bookkeeping: threads and tasks wait elsewhere.

use std::collections::{HashMap, VecDeque};

use super::Place;

/// How much there is to share.
#[derive(Debug, Clone, Copy)]
pub struct Capacity {
    /// Places that run at once.
    pub places: usize,
    /// Requests that may wait.
    pub queue: usize,
}

/// Half of what there is, and at least one: a company's part. What belongs to no company has all.
fn part(of: Place, all: usize) -> usize {
    match of {
        Place::Home => all,
        Place::Company(_) => (all / 2).max(1),
    }
}

pub struct Turns<T> {
    capacity: Capacity,
    waiting: HashMap<Place, VecDeque<T>>,
    /// Who waits, as their turns come.
    round: VecDeque<Place>,
    /// How many of each run.
    running: HashMap<Place, usize>,
    all_waiting: usize,
    all_running: usize,
}

impl<T> Turns<T> {
    pub fn new(capacity: Capacity) -> Turns<T> {
        Turns {
            capacity,
            waiting: HashMap::new(),
            round: VecDeque::new(),
            running: HashMap::new(),
            all_waiting: 0,
            all_running: 0,
        }
    }

    /// Takes its place in the queue. Given back where the queue, or the company's half of it, is full.
    pub fn push(&mut self, of: Place, item: T) -> Result<(), T> {
        let queue = self.waiting.get(&of).map_or(0, VecDeque::len);
        if self.all_waiting >= self.capacity.queue || queue >= part(of, self.capacity.queue) {
            return Err(item);
        }
        if queue == 0 {
            self.round.push_back(of);
        }
        self.waiting.entry(of).or_default().push_back(item);
        self.all_waiting += 1;
        Ok(())
    }

    /// The next that may run, which from now on counts as running. `may`: whether an item may run now, whoever's it is; those
    /// behind one that may not wait with it.
    pub fn next(&mut self, may: impl Fn(&T) -> bool) -> Option<(Place, T)> {
        if self.all_running >= self.capacity.places {
            return None;
        }
        let nth = self.round.iter().position(|of| {
            let running = self.running.get(of).copied().unwrap_or(0);
            running < part(*of, self.capacity.places)
                && self.waiting.get(of).and_then(VecDeque::front).is_some_and(&may)
        })?;
        let of = self.round.remove(nth)?;
        let queue = self.waiting.get_mut(&of)?;
        let item = queue.pop_front()?;
        if queue.is_empty() {
            self.waiting.remove(&of);
        } else {
            self.round.push_back(of);
        }
        self.all_waiting -= 1;
        self.all_running += 1;
        *self.running.entry(of).or_default() += 1;
        Some((of, item))
    }

    /// One of these runs no more.
    pub fn end(&mut self, of: Place) {
        if let Some(running) = self.running.get_mut(&of) {
            self.all_running -= 1;
            *running -= 1;
            if *running == 0 {
                self.running.remove(&of);
            }
        }
    }

    /// How many run.
    pub fn count_running(&self) -> usize {
        self.all_running
    }

    /// Whether nothing waits.
    pub fn is_empty(&self) -> bool {
        self.all_waiting == 0
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    fn company(number: u128) -> Place {
        Place::Company(Uuid::from_u128(number))
    }

    fn turns(places: usize, queue: usize) -> Turns<u32> {
        Turns::new(Capacity { places, queue })
    }

    #[test]
    fn companies_take_turns_however_much_one_of_them_asks() {
        let mut turns = turns(100, 100);
        for item in 0..5 {
            turns.push(company(1), item).unwrap();
        }
        turns.push(company(2), 10).unwrap();
        turns.push(company(2), 11).unwrap();
        turns.push(Place::Home, 20).unwrap();
        let served: Vec<u32> = std::iter::from_fn(|| turns.next(|_| true)).map(|(_, item)| item).collect();
        assert_eq!(served, [0, 10, 20, 1, 11, 2, 3, 4]);
    }

    #[test]
    fn a_company_has_half_of_the_places_and_what_belongs_to_none_has_all() {
        for (places, of_a_company) in [(1, 1), (2, 1), (3, 1), (4, 2), (16, 8)] {
            let mut turns = turns(places, 100);
            for item in 0..20 {
                turns.push(company(1), item).unwrap();
            }
            for _ in 0..of_a_company {
                assert!(turns.next(|_| true).is_some());
            }
            assert!(turns.next(|_| true).is_none(), "{places}: its half is taken");
            if places > of_a_company {
                turns.push(company(2), 99).unwrap();
                assert_eq!(turns.next(|_| true), Some((company(2), 99)), "{places}: the rest is for others");
                turns.end(company(2));
            }
            turns.end(company(1));
            assert!(turns.next(|_| true).is_some(), "{places}");
        }
        let mut turns = turns(3, 100);
        (0..5).for_each(|item| turns.push(Place::Home, item).unwrap());
        assert_eq!(std::iter::from_fn(|| turns.next(|_| true)).count(), 3);
    }

    #[test]
    fn a_company_fills_half_of_the_queue_and_leaves_the_other() {
        let mut turns = turns(0, 6);
        assert_eq!((0..10).filter(|item| turns.push(company(1), *item).is_ok()).count(), 3);
        assert_eq!((0..10).filter(|item| turns.push(company(2), *item).is_ok()).count(), 3);
        assert_eq!(turns.push(company(3), 7), Err(7));
        assert!(!turns.is_empty());
    }

    #[test]
    fn what_may_not_run_now_holds_up_its_own_company_alone() {
        let mut turns = turns(9, 9);
        turns.push(company(1), 1).unwrap();
        turns.push(company(2), 2).unwrap();
        assert_eq!(turns.next(|item| *item != 1), Some((company(2), 2)));
        assert_eq!(turns.next(|item| *item != 1), None);
        assert_eq!(turns.next(|_| true), Some((company(1), 1)));
        assert_eq!(turns.count_running(), 2);
        turns.end(company(3));
        turns.end(company(1));
        assert_eq!(turns.count_running(), 1);
    }
}
