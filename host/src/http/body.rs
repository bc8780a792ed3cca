//! Reading a body: up to the operation's limit, in time, within the budget of memory, and never many large ones at
//! once. A large body that has arrived waits for one of few slots, which are given to callers round robin.

use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use bytes::Bytes;
use http_body_util::BodyExt as _;
use hyper::body::Body as _;
use tokio::time::{Instant, timeout, timeout_at};
use uuid::Uuid;

use super::budget::{Budget, BudgetShare};
use crate::database::fair_queue::Capacity;
use crate::database::slots::{Seat, Slots};
use crate::problem::Problem;

/// Beyond this a body is read only once it is known that its caller may ask at all, and judged off the threads that
/// serve everybody.
pub const SMALL: usize = 64 << 10;
/// A body above this is large.
const LARGE: usize = 1 << 20;
/// Large bodies that are judged and answered at once. One caller has at most half.
const LARGE_BODIES: Capacity = Capacity { slots: 4, queue: 256 };
/// Longest wait of a large body for its slot.
const WAIT: Duration = Duration::from_secs(5);
/// Longest time for a body to arrive.
const TIME: Duration = Duration::from_secs(30);
/// The least rates of bodies: some 6 KiB a second for a small one or the first bytes of another, then 32 KiB a second.
const RATES: Rates = Rates { small: Duration::from_secs(10), pace: Duration::from_secs(2) };
/// Bytes that must arrive in each interval, beyond a small body.
const LEAST: usize = 64 << 10;

/// The times of the least rates.
#[derive(Clone, Copy)]
struct Rates {
    /// For the first `SMALL` bytes.
    small: Duration,
    /// Interval in which `LEAST` bytes of the rest must arrive.
    pace: Duration,
}
/// Bodies that are judged at once, apart from the threads that serve everybody. One caller has at most half.
const JUDGED: Capacity = Capacity { slots: 2, queue: 256 };
/// Longest wait of a body for being judged.
const JUDGED_WAIT: Duration = Duration::from_secs(10);

/// The memory of bodies, the slots of large ones, and of those that are judged apart. Their keys are callers.
pub struct Bodies {
    memory: Arc<Budget>,
    large: Arc<Slots<Uuid>>,
    judged: Arc<Slots<Uuid>>,
}

impl Bodies {
    /// `memory`: bytes of all bodies together.
    pub fn new(memory: usize) -> Bodies {
        Bodies { memory: Budget::new(memory), large: Slots::new(LARGE_BODIES), judged: Slots::new(JUDGED) }
    }

    /// Bytes of the bodies that are held, and the most.
    pub fn load(&self) -> (usize, usize) {
        self.memory.load()
    }

    /// Judges a body that is not small on a thread of its own, two at a time, for it may take long.
    pub async fn judge<T: Send + 'static>(
        &self,
        caller: Uuid,
        judge: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Problem> {
        let seat = self.judged.take(caller, JUDGED_WAIT).await.map_err(|_| Problem::new("UNAVAILABLE"))?;
        let judged = tokio::task::spawn_blocking(move || {
            // As long as it runs, whether the caller has left or not.
            let _seat = seat;
            judge()
        });
        judged.await.map_err(|_| Problem::new("INTERNAL"))
    }
}

/// A body with its part of the memory and, where it is large, its slot among the few: both are kept until the request
/// is answered.
pub struct Read {
    pub bytes: Bytes,
    pub memory: BudgetShare,
    pub seat: Option<Seat<Uuid>>,
}

/// Why there is no body.
pub enum Unread {
    Refused(Problem),
    /// The connection broke off, lied about its framing, was too slow or sends more than there is room for: it ends
    /// with the answer.
    Broken(Problem),
}

/// Reads a caller's body. `may_send`: whether the caller may ask here at all; it is asked before more than a small body is read.
pub async fn read(
    mut body: Body,
    limit: u64,
    bodies: &Bodies,
    caller: Uuid,
    may_send: impl Future<Output = Result<(), Problem>>,
) -> Result<Read, Unread> {
    if body.size_hint().lower() > limit {
        return Err(Unread::Refused(Problem::new("PAYLOAD_TOO_LARGE")));
    }
    let mut memory = bodies.memory.share(caller);
    let bytes = timeout(TIME, collect(&mut body, limit, RATES, &mut memory, may_send))
        .await
        .unwrap_or_else(|_| Err(too_slow()))?;
    // A body that is still on its way has no slot, so that slow senders keep none.
    let seat = match bytes.len() > LARGE {
        true => Some(bodies.large.take(caller, WAIT).await.map_err(|_| Unread::Refused(Problem::new("UNAVAILABLE")))?),
        false => None,
    };
    Ok(Read { bytes, memory, seat })
}

