//! Answers over HTTP/2 that nobody takes. A stream's window is its reader's to open: behind one that stays closed an answer waits for
//! ever, while pings are answered and the connection looks alive. So answers are handed on part by part, and a connection knows since
//! when one of its answers has not been taken further.

use std::collections::BTreeMap;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, ready};

use axum::body::{Body, HttpBody};
use bytes::Bytes;
use hyper::body::{Frame, SizeHint};
use tokio::time::Instant;

/// Bytes that are handed on at once: they wait in the connection's buffers, where nobody sees whether they are taken.
const PART: usize = 16 << 10;

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
}

impl PendingResponses {
    /// Since when the answer waits that has waited longest.
    pub fn oldest(&self) -> Option<Instant> {
        self.answers().since.values().min().copied()
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
            answers.since.insert(number, Instant::now());
            number
        };
        Body::new(Watched { body, rest: Bytes::new(), number, pending: self })
    }

    fn answers(&self) -> MutexGuard<'_, Answers> {
        // Plain numbers and instants: a panic elsewhere leaves them whole.
        self.answers.lock().unwrap_or_else(PoisonError::into_inner)
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
        if let Some(since) = this.pending.answers().since.get_mut(&this.number) {
            *since = Instant::now();
        }
        let part = this.rest.split_to(this.rest.len().min(PART));
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
        self.pending.answers().since.remove(&self.number);
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
        assert_eq!(answer.size_hint().exact(), Some(text.len() as u64), "its length stands in the head");
        let begun = pending.oldest().expect("it waits");
        let mut taken = Vec::new();
        while let Some(frame) = answer.frame().await {
            let data = frame.expect("a frame").into_data().expect("data");
            assert!(data.len() <= PART);
            taken.extend_from_slice(&data);
            assert!(pending.oldest().expect("it is there until it is dropped") > begun);
        }
        assert!(taken == text && answer.is_end_stream());
        drop(answer);
        assert_eq!(pending.oldest(), None);
        drop(pending.clone().watch(Body::empty()));
        assert_eq!(pending.oldest(), None, "nothing to take");
    }
}
