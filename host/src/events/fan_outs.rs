//! The queue of the companies whose events become deliveries: a few at a time, round robin in the order of their ids. A
//! company whose fan-out fails rests, longer each time, and so does one whose fan-out is slow: neither holds up
//! another.

use std::collections::{BTreeSet, HashMap, VecDeque};
use std::time::Duration;

use tokio::task::JoinSet;
use tokio::time::Instant;
use uuid::Uuid;

use super::fan_out::COMPANIES;
use crate::database::{Error, Shard};

/// Companies at a time: requests need the database too.
const AT_ONCE: usize = 4;
/// The rest after the first failure, and the longest one.
const FIRST_REST: Duration = Duration::from_secs(1);
const LONGEST_REST: Duration = Duration::from_secs(300);
/// A fan-out that takes longer is slow: its company rests four times as long.
const SLOW: Duration = Duration::from_secs(1);
/// Companies whose rests are remembered.
const MOST_RESTS: usize = 10_000;

/// A company that rests.
struct Rest {
    /// Failures in a row.
    failures: u32,
    until: Instant,
}

/// A fan-out that ended.
pub struct FanOutEnd {
    pub tenant: Uuid,
    /// How many events there were.
    pub result: Result<usize, Error>,
    pub time: Duration,
}

/// Companies whose fan-out runs or comes next.
#[derive(Default)]
pub struct FanOuts {
    tasks: JoinSet<FanOutEnd>,
    at_work: BTreeSet<Uuid>,
    queue: VecDeque<Uuid>,
    rests: HashMap<Uuid, Rest>,
    /// The last company that was found in a shard.
    last: HashMap<Shard, Uuid>,
}

impl FanOuts {
    /// Returns whether companies are to be looked for.
    pub fn is_empty(&self) -> bool {
        self.queue.is_empty()
    }

    /// The company of a shard behind which to look for the next ones.
    pub fn last(&self, shard: Shard) -> Uuid {
        self.last.get(&shard).copied().unwrap_or_default()
    }

    /// Adds what a look found in a shard. After the last company comes the first one again.
    pub fn add(&mut self, shard: Shard, found: Vec<Uuid>) {
        let last = found.last().copied().filter(|_| found.len() >= COMPANIES);
        self.last.insert(shard, last.unwrap_or_default());
        self.queue.extend(found);
    }

    /// Adds companies of which is known that they have events, once all that were added before have begun. Those at work
    /// are left in the set: they may have new events since they began.
    pub fn add_known(&mut self, companies: &mut BTreeSet<Uuid>) {
        if self.queue.is_empty() {
            let at_work = companies.intersection(&self.at_work).copied().collect();
            let known = std::mem::replace(companies, at_work);
            self.queue.extend(known.difference(companies));
        }
    }

    /// Begins the fan-outs that there is room for.
    pub fn start<F>(&mut self, now: Instant, fan_out: impl Fn(Uuid) -> F)
    where
        F: Future<Output = FanOutEnd> + Send + 'static,
    {
        while self.at_work.len() < AT_ONCE {
            let Some(tenant) = self.queue.pop_front() else { break };
            let rests = self.rests.get(&tenant).is_some_and(|rest| now < rest.until);
            if !rests && self.at_work.insert(tenant) {
                self.tasks.spawn(fan_out(tenant));
            }
        }
    }

    /// Waits until a fan-out has ended; `None` where none runs.
    pub async fn join_next(&mut self) -> Option<FanOutEnd> {
        // A task that panicked is none of these: `fan_out` catches that.
        self.tasks.join_next().await?.ok()
    }

    /// Takes note of a fan-out that ended.
    pub fn note_end(&mut self, ended: &FanOutEnd, now: Instant) {
        self.at_work.remove(&ended.tenant);
        let failures = match &ended.result {
            Ok(_) => 0,
            // The disk is full for every company.
            Err(Error::Full(_)) => 1,
            Err(_) => self.rests.get(&ended.tenant).map_or(0, |rest| rest.failures).saturating_add(1),
        };
        let rest = match failures {
            0 if ended.time <= SLOW => {
                self.rests.remove(&ended.tenant);
                return;
            }
            0 => ended.time * 4,
            failures => FIRST_REST * 2_u32.saturating_pow(failures - 1).min(1 << 16),
        };
        if self.rests.len() >= MOST_RESTS {
            self.rests.retain(|_, rest| now < rest.until);
        }
        if self.rests.len() < MOST_RESTS {
            self.rests.insert(ended.tenant, Rest { failures, until: now + rest.min(LONGEST_REST) });
        }
    }

