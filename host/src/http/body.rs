//! Reading a body: up to the operation's limit, in time, and never many large ones at once. Large ones have few places, of which one
//! caller has at most half, and only while bytes arrive.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use axum::body::Body;
use bytes::{Bytes, BytesMut};
use http_body_util::BodyExt as _;
use hyper::body::Body as _;
use tokio::sync::Semaphore;
use tokio::time::{Instant, timeout, timeout_at};
use uuid::Uuid;

use crate::problem::Problem;

/// Beyond this a body is read only once it is known that its caller may ask at all, and judged off the threads that serve everybody.
pub const SMALL: usize = 64 << 10;
/// A body above this is large.
const LARGE: u64 = 1 << 20;
/// Large bodies held at once, and of one caller.
const LARGE_BODIES: usize = 4;
const OF_ONE_CALLER: usize = LARGE_BODIES / 2;
/// Longest wait for a place, and how often it is asked for.
const WAIT: Duration = Duration::from_secs(5);
const ASK: Duration = Duration::from_millis(20);
/// Longest time for a body to arrive.
const TIME: Duration = Duration::from_secs(30);
/// Interval in which `LEAST` bytes of a large body must arrive: 64 KiB a second.
const PACE: Duration = Duration::from_secs(2);
const LEAST: usize = 128 << 10;
/// Bodies that are judged at once beside the threads that serve everybody.
const JUDGED: usize = 2;

/// The places of large bodies, and of those that are judged apart.
pub struct Bodies {
    held: Arc<Mutex<Held>>,
    judged: Semaphore,
}

#[derive(Default)]
struct Held {
    all: usize,
    by_caller: HashMap<Uuid, usize>,
}

/// A large body's place among the few, given back when it is dropped.
pub struct LargeBody {
    held: Arc<Mutex<Held>>,
    caller: Uuid,
}

impl Default for Bodies {
    fn default() -> Bodies {
        Bodies { held: Arc::default(), judged: Semaphore::new(JUDGED) }
    }
}

impl Bodies {
    fn take(&self, caller: Uuid) -> Option<LargeBody> {
        let mut held = lock(&self.held);
        let count = held.by_caller.get(&caller).copied().unwrap_or(0);
        if held.all >= LARGE_BODIES || count >= OF_ONE_CALLER {
            return None;
        }
        held.all += 1;
        held.by_caller.insert(caller, count + 1);
        Some(LargeBody { held: self.held.clone(), caller })
    }

    /// Waits for a place; the caller sends no further meanwhile.
    async fn wait(&self, caller: Uuid) -> Option<LargeBody> {
        let until = Instant::now() + WAIT;
        loop {
            if let Some(place) = self.take(caller) {
                return Some(place);
            }
            if Instant::now() >= until {
                return None;
            }
            tokio::time::sleep(ASK).await;
        }
    }

    /// Runs what judges a body that is not small: on a thread of its own, two at a time, for it may take long.
    pub async fn judge<T: Send + 'static>(&self, judge: impl FnOnce() -> T + Send + 'static) -> Result<T, Problem> {
        let unavailable = || Problem::new("UNAVAILABLE");
        let _turn = self.judged.acquire().await.map_err(|_| unavailable())?;
        tokio::task::spawn_blocking(judge).await.map_err(|_| Problem::new("INTERNAL"))
    }
}

impl Drop for LargeBody {
    fn drop(&mut self) {
        let mut held = lock(&self.held);
        held.all -= 1;
        if let Some(count) = held.by_caller.get_mut(&self.caller) {
            *count -= 1;
            if *count == 0 {
                held.by_caller.remove(&self.caller);
            }
        }
    }
}

fn lock(held: &Mutex<Held>) -> MutexGuard<'_, Held> {
    // Plain counters: a panic elsewhere leaves them whole.
    held.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A body with, where it is large, its place among the few.
