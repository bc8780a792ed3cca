//! Lets a caller that is still sending receive its rejection: a connection that closes early would lose the response.

use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use axum::body::{Body, HttpBody};
use axum::extract::Request;
use bytes::Bytes;
use http::header;
use http_body_util::BodyExt as _;
use hyper::body::{Frame, SizeHint};

/// How long, and how much of it, an unwanted body is read and thrown away.
const TIME: Duration = Duration::from_secs(2);
const BYTES: usize = 64 << 20;

/// The request with a body that lingers, wherever and why it is dropped.
pub async fn request(request: Request) -> Request {
    match request.body().is_end_stream() {
        true => request,
        false => {
            let sending = !request.headers().contains_key(header::EXPECT);
            request.map(|body| Body::new(Lingering { body: Some(body), sending }))
        }
    }
}

/// A body that goes on being read when it is dropped before its end.
struct Lingering {
    /// `None` once it has ended or failed.
    body: Option<Body>,
    /// True if the caller sends without being asked to: reading is what asks, so that no refused caller is asked.
    sending: bool,
}

impl HttpBody for Lingering {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let this = &mut *self;
        let Some(body) = &mut this.body else { return Poll::Ready(None) };
        this.sending = true;
        let frame = ready!(Pin::new(body).poll_frame(context));
        if !matches!(frame, Some(Ok(_))) {
            this.body = None;
        }
        Poll::Ready(frame)
    }

    fn is_end_stream(&self) -> bool {
        self.body.as_ref().is_none_or(HttpBody::is_end_stream)
    }

    fn size_hint(&self) -> SizeHint {
        self.body.as_ref().map_or(SizeHint::with_exact(0), HttpBody::size_hint)
    }
}

impl Drop for Lingering {
    fn drop(&mut self) {
        if let Some(body) = self.body.take().filter(|body| self.sending && !body.is_end_stream()) {
            tokio::spawn(tokio::time::timeout(TIME, discard(body)));
        }
    }
}

async fn discard(mut body: Body) {
    let mut rest = BYTES;
    while let Some(Ok(frame)) = body.frame().await {
        rest = rest.saturating_sub(frame.data_ref().map_or(0, Bytes::len));
        if rest == 0 {
            break;
        }
    }
}