    /// Lets every company go on: the database was away, and no company failed by itself.
    pub fn end_rests(&mut self) {
        self.rests.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ids(numbers: std::ops::RangeInclusive<u128>) -> Vec<Uuid> {
        numbers.map(Uuid::from_u128).collect()
    }

    fn new_end(tenant: u128, result: Result<usize, Error>, seconds: u64) -> FanOutEnd {
        FanOutEnd { tenant: Uuid::from_u128(tenant), result, time: Duration::from_secs(seconds) }
    }

    /// Starts what there is room for; which companies these are.
    fn start(fan_outs: &mut FanOuts, now: Instant) -> Vec<u128> {
        let started = std::cell::RefCell::new(Vec::new());
        fan_outs.start(now, |tenant| {
            started.borrow_mut().push(tenant.as_u128());
            std::future::pending::<FanOutEnd>()
        });
        started.into_inner()
    }

    #[tokio::test]
    async fn few_run_at_once_and_each_company_once() {
        let (mut fan_outs, now) = (FanOuts::default(), Instant::now());
        fan_outs.add(Shard::Global, ids(1..=6));
        assert_eq!(start(&mut fan_outs, now), [1, 2, 3, 4]);
        fan_outs.note_end(&new_end(2, Ok(1), 0), now);
        assert_eq!(start(&mut fan_outs, now), [5]);
        // It was found again while it runs.
        fan_outs.add(Shard::Global, ids(1..=2));
        fan_outs.note_end(&new_end(5, Ok(1), 0), now);
        fan_outs.note_end(&new_end(3, Ok(1), 0), now);
        assert_eq!(start(&mut fan_outs, now), [6, 2]);
        assert!(fan_outs.is_empty());
    }

    #[tokio::test]
    async fn a_company_that_fails_rests_longer_each_time_and_no_other_does() {
        let (mut fan_outs, mut now) = (FanOuts::default(), Instant::now());
        let fail = || Err(Error::Fault("poisoned".into()));
        for seconds in [1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300] {
            fan_outs.add(Shard::Global, ids(1..=2));
            assert_eq!(start(&mut fan_outs, now), [1, 2]);
            fan_outs.note_end(&new_end(1, fail(), 0), now);
            fan_outs.note_end(&new_end(2, Ok(1), 0), now);
            let early = now + Duration::from_secs(seconds) - Duration::from_millis(1);
            fan_outs.add(Shard::Global, ids(1..=2));
            assert_eq!(start(&mut fan_outs, early), [2], "{seconds} s");
            fan_outs.note_end(&new_end(2, Ok(1), 0), early);
            now += Duration::from_secs(seconds);
        }
        // One that succeeds begins with the first rest again.
        fan_outs.note_end(&new_end(1, Ok(1), 0), now);
        fan_outs.note_end(&new_end(1, fail(), 0), now);
        fan_outs.add(Shard::Global, ids(1..=1));
        assert_eq!(start(&mut fan_outs, now + FIRST_REST), [1]);
        fan_outs.note_end(&new_end(1, fail(), 0), now);
        for _ in 0..5 {
            fan_outs.note_end(&new_end(1, Err(Error::Full("the disk".into())), 0), now);
        }
        fan_outs.add(Shard::Global, ids(1..=1));
        assert_eq!(start(&mut fan_outs, now + FIRST_REST), [1], "the disk was full for all");
        fan_outs.note_end(&new_end(1, fail(), 0), now);
        fan_outs.end_rests();
        fan_outs.add(Shard::Global, ids(1..=1));
        assert_eq!(start(&mut fan_outs, now), [1], "the database was away");
    }

    #[tokio::test]
    async fn a_slow_company_rests_four_times_as_long() {
        let (mut fan_outs, now) = (FanOuts::default(), Instant::now());
        fan_outs.note_end(&new_end(1, Ok(1), 5), now);
        fan_outs.add(Shard::Global, ids(1..=1));
        assert_eq!(start(&mut fan_outs, now + Duration::from_secs(19)), [0; 0]);
        fan_outs.add(Shard::Global, ids(1..=1));
        assert_eq!(start(&mut fan_outs, now + Duration::from_secs(20)), [1]);
    }

    #[tokio::test]
    async fn what_is_known_waits_for_what_is_at_work() {
        let (mut fan_outs, now) = (FanOuts::default(), Instant::now());
        let mut known: BTreeSet<Uuid> = ids(1..=2).into_iter().collect();
        fan_outs.add_known(&mut known);
        assert_eq!((known.len(), start(&mut fan_outs, now)), (0, vec![1, 2]));
        known.extend(ids(2..=3));
        fan_outs.add_known(&mut known);
        assert_eq!((&known, start(&mut fan_outs, now)), (&BTreeSet::from([Uuid::from_u128(2)]), vec![3]));
        fan_outs.note_end(&new_end(2, Ok(1), 0), now);
        fan_outs.add_known(&mut known);
        assert_eq!((known.len(), start(&mut fan_outs, now)), (0, vec![2]));
        // The queue is not filled while it is full.
        fan_outs.add(Shard::Global, ids(4..=6));
        known.extend(ids(7..=8));
        fan_outs.add_known(&mut known);
        assert_eq!(known.len(), 2);
    }

    #[test]
    fn looks_go_round() {
        let mut fan_outs = FanOuts::default();
        assert_eq!(fan_outs.last(Shard::Global), Uuid::nil());
        fan_outs.add(Shard::Global, ids(1..=COMPANIES as u128));
        assert_eq!(fan_outs.last(Shard::Global).as_u128(), COMPANIES as u128);
        fan_outs.add(Shard::Global, ids(2_000..=2_001));
        assert_eq!(fan_outs.last(Shard::Global), Uuid::nil(), "that was the last of them");
    }
}
