//! The limit for heavy work: reports, searches of text and large writes of all companies on this host. It has two parts.
//!
//! A seat is the right to be under way. The seats of all kinds are the same, companies have them round robin, and one
//! company has at most half: a company with an import and a report at once does not take twice as much.
//!
//! A turn is the right to run, for as long as other companies are served. There are half as many turns as seats. Heavy work
//! returns its turn between its statements and within a long run of its module, and a turn rests for as long as it was used.
//! So heavy work takes at most half of the time of half of the processors, and requests of others find one that is free. A
//! turn is a courtesy: work that finds none for long, or has little time left, runs without, so that nothing waits for ever
//! behind a long statement. Only PostgreSQL has turns: on SQLite the work keeps the one writer or a thread of its own.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::runtime::Handle;
use tokio::time::Instant;
use uuid::Uuid;

use super::QueueKey;
use super::activity::Activity;
use super::fair_queue::Capacity;
use super::slots::{NoSeat, Seat, Slots};
use super::sqlite::PacePermit;

/// Longest wait of a report for a seat. Other work waits for half of its time.
const REPORT_WAIT: Duration = Duration::from_secs(2);
/// Heavy work that may wait for a seat.
const QUEUE: usize = 256;
/// A turn is used at least for so long, and longer by what cannot be divided: a statement.
const SLICE: Duration = Duration::from_millis(5);
/// The longest rest of a turn.
const REST: Duration = Duration::from_millis(500);
/// Longest wait for a turn.
const TURN_WAIT: Duration = Duration::from_secs(1);
/// How many reports wait now.
const WAITING: &str = "stoa_heavy_reads_waiting";

/// The kinds of heavy work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HeavyKind {
    Report,
    Search,
    LargeWrite,
}

/// The seats and the turns of this host.
pub struct HeavyWork {
    seats: Arc<Slots<Uuid>>,
    turns: Arc<Slots<Uuid>>,
    /// Companies with requests that are not heavy.
    activity: Mutex<Activity>,
}

/// The seat of one piece of heavy work, and its turns. It is kept until nothing of the work runs any more, also where the
/// caller has left.
pub struct HeavyPermit {
    work: Arc<HeavyWork>,
    company: Uuid,
    turn: Mutex<Option<Turn>>,
    /// From then on the work runs without turns, so that it ends in time.
    hurries_at: Instant,
    _pace: Option<PacePermit>,
    _seat: Seat<Uuid>,
}

