//! A connection with limits on silence: until it is known which version of HTTP is spoken, and while what was answered
//! is not read, each answer by itself, or is read too slowly. Hyper itself limits the rest.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Sleep, sleep, sleep_until};

use super::connection_limit::Pass;
use super::pending_responses::{PendingResponses, TooSlow};

/// How HTTP/2 begins: as long as this may still come, the version is not known.
const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

pub struct BoundedStream<S> {
    stream: S,
    limit: Duration,
    /// Bytes of the preface that came, and until when the rest must; `None`: the version is known.
    beginning: Option<(usize, Pin<Box<Sleep>>)>,
    /// Until when the peer must read on.
    unread: Option<Pin<Box<Sleep>>>,
    /// Its answers, and when they are checked again.
    pending: Arc<PendingResponses>,
    pending_until: Option<Pin<Box<Sleep>>>,
    _pass: Pass,
}

impl<S> BoundedStream<S> {
    /// `pending`: where its answers are watched.
    pub fn new(stream: S, limit: Duration, pending: Arc<PendingResponses>, pass: Pass) -> BoundedStream<S> {
        let beginning = Some((0, Box::pin(sleep(limit))));
        BoundedStream { stream, limit, beginning, unread: None, pending, pending_until: None, _pass: pass }
    }

    /// Returns whether the peer stopped reading a response for too long, or reads all of them too slowly. If not, the
    /// connection looks again when that may be so.
    fn is_read_too_late(&mut self, context: &mut Context<'_>) -> bool {
        loop {
            let until = match self.pending.check(self.limit, Instant::now()) {
                Ok(Some(until)) => until,
                Ok(None) => return false,
                Err(TooSlow) => return true,
            };
            let sleep = self.pending_until.get_or_insert_with(|| Box::pin(sleep_until(until)));
            if sleep.deadline() != until {
                sleep.as_mut().reset(until);
            }
            if sleep.as_mut().poll(context).is_pending() {
                return false;
            }
        }
    }

    /// The result of a write, or an error where it made no progress for too long.
    fn expect_reader<T>(&mut self, context: &mut Context<'_>, written: Poll<io::Result<T>>) -> Poll<io::Result<T>> {
        if written.is_ready() {
            self.unread = None;
            return written;
        }
        if self.is_read_too_late(context) {
            return Poll::Ready(Err(io::ErrorKind::TimedOut.into()));
        }
        let unread = self.unread.get_or_insert_with(|| Box::pin(sleep(self.limit)));
        match unread.as_mut().poll(context) {
            Poll::Ready(()) => Poll::Ready(Err(io::ErrorKind::TimedOut.into())),
            Poll::Pending => Poll::Pending,
        }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for BoundedStream<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = &mut *self;
        let before = buffer.filled().len();
        let read = Pin::new(&mut this.stream).poll_read(context, buffer);
        let Some((came, deadline)) = &mut this.beginning else {
            return match read {
                Poll::Pending if this.is_read_too_late(context) => Poll::Ready(Err(io::ErrorKind::TimedOut.into())),
                read => read,
            };
        };
        let new = buffer.filled().get(before..).unwrap_or_default();
        let rest = PREFACE.get(*came..).unwrap_or_default();
        if new.len() < rest.len() && rest.starts_with(new) {
            *came += new.len();
        } else {
            this.beginning = None;
            return read;
        }
        match read {
            Poll::Pending if deadline.as_mut().poll(context).is_ready() => {
                Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
            }
            read => read,
        }
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for BoundedStream<S> {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.expect_reader(context, written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        parts: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(context, parts);
        self.expect_reader(context, written)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let flushed = Pin::new(&mut self.stream).poll_flush(context);
        self.expect_reader(context, flushed)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let shut = Pin::new(&mut self.stream).poll_shutdown(context);
        self.expect_reader(context, shut)
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, duplex};

    use super::super::connection_limit::ConnectionLimit;
    use super::*;

    const LIMIT: Duration = Duration::from_millis(200);

    fn pair() -> (BoundedStream<tokio::io::DuplexStream>, tokio::io::DuplexStream) {
        let (ours, theirs) = duplex(64);
        let pass = ConnectionLimit::for_private(1).admit([127, 0, 0, 1].into()).expect("a pass");
        (BoundedStream::new(ours, LIMIT, Arc::default(), pass), theirs)
    }

    /// Reads until there is an end or an error.
    async fn read_on(mut connection: BoundedStream<tokio::io::DuplexStream>) -> io::Result<Vec<u8>> {
        let mut all = Vec::new();
        connection.read_to_end(&mut all).await.map(|_| all)
    }

    #[tokio::test]
    async fn whoever_does_not_begin_is_left() {
        for begins in [&b""[..], b"P", b"PRI * HTT", &PREFACE[..23]] {
            let (connection, mut theirs) = pair();
            theirs.write_all(begins).await.expect("written");
            let ended = tokio::time::timeout(LIMIT * 20, read_on(connection)).await.expect("it ends by itself");
            assert_eq!(ended.expect_err("an error").kind(), io::ErrorKind::TimedOut, "{begins:?}");
        }
    }

    #[tokio::test]
    async fn what_has_begun_is_not_hurried() {
        for begins in [&b"G"[..], b"PRO", PREFACE] {
            let (connection, mut theirs) = pair();
            theirs.write_all(begins).await.expect("written");
            let reading = tokio::spawn(read_on(connection));
            tokio::time::sleep(LIMIT * 3).await;
            assert!(!reading.is_finished(), "{begins:?}");
            theirs.write_all(b"more").await.expect("written");
            drop(theirs);
            assert_eq!(reading.await.expect("no panic").expect("an end"), [begins, b"more"].concat());
        }
    }

    #[tokio::test]
    async fn what_nobody_reads_is_not_held() {
        let (mut connection, mut theirs) = pair();
        assert!(connection.write_all(&[7; 64]).await.is_ok(), "there is room");
        // A reader who is slow and reads is waited for.
        let slow = tokio::spawn(async move {
            let mut buffer = [0; 16];
            for _ in 0..4 {
                tokio::time::sleep(LIMIT / 10).await;
                theirs.read_exact(&mut buffer).await.expect("bytes");
            }
            theirs
        });
        assert!(connection.write_all(&[7; 64]).await.is_ok());
        let _theirs = slow.await.expect("no panic");
        let ended = tokio::time::timeout(LIMIT * 20, connection.write_all(&[7; 256])).await.expect("it ends by itself");
        assert_eq!(ended.expect_err("an error").kind(), io::ErrorKind::TimedOut);
    }
}