pub struct Read {
    pub bytes: Bytes,
    pub place: Option<LargeBody>,
}

/// Why there is no body.
pub enum Unread {
    Refused(Problem),
    /// The connection broke off, lied about its framing or was too slow: it ends with the answer.
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
    let slow = |_| Err(Unread::Broken(Problem::new("UNAVAILABLE")));
    timeout(TIME, collect(&mut body, limit, bodies, caller, may_send)).await.unwrap_or_else(slow)
}

async fn collect(
    body: &mut Body,
    limit: u64,
    bodies: &Bodies,
    caller: Uuid,
    may_send: impl Future<Output = Result<(), Problem>>,
) -> Result<Read, Unread> {
    let mut bytes = BytesMut::new();
    let mut place = None;
    let mut pace = Pace::start();
    let mut may_send = Some(may_send);
    if body.size_hint().lower() > SMALL as u64
        && let Some(may_send) = may_send.take()
    {
        may_send.await.map_err(Unread::Refused)?;
    }
    loop {
        let frame = match &place {
            Some(_) => pace.keep(body.frame(), bytes.len()).await?,
            None => body.frame().await,
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
        if size as u64 > LARGE && place.is_none() {
            let taken = bodies.wait(caller).await;
            place = Some(taken.ok_or_else(|| Unread::Refused(Problem::new("UNAVAILABLE")))?);
            pace = Pace::start();
        }
        bytes.extend_from_slice(&data);
    }
    Ok(Read { bytes: bytes.freeze(), place })
}

/// The least rate at which a large body arrives.
struct Pace {
    until: Instant,
    from: Option<usize>,
}

impl Pace {
    fn start() -> Pace {
        Pace { until: Instant::now() + PACE, from: None }
    }

    /// Waits for what comes next while enough has come. `so_far`: bytes that were there before.
    async fn keep<T>(&mut self, next: impl Future<Output = T>, so_far: usize) -> Result<T, Unread> {
        let from = *self.from.get_or_insert(so_far);
        if Instant::now() >= self.until {
            if so_far - from < LEAST {
                return Err(Unread::Broken(Problem::new("UNAVAILABLE")));
            }
            *self = Pace { from: Some(so_far), ..Pace::start() };
        }
        timeout_at(self.until + PACE, next).await.map_err(|_| Unread::Broken(Problem::new("UNAVAILABLE")))
    }
}

#[cfg(test)]
mod tests {
    use futures_util::stream;

    use super::*;

    fn drip(part: usize, every: Duration) -> Body {
        let parts = stream::unfold((), move |()| async move {
            tokio::time::sleep(every).await;
            Some((Ok::<_, std::io::Error>(Bytes::from(vec![b' '; part])), ()))
        });
        Body::from_stream(parts)
    }

    #[test]
    fn one_caller_has_half_of_the_places() {
        let (bodies, one, other) = (Bodies::default(), Uuid::from_u128(1), Uuid::from_u128(2));
        let first = bodies.take(one).unwrap();
        let _second = bodies.take(one).unwrap();
        assert!(bodies.take(one).is_none());
        let _others = [bodies.take(other).unwrap(), bodies.take(other).unwrap()];
        assert!(bodies.take(Uuid::from_u128(3)).is_none());
        drop(first);
        assert!(bodies.take(one).is_some());
    }

    #[tokio::test]
    async fn nobody_without_the_right_sends_more_than_a_little() {
        let bodies = Bodies::default();
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
    async fn a_large_body_that_trickles_is_not_waited_for() {
        let over = || Pace { until: Instant::now(), from: Some(0) };
        let next = || std::future::ready(());
        assert!(matches!(over().keep(next(), LEAST - 1).await, Err(Unread::Broken(_))));
        let mut pace = over();
        assert!(pace.keep(next(), LEAST).await.is_ok());
        assert!(pace.until > Instant::now(), "a new time begins");
        assert_eq!(pace.from, Some(LEAST));
    }
}