async fn collect(
    body: &mut Body,
    limit: u64,
    rates: Rates,
    memory: &mut BudgetShare,
    may_send: impl Future<Output = Result<(), Problem>>,
) -> Result<Bytes, Unread> {
    let mut bytes = Vec::new();
    let mut pace = None;
    let mut may_send = Some(may_send);
    let most = usize::try_from(body.size_hint().upper().unwrap_or(limit).min(limit)).unwrap_or(usize::MAX);
    if body.size_hint().lower() > SMALL as u64
        && let Some(may_send) = may_send.take()
    {
        may_send.await.map_err(Unread::Refused)?;
    }
    let small_until = Instant::now() + rates.small;
    loop {
        let frame = match bytes.len() >= SMALL {
            true => pace.get_or_insert_with(|| Pace::start(rates.pace)).keep(body.frame(), bytes.len()).await?,
            false => timeout_at(small_until, body.frame()).await.map_err(|_| too_slow())?,
        };
        let Some(frame) = frame else { break };
        let Ok(data) = frame.map_err(|_| Unread::Broken(Problem::new("MALFORMED_JSON")))?.into_data() else { continue };
        let size = bytes.len() + data.len();
        if size as u64 > limit {
            return Err(Unread::Refused(Problem::new("PAYLOAD_TOO_LARGE")));
        }
        if size > SMALL
            && let Some(may_send) = may_send.take()
        {
            may_send.await.map_err(Unread::Refused)?;
        }
        make_room(&mut bytes, size, most, memory)?;
        bytes.extend_from_slice(&data);
    }
    Ok(bytes.into())
}

/// Makes room for `size` bytes in all. Room is doubled, up to the longest that the body can be, and all of it counts.
fn make_room(bytes: &mut Vec<u8>, size: usize, most: usize, memory: &mut BudgetShare) -> Result<(), Unread> {
    let room = bytes.capacity();
    if size <= room {
        return Ok(());
    }
    let room_then = (2 * room).min(most).max(size);
    if !memory.grow(room_then - room) {
        metrics::counter!("stoa_bodies_refused_total").increment(1);
        return Err(Unread::Broken(Problem::new("UNAVAILABLE")));
    }
    bytes.reserve_exact(room_then - bytes.len());
    Ok(())
}

fn too_slow() -> Unread {
    Unread::Broken(Problem::new("UNAVAILABLE"))
}

/// The least rate at which a body that is not small arrives.
struct Pace {
    every: Duration,
    until: Instant,
    from: Option<usize>,
}

impl Pace {
    fn start(every: Duration) -> Pace {
        Pace { every, until: Instant::now() + every, from: None }
    }

    /// Waits for what comes next while enough has come. `so_far`: bytes that were there before.
    async fn keep<T>(&mut self, next: impl Future<Output = T>, so_far: usize) -> Result<T, Unread> {
        let from = *self.from.get_or_insert(so_far);
        if Instant::now() >= self.until {
            if so_far - from < LEAST {
                return Err(too_slow());
            }
            *self = Pace { from: Some(so_far), ..Pace::start(self.every) };
        }
        timeout_at(self.until + self.every, next).await.map_err(|_| too_slow())
    }
}

#[cfg(test)]
mod tests {
    use futures_util::future::join_all;
    use futures_util::{FutureExt as _, StreamExt as _, stream};

    use super::*;

    fn drip(part: usize, every: Duration) -> Body {
        let parts = stream::unfold((), move |()| async move {
            tokio::time::sleep(every).await;
            Some((Ok::<_, std::io::Error>(Bytes::from(vec![b' '; part])), ()))
        });
        Body::from_stream(parts)
    }

    /// A large body whose last bytes never come.
    fn stalled_body() -> Body {
        let begins = stream::once(std::future::ready(Ok::<_, std::io::Error>(Bytes::from(vec![b' '; LARGE + 1]))));
        Body::from_stream(begins.chain(stream::pending()))
    }

    async fn read_large(bodies: &Bodies, caller: u128, body: Body) -> Result<Read, Unread> {
        read(body, 4 << 20, bodies, Uuid::from_u128(caller), std::future::ready(Ok(()))).await
    }

