//! Answers that are not taken, or taken too slowly. Over HTTP/2 a stream's window is its reader's to open: behind one
//! that stays closed an answer waits for ever, while pings are answered and the connection looks alive. So answers are
//! handed on part by part, and a connection records since when one of its answers has not been taken further, and how
//! fast all of them are taken together.

use std::collections::BTreeMap;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use axum::body::{Body, HttpBody};
use bytes::Bytes;
use hyper::body::{Frame, SizeHint};
use tokio::time::Instant;

/// Bytes that are handed on at once: they wait in the connection's buffers, where the host does not see whether they are taken.
const PART: usize = 16 << 10;

/// The least rate of a connection that has answers to take: bytes a second.
const LEAST: u64 = 8 << 10;

/// The answers of a connection that are not wholly handed on.
#[derive(Default)]
pub struct PendingResponses {
    answers: Mutex<Answers>,
}

#[derive(Default)]
struct Answers {
    /// Numbers are given once.
    next: u64,
    /// When each was last taken from.
    since: BTreeMap<u64, Instant>,
    /// The time in which enough of them must be taken, while there are any.
    window: Option<Window>,
}

struct Window {
    began: Instant,
    taken: u64,
}

/// An answer was not taken further for too long, or all of them together are taken too slowly.
#[derive(Debug, PartialEq)]
pub struct TooSlow;

impl PendingResponses {
    /// When to check again, if there is anything to take. `time`: the longest silence, and the time of the least rate.
    pub fn check(&self, time: Duration, now: Instant) -> Result<Option<Instant>, TooSlow> {
        let mut answers = self.answers();
        let Some(oldest) = answers.since.values().min().copied() else { return Ok(None) };
        if oldest + time <= now {
            return Err(TooSlow);
        }
        let window = answers.window.get_or_insert(Window { began: now, taken: 0 });
        if window.began + time <= now {
            if u128::from(window.taken) * 1000 < u128::from(LEAST) * time.as_millis() {
                return Err(TooSlow);
            }
            *window = Window { began: now, taken: 0 };
        }
        Ok(Some((oldest + time).min(window.began + time)))
    }

    /// The body of an answer, watched until it is handed on.
    pub fn watch(self: Arc<PendingResponses>, body: Body) -> Body {
        if body.is_end_stream() {
            return body;
        }
        let number = {
            let mut answers = self.answers();
            answers.next += 1;
            let number = answers.next;
            let now = Instant::now();
            answers.since.insert(number, now);
            answers.window.get_or_insert(Window { began: now, taken: 0 });
            number
        };
        Body::new(Watched { body, rest: Bytes::new(), number, pending: self })
    }

    fn answers(&self) -> MutexGuard<'_, Answers> {
        // Plain numbers and instants: a panic elsewhere leaves them whole.
        self.answers.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Answers {
    /// A part of an answer is taken.
    fn take_note(&mut self, number: u64, bytes: usize) {
        if let Some(since) = self.since.get_mut(&number) {
            *since = Instant::now();
        }
        if let Some(window) = &mut self.window {
            window.taken = window.taken.saturating_add(bytes as u64);
        }
    }

    fn remove(&mut self, number: u64) {
        self.since.remove(&number);
        if self.since.is_empty() {
            self.window = None;
        }
    }
}

struct Watched {
    body: Body,
    /// The part of the last frame that is not handed on.
    rest: Bytes,
    number: u64,
    pending: Arc<PendingResponses>,
}

impl HttpBody for Watched {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let this = &mut *self;
        if this.rest.is_empty() {
            match ready!(Pin::new(&mut this.body).poll_frame(context)).map(|frame| frame.map(Frame::into_data)) {
                Some(Ok(Ok(data))) => this.rest = data,
                Some(Ok(Err(other))) => return Poll::Ready(Some(Ok(other))),
                Some(Err(error)) => return Poll::Ready(Some(Err(error))),
                None => return Poll::Ready(None),
            }
        }
        let part = this.rest.split_to(this.rest.len().min(PART));
        this.pending.answers().take_note(this.number, part.len());
        Poll::Ready(Some(Ok(Frame::data(part))))
    }

    fn is_end_stream(&self) -> bool {
        self.rest.is_empty() && self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        let (rest, body) = (self.rest.len() as u64, self.body.size_hint());
        let mut hint = SizeHint::new();
        hint.set_lower(body.lower() + rest);
        if let Some(upper) = body.upper() {
            hint.set_upper(upper + rest);
        }
        hint
    }
}

impl Drop for Watched {
    fn drop(&mut self) {
        self.pending.answers().remove(self.number);
    }
}

#[cfg(test)]
mod tests {
    use http_body_util::BodyExt as _;

    use super::*;

    #[tokio::test]
    async fn an_answer_is_watched_until_it_is_handed_on() {
        let pending = Arc::new(PendingResponses::default());
        let text: Bytes = (0..=255).cycle().take(2 * PART + 7).collect();
        let mut answer = pending.clone().watch(Body::from(text.clone()));
        assert_eq!(answer.size_hint().exact(), Some(text.len() as u64), "its length is in the head");
        let oldest = || pending.answers().since.values().min().copied();
        let begun = oldest().expect("it waits");
        let mut taken = Vec::new();
        while let Some(frame) = answer.frame().await {
            let data = frame.expect("a frame").into_data().expect("data");
            assert!(data.len() <= PART);
            taken.extend_from_slice(&data);
            assert!(oldest().expect("it is there until it is dropped") > begun);
        }
        assert!(taken == text && answer.is_end_stream());
        drop(answer);
        assert_eq!(oldest(), None);
        drop(pending.clone().watch(Body::empty()));
        assert_eq!(oldest(), None, "nothing to take");
    }

    /// Ten seconds are the longest silence, and 80 KiB the least that is taken in them.
    #[test]
    fn a_connection_has_a_least_rate_while_it_has_answers() {
        const TIME: Duration = Duration::from_secs(10);
        let begun = Instant::now();
        let instant = |seconds| begun + Duration::from_secs(seconds);
        let check = |answers: Answers, now| PendingResponses { answers: Mutex::new(answers) }.check(TIME, now);
        let taken = |since, taken| Answers {
            next: 1,
            since: BTreeMap::from([(1, since)]),
            window: Some(Window { began: begun, taken }),
        };
        assert_eq!(check(Answers::default(), instant(99)), Ok(None));
        assert_eq!(check(taken(instant(3), 0), instant(4)), Ok(Some(instant(10))), "its time is not over");
        assert_eq!(check(taken(instant(0), 0), instant(10)), Err(TooSlow), "nothing was taken");
        assert_eq!(check(taken(instant(9), (80 << 10) - 1), instant(10)), Err(TooSlow), "less than the least rate");
        assert_eq!(check(taken(instant(9), 80 << 10), instant(10)), Ok(Some(instant(19))), "the least rate");
        let pending = PendingResponses { answers: Mutex::new(taken(instant(9), 80 << 10)) };
        assert_eq!(pending.check(TIME, instant(10)), Ok(Some(instant(19))));
        pending.answers().since.insert(1, instant(19));
        assert_eq!(pending.check(TIME, instant(20)), Err(TooSlow), "the next time counts for itself");
        pending.answers().remove(1);
        assert_eq!(pending.check(TIME, instant(99)), Ok(None));
        assert!(pending.answers().window.is_none(), "a later answer has its own time");
    }
}