/// A time in which the work runs.
struct Turn {
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
        Arc::new(HeavyWork {
            seats: Slots::new(Capacity { slots: seats, queue: QUEUE }),
            turns: Slots::new(Capacity { slots: (seats / 2).max(1), queue: 2 * seats }),
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
            turn: Mutex::new(None),
            hurries_at: now + deadline.saturating_duration_since(now) / 2,
            _pace: pace,
            _seat: seat,
        })
    }

    /// Takes note of a request that is not heavy.
    pub fn note_request(&self, key: QueueKey) {
        self.activity().note(key, Instant::now().into_std());
    }

    fn has_other(&self, company: Uuid) -> bool {
        self.activity().has_other(QueueKey::Company(company), Instant::now().into_std())
    }

    fn activity(&self) -> MutexGuard<'_, Activity> {
        self.activity.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl HeavyPermit {
    /// Waits for the next turn, where the last one is over and other companies are served. The caller holds no lock that
    /// another company waits for.
    pub async fn take_turn(&self) {
        if !self.end_turn() {
            return;
        }
        let wait = self.hurries_at.saturating_duration_since(Instant::now()).min(TURN_WAIT);
        let mut seat = None;
        if !wait.is_zero() && self.work.has_other(self.company) {
            let begin = Instant::now();
            seat = self.work.turns.take(self.company, wait).await.ok();
            if begin.elapsed() >= Duration::from_millis(1) {
                metrics::counter!("stoa_paced_writes_total").increment(1);
            }
        }
        *self.turn() = Some(Turn { seat, since: Instant::now() });
    }

    /// Ends the turn after its least time. `false`: it goes on.
    fn end_turn(&self) -> bool {
        let ended = {
            let mut turn = self.turn();
            if turn.as_ref().is_some_and(|turn| turn.since.elapsed() < SLICE) {
                return false;
            }
            turn.take()
        };
        if let Some(turn) = ended {
            self.rest(turn);
        }
        true
    }

    /// Gives a turn back after its rest.
    fn rest(&self, turn: Turn) {
        let (Some(seat), time) = (turn.seat, turn.since.elapsed().min(REST)) else { return };
        if let Ok(runtime) = Handle::try_current()
            && self.work.has_other(self.company)
        {
            runtime.spawn(async move {
                tokio::time::sleep(time).await;
                drop(seat);
            });
        }
    }

    fn turn(&self) -> MutexGuard<'_, Option<Turn>> {
        self.turn.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for HeavyPermit {
    fn drop(&mut self) {
        let turn = self.turn().take();
        if let Some(turn) = turn {
            self.rest(turn);
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
        work.permit(kind, company(number), deadline, None).await.ok().expect("a seat")
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

    fn has_turn(permit: &HeavyPermit) -> bool {
        permit.turn().as_ref().is_some_and(|turn| turn.seat.is_some())
    }

    #[tokio::test]
    async fn work_runs_without_turns_while_no_other_company_is_served() {
        let work = HeavyWork::new(2);
        note(&work, 1);
        let one = permit(&work, HeavyKind::LargeWrite, 1).await;
        for _ in 0..3 {
            one.take_turn().now_or_never().expect("it waits for nothing");
            assert!(!has_turn(&one));
            std::thread::sleep(SLICE);
        }
        drop(one);
        // The requests of the first company are others' for a second one.
        let other = permit(&work, HeavyKind::Search, 2).await;
        other.take_turn().await;
        assert!(has_turn(&other));
    }

    #[tokio::test]
    async fn a_turn_rests_as_long_as_it_was_used() {
        let work = HeavyWork::new(2);
        let one = permit(&work, HeavyKind::LargeWrite, 1).await;
        note(&work, 3);
        one.take_turn().await;
        let used = Duration::from_millis(40);
        std::thread::sleep(used);
        let begin = Instant::now();
        one.take_turn().await;
        assert!(has_turn(&one) && begin.elapsed() >= used);
        // Where it ends with the work, it rests for the next one's sake.
        std::thread::sleep(used);
        drop(one);
        let (begin, next) = (Instant::now(), permit(&work, HeavyKind::Report, 2).await);
        next.take_turn().await;
        assert!(has_turn(&next) && begin.elapsed() >= used);
    }

    #[tokio::test]
    async fn the_work_of_two_companies_runs_by_turns() {
        let work = HeavyWork::new(2);
        let one = permit(&work, HeavyKind::LargeWrite, 1).await;
        let two = permit(&work, HeavyKind::Report, 2).await;
        note(&work, 3);
        one.take_turn().await;
        let mut other = Box::pin(two.take_turn());
        assert!(other.as_mut().now_or_never().is_none(), "one turn for two seats");
        drop(one);
        other.await;
        assert!(has_turn(&two));
    }

    #[tokio::test]
    async fn nothing_waits_for_ever_behind_a_long_statement() {
        let work = HeavyWork::new(4);
        let [one, two] = [permit(&work, HeavyKind::Report, 1).await, permit(&work, HeavyKind::Report, 1).await];
        let long = permit(&work, HeavyKind::LargeWrite, 2).await;
        note(&work, 3);
        long.take_turn().await;
        one.take_turn().await;
        assert!(has_turn(&long) && has_turn(&one));
        let begin = Instant::now();
        two.take_turn().await;
        assert!(!has_turn(&two) && begin.elapsed() >= TURN_WAIT);
        // Work whose time is nearly over waits for none.
        let mut hurried = permit(&work, HeavyKind::LargeWrite, 2).await;
        hurried.hurries_at = Instant::now();
        note(&work, 3);
        hurried.take_turn().now_or_never().expect("it runs at once");
    }
}
