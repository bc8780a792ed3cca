//! Reading a body: up to the operation's limit, in time, and never many large ones at once. A large body that has arrived waits for one
//! of few places, and callers take turns.

use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use bytes::{Bytes, BytesMut};
use http_body_util::BodyExt as _;
use hyper::body::Body as _;
use tokio::time::{Instant, timeout, timeout_at};
use uuid::Uuid;

use crate::database::fair_queue::Capacity;
use crate::database::slots::{Seat, Slots};
use crate::problem::Problem;

/// Beyond this a body is read only once it is known that its caller may ask at all, and judged off the threads that serve everybody.
pub const SMALL: usize = 64 << 10;
/// A body above this is large.
const LARGE: usize = 1 << 20;
/// Large bodies that are judged and answered at once. One caller has at most half.
const LARGE_BODIES: Capacity = Capacity { slots: 4, queue: 256 };
/// Longest wait of a large body for its place.
const WAIT: Duration = Duration::from_secs(5);
/// Longest time for a body to arrive.
const TIME: Duration = Duration::from_secs(30);
/// Interval in which `LEAST` bytes of a large body must arrive: 64 KiB a second.
const PACE: Duration = Duration::from_secs(2);
const LEAST: usize = 128 << 10;
/// Bodies that are judged at once, apart from the threads that serve everybody. One caller has at most half.
const JUDGED: Capacity = Capacity { slots: 2, queue: 256 };
/// Longest wait of a body for being judged.
const JUDGED_WAIT: Duration = Duration::from_secs(10);

/// The places of large bodies, and of those that are judged apart. Their keys are callers.
pub struct Bodies {
    large: Arc<Slots<Uuid>>,
    judged: Arc<Slots<Uuid>>,
}

impl Default for Bodies {
    fn default() -> Bodies {
        Bodies { large: Slots::new(LARGE_BODIES), judged: Slots::new(JUDGED) }
    }
}

impl Bodies {
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

/// A body with, where it is large, its place among the few.
pub struct Read {
    pub bytes: Bytes,
    pub place: Option<Seat<Uuid>>,
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
    let bytes = timeout(TIME, collect(&mut body, limit, may_send)).await.unwrap_or_else(slow)?;
    // A body that is still on its way has no place: nobody keeps places by sending slowly.
    let place = match bytes.len() > LARGE {
        true => Some(bodies.large.take(caller, WAIT).await.map_err(|_| Unread::Refused(Problem::new("UNAVAILABLE")))?),
        false => None,
    };
    Ok(Read { bytes, place })
}

async fn collect(
    body: &mut Body,
    limit: u64,
    may_send: impl Future<Output = Result<(), Problem>>,
) -> Result<Bytes, Unread> {
    let mut bytes = BytesMut::new();
    let mut pace = None;
    let mut may_send = Some(may_send);
    if body.size_hint().lower() > SMALL as u64
        && let Some(may_send) = may_send.take()
    {
        may_send.await.map_err(Unread::Refused)?;
    }
    loop {
        let frame = match bytes.len() > LARGE {
            true => pace.get_or_insert_with(Pace::start).keep(body.frame(), bytes.len()).await?,
            false => body.frame().await,
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
        bytes.extend_from_slice(&data);
    }
    Ok(bytes.freeze())
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
    fn stalling() -> Body {
        let begins = stream::once(std::future::ready(Ok::<_, std::io::Error>(Bytes::from(vec![b' '; LARGE + 1]))));
        Body::from_stream(begins.chain(stream::pending()))
    }

    async fn read_large(bodies: &Bodies, caller: u128, body: Body) -> Result<Read, Unread> {
        read(body, 4 << 20, bodies, Uuid::from_u128(caller), std::future::ready(Ok(()))).await
    }

    #[tokio::test]
    async fn bodies_on_their_way_take_no_place() {
        let bodies = Bodies::default();
        let mut stalled = std::pin::pin!(join_all((0..8).map(|nth| read_large(&bodies, nth % 2, stalling()))));
        assert!(stalled.as_mut().now_or_never().is_none());
        let whole = || Body::from(vec![b' '; LARGE + 1]);
        let read = timeout(WAIT / 2, read_large(&bodies, 9, whole())).await;
        assert!(read.is_ok_and(|read| read.is_ok_and(|read| read.place.is_some())));
        assert!(stalled.as_mut().now_or_never().is_none());
    }

    #[tokio::test]
    async fn callers_take_turns_at_the_places() {
        let bodies = Bodies::default();
        let whole = || Body::from(vec![b' '; LARGE + 1]);
        let mut held = Vec::new();
        for caller in [1, 1, 2, 2] {
            held.push(read_large(&bodies, caller, whole()).await.ok().unwrap());
        }
        let mut greedy = std::pin::pin!(join_all((0..8).map(|nth| read_large(&bodies, 1 + nth % 2, whole()))));
        assert!(greedy.as_mut().now_or_never().is_none());
        let mut third = std::pin::pin!(read_large(&bodies, 3, whole()));
        assert!(third.as_mut().now_or_never().is_none());
        // Three places become free, and each caller has one of them.
        held.drain(..3);
        assert!(third.await.is_ok());
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