    #[tokio::test]
    async fn bodies_on_their_way_take_no_slot() {
        let bodies = Bodies::new(256 << 20);
        let mut stalled = std::pin::pin!(join_all((0..8).map(|nth| read_large(&bodies, nth % 2, stalled_body()))));
        assert!(stalled.as_mut().now_or_never().is_none());
        let whole = || Body::from(vec![b' '; LARGE + 1]);
        let read = timeout(WAIT / 2, read_large(&bodies, 9, whole())).await;
        assert!(read.is_ok_and(|read| read.is_ok_and(|read| read.seat.is_some())));
        assert!(stalled.as_mut().now_or_never().is_none());
    }

    #[tokio::test]
    async fn callers_have_the_slots_round_robin() {
        let bodies = Bodies::new(256 << 20);
        let whole = || Body::from(vec![b' '; LARGE + 1]);
        let mut held = Vec::new();
        for caller in [1, 1, 2, 2] {
            held.push(read_large(&bodies, caller, whole()).await.ok().unwrap());
        }
        let mut greedy = std::pin::pin!(join_all((0..8).map(|nth| read_large(&bodies, 1 + nth % 2, whole()))));
        assert!(greedy.as_mut().now_or_never().is_none());
        let mut third = std::pin::pin!(read_large(&bodies, 3, whole()));
        assert!(third.as_mut().now_or_never().is_none());
        // Three slots become free, and each caller has one of them.
        held.drain(..3);
        assert!(third.await.is_ok());
    }

    #[tokio::test]
    async fn nobody_without_the_right_sends_more_than_a_little() {
        let bodies = Bodies::new(256 << 20);
        let refuse = || std::future::ready(Err(Problem::new("MEMBERSHIP_REQUIRED")));
        let whole = Body::from(vec![b' '; SMALL + 1]);
        for body in [whole, drip(40 << 10, Duration::ZERO)] {
            let Err(Unread::Refused(problem)) = read(body, 1 << 20, &bodies, Uuid::nil(), refuse()).await else {
                panic!("it was read")
            };
            assert_eq!(problem.code, "MEMBERSHIP_REQUIRED");
        }
        assert!(read(Body::from(vec![b' '; SMALL]), 1 << 20, &bodies, Uuid::nil(), refuse()).await.is_ok());
    }

    #[tokio::test]
    async fn a_body_that_trickles_is_not_waited_for() {
        let over = || Pace { every: RATES.pace, until: Instant::now(), from: Some(0) };
        let next = || std::future::ready(());
        assert!(matches!(over().keep(next(), LEAST - 1).await, Err(Unread::Broken(_))));
        let mut pace = over();
        assert!(pace.keep(next(), LEAST).await.is_ok());
        assert!(pace.until > Instant::now(), "a new time begins");
        assert_eq!(pace.from, Some(LEAST));
    }

    /// Reads a body that goes on and on; `None`: it was still read after a time that is far longer than the rates allow.
    async fn read_trickle(part: usize, every: Duration, rates: Rates) -> Option<Unread> {
        let (mut body, mut memory) = (drip(part, every), Budget::new(256 << 20).share(Uuid::nil()));
        let collecting = collect(&mut body, 16 << 20, rates, &mut memory, std::future::ready(Ok(())));
        timeout(Duration::from_secs(5), collecting).await.ok().and_then(Result::err)
    }

    #[tokio::test]
    async fn a_body_has_a_least_rate_from_its_first_byte() {
        let (short, long) = (Duration::from_millis(40), Duration::from_secs(60));
        // A few bytes at a time, never silent.
        let small = read_trickle(1, short / 8, Rates { small: short, pace: long }).await;
        assert!(matches!(small, Some(Unread::Broken(_))));
        // Half of the least rate, once it is not a small body.
        let middling = read_trickle(LEAST / 4, short / 2, Rates { small: long, pace: short }).await;
        assert!(matches!(middling, Some(Unread::Broken(_))));
    }

    #[tokio::test]
    async fn bodies_on_their_way_have_a_budget() {
        let bodies = Bodies::new(8 << 20);
        let mut stalled = std::pin::pin!(join_all((0..8).map(|_| read_large(&bodies, 1, stalled_body()))));
        assert!(stalled.as_mut().now_or_never().is_none());
        let whole = || Body::from(vec![b' '; LARGE + 1]);
        // Three of them hold less than half, and a fourth would hold more.
        let Err(Unread::Broken(problem)) = read_large(&bodies, 1, whole()).await else { panic!("it was read") };
        assert_eq!(problem.code, "UNAVAILABLE");
        assert!(read_large(&bodies, 2, whole()).await.is_ok());
        assert!(stalled.as_mut().now_or_never().is_none());
    }
}
