//! The limit for heavy work: reports, searches of text and large writes of all companies on this host. It has two parts.
//!
//! A seat is the right to be under way. The seats of all kinds are the same, companies have them round robin, and one
//! company has at most half: a company with an import and a report at once does not take twice as much.
//!
//! A time slice is the right to run while other companies are served. There are half as many time slices as seats. Heavy
//! work returns its slice between its statements and within a long run of its module, and the slice rests for as long as
//! it was used. So heavy work takes at most half of the time of half of the processors, and requests of others find one
//! that is free. Work that finds no slice for long, or has little time left, runs without one, so that nothing waits for
//! ever behind a long statement. Only PostgreSQL has time slices: on SQLite the work keeps the one writer or a thread of
//! its own.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::runtime::Handle;
use tokio::time::Instant;
use uuid::Uuid;

use super::QueueKey;
use super::activity::Activity;
use super::fair_queue::Capacity;
use super::large_answers::LargeAnswers;
use super::slots::{NoSeat, Seat, Slots};
use super::sqlite::PacePermit;

/// Longest wait of a report for a seat. Other work waits for half of its time.
const REPORT_WAIT: Duration = Duration::from_secs(2);
/// Heavy work that may wait for a seat.
const QUEUE: usize = 256;
/// A time slice is used at least for so long, and longer by what cannot be divided: a statement.
const LEAST: Duration = Duration::from_millis(5);
/// The longest rest of a time slice.
const REST: Duration = Duration::from_millis(500);
/// Longest wait for a time slice.
const SLICE_WAIT: Duration = Duration::from_secs(1);
/// How many reports wait now.
const WAITING: &str = "stoa_heavy_reads_waiting";

/// The kinds of heavy work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HeavyKind {
    Report,
    Search,
    LargeWrite,
}

/// The seats and the time slices of this host.
pub struct HeavyWork {
    seats: Arc<Slots<Uuid>>,
    slices: Arc<Slots<Uuid>>,
    pub large_answers: LargeAnswers,
    /// Companies with requests that are not heavy.
    activity: Mutex<Activity>,
}

/// The seat of one piece of heavy work, and its time slices. It is kept until nothing of the work runs any more, also where
/// the caller has left.
pub struct HeavyPermit {
    work: Arc<HeavyWork>,
    company: Uuid,
    slice: Mutex<Option<TimeSlice>>,
    /// From then on the work runs without time slices, so that it ends in time.
    hurries_at: Instant,
    pace: Option<PacePermit>,
    _seat: Seat<Uuid>,
}

/// A time in which the work runs.
struct TimeSlice {
    /// None: no other company is served, or none became free in time.
    seat: Option<Seat<Uuid>>,
    since: Instant,
}

/// Counts a report that waits for a seat, until this is dropped.
struct WaitingReport;

impl WaitingReport {
    fn new() -> WaitingReport {
        metrics::gauge!(WAITING).increment(1.0);
        WaitingReport
    }
}

impl Drop for WaitingReport {
    fn drop(&mut self) {
        metrics::gauge!(WAITING).decrement(1.0);
    }
}

impl HeavyWork {
    /// `seats`: heavy work that is under way at once.
    pub fn new(seats: usize) -> Arc<HeavyWork> {
        let seats = seats.max(1);
        let half = (seats / 2).max(1);
        Arc::new(HeavyWork {
            seats: Slots::new(Capacity { slots: seats, queue: QUEUE }),
            slices: Slots::new(Capacity { slots: half, queue: 2 * seats }),
            large_answers: LargeAnswers::new(half),
            activity: Mutex::default(),
        })
    }

    /// Waits for a seat of this company. `deadline`: of the request. An error: none became free in time, or too many wait.
    pub async fn permit(
        self: &Arc<HeavyWork>,
        kind: HeavyKind,
        company: Uuid,
        deadline: Instant,
        pace: Option<PacePermit>,
    ) -> Result<HeavyPermit, NoSeat> {
        let _waiting = (kind == HeavyKind::Report).then(WaitingReport::new);
        let left = deadline.saturating_duration_since(Instant::now());
        let wait = if kind == HeavyKind::Report { REPORT_WAIT.min(left) } else { left / 2 };
        let seat = self.seats.take(company, wait).await.inspect_err(|_| {
            if kind == HeavyKind::Report {
                metrics::counter!("stoa_heavy_reads_refused_total").increment(1);
            }
        })?;
        let now = Instant::now();
        Ok(HeavyPermit {
            work: self.clone(),
            company,
            slice: Mutex::new(None),
            hurries_at: now + deadline.saturating_duration_since(now) / 2,
            pace,
            _seat: seat,
        })
    }

    /// Takes note of a request that is not heavy.
    pub fn note_request(&self, key: QueueKey) {
        self.activity().note(key, Instant::now().into_std());
    }

    /// Returns whether another company has requests that are not heavy.
    pub fn has_other(&self, company: Uuid) -> bool {
        self.activity().has_other(QueueKey::Company(company), Instant::now().into_std())
    }

    fn activity(&self) -> MutexGuard<'_, Activity> {
        self.activity.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl HeavyPermit {
    /// Returns whether it is a large write that leaves time to the writes of other companies.
    pub fn is_paced(&self) -> bool {
        self.pace.is_some()
    }

    /// Waits for the next time slice, where the last one is over and other companies are served. The caller holds no lock
    /// that another company waits for.
    pub async fn take_slice(&self) {
        if !self.end_slice() {
            return;
        }
        let wait = self.hurries_at.saturating_duration_since(Instant::now()).min(SLICE_WAIT);
        let mut seat = None;
        if !wait.is_zero() && self.work.has_other(self.company) {
            let begin = Instant::now();
            seat = self.work.slices.take(self.company, wait).await.ok();
            if begin.elapsed() >= Duration::from_millis(1) {
                metrics::counter!("stoa_paced_writes_total").increment(1);
            }
        }
        *self.slice() = Some(TimeSlice { seat, since: Instant::now() });
    }

    /// Ends the time slice after its least time. `false`: it goes on.
    fn end_slice(&self) -> bool {
        let ended = {
            let mut slice = self.slice();
            if slice.as_ref().is_some_and(|slice| slice.since.elapsed() < LEAST) {
                return false;
            }
            slice.take()
        };
        if let Some(slice) = ended {
            self.rest(slice);
        }
        true
    }

    /// Gives a time slice back after its rest.
    fn rest(&self, slice: TimeSlice) {
        let (Some(seat), time) = (slice.seat, slice.since.elapsed().min(REST)) else { return };
        if let Ok(runtime) = Handle::try_current()
            && self.work.has_other(self.company)
        {
            runtime.spawn(async move {
                tokio::time::sleep(time).await;
                drop(seat);
            });
        }
    }

    fn slice(&self) -> MutexGuard<'_, Option<TimeSlice>> {
        self.slice.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for HeavyPermit {
    fn drop(&mut self) {
        let slice = self.slice().take();
        if let Some(slice) = slice {
            self.rest(slice);
        }
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt as _;

    use super::*;

    const KINDS: [HeavyKind; 3] = [HeavyKind::Report, HeavyKind::Search, HeavyKind::LargeWrite];

    fn company(number: u128) -> Uuid {
        Uuid::from_u128(number)
    }

    async fn permit(work: &Arc<HeavyWork>, kind: HeavyKind, number: u128) -> HeavyPermit {
        let deadline = Instant::now() + Duration::from_secs(10);
        work.permit(kind, company(number), deadline, None).await.expect("a seat")
    }

    async fn refuses(work: &Arc<HeavyWork>, kind: HeavyKind, number: u128) -> bool {
        let deadline = Instant::now() + Duration::from_millis(20);
        matches!(work.permit(kind, company(number), deadline, None).await, Err(NoSeat::Late))
    }

    fn note(work: &HeavyWork, number: u128) {
        work.note_request(QueueKey::Company(company(number)));
    }

    #[tokio::test]
    async fn a_company_has_half_of_the_seats_for_all_kinds_together() {
        let work = HeavyWork::new(4);
        let held = (permit(&work, HeavyKind::LargeWrite, 1).await, permit(&work, HeavyKind::Search, 1).await);
        for kind in KINDS {
            assert!(refuses(&work, kind, 1).await, "{kind:?}: the company's half is taken");
        }
        let _other = permit(&work, HeavyKind::Report, 2).await;
        let mut next = Box::pin(permit(&work, HeavyKind::Report, 1));
        assert!(next.as_mut().now_or_never().is_none());
        drop(held.0);
        next.await;
    }

    #[tokio::test]
    async fn the_next_seat_is_another_companys() {
        let work = HeavyWork::new(1);
        let first = permit(&work, HeavyKind::LargeWrite, 1).await;
        let mut greedy = Box::pin(permit(&work, HeavyKind::LargeWrite, 1));
        assert!(greedy.as_mut().now_or_never().is_none());
        // The other one comes later, behind a second of the first company's.
        let mut greedier = Box::pin(permit(&work, HeavyKind::Search, 1));
        assert!(greedier.as_mut().now_or_never().is_none());
        let mut other = Box::pin(permit(&work, HeavyKind::Report, 2));
        assert!(other.as_mut().now_or_never().is_none());
        drop(first);
        drop(greedy.await);
        drop(other.await);
        drop(greedier.await);
    }

    fn has_slice(permit: &HeavyPermit) -> bool {
        permit.slice().as_ref().is_some_and(|slice| slice.seat.is_some())
    }

    #[tokio::test]
    async fn work_runs_without_time_slices_while_no_other_company_is_served() {
        let work = HeavyWork::new(2);
        note(&work, 1);
        let one = permit(&work, HeavyKind::LargeWrite, 1).await;
        for _ in 0..3 {
            one.take_slice().now_or_never().expect("it waits for nothing");
            assert!(!has_slice(&one));
            std::thread::sleep(LEAST);
        }
        drop(one);
        // The requests of the first company are others' for a second one.
        let other = permit(&work, HeavyKind::Search, 2).await;
        other.take_slice().await;
        assert!(has_slice(&other));
    }

    #[tokio::test]
    async fn a_time_slice_rests_as_long_as_it_was_used() {
        let work = HeavyWork::new(2);
        let one = permit(&work, HeavyKind::LargeWrite, 1).await;
        note(&work, 3);
        one.take_slice().await;
        let used = Duration::from_millis(40);
        std::thread::sleep(used);
        let begin = Instant::now();
        one.take_slice().await;
        assert!(has_slice(&one) && begin.elapsed() >= used);
        // Where it ends with the work, it rests for the next one's sake.
        std::thread::sleep(used);
        drop(one);
        let (begin, next) = (Instant::now(), permit(&work, HeavyKind::Report, 2).await);
        next.take_slice().await;
        assert!(has_slice(&next) && begin.elapsed() >= used);
    }

    #[tokio::test]
    async fn the_work_of_two_companies_runs_in_time_slices() {
        let work = HeavyWork::new(2);
        let one = permit(&work, HeavyKind::LargeWrite, 1).await;
        let two = permit(&work, HeavyKind::Report, 2).await;
        note(&work, 3);
        one.take_slice().await;
        let mut other = Box::pin(two.take_slice());
        assert!(other.as_mut().now_or_never().is_none(), "one time slice for two seats");
        drop(one);
        other.await;
        assert!(has_slice(&two));
    }

    #[tokio::test]
    async fn nothing_waits_for_ever_behind_a_long_statement() {
        let work = HeavyWork::new(4);
        let [one, two] = [permit(&work, HeavyKind::Report, 1).await, permit(&work, HeavyKind::Report, 1).await];
        let long = permit(&work, HeavyKind::LargeWrite, 2).await;
        note(&work, 3);
        long.take_slice().await;
        one.take_slice().await;
        assert!(has_slice(&long) && has_slice(&one));
        let begin = Instant::now();
        two.take_slice().await;
        assert!(!has_slice(&two) && begin.elapsed() >= SLICE_WAIT);
        // Work whose time is nearly over waits for none.
        let mut hurried = permit(&work, HeavyKind::LargeWrite, 2).await;
        hurried.hurries_at = Instant::now();
        note(&work, 3);
        hurried.take_slice().now_or_never().expect("it runs at once");
    }
}
