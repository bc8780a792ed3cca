//! While a host starts, which takes a minute where modules must be compiled, its port is there and responds 503: a
//! program that watches it sees one that comes, not one that is gone.

use std::convert::Infallible;
use std::io;
use std::os::fd::AsFd as _;
use std::time::Duration;

use axum::body::Body;
use http::{HeaderValue, Request, Response, header};
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::TcpListener;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use super::connection_limit::ConnectionLimit;
use super::problem;
use crate::problem::Problem;

/// Connections at once: those who watch, not those who work.
const CONNECTIONS: usize = 256;

/// The answers of a host that starts.
pub struct Starting {
    stop: oneshot::Sender<()>,
    accepting: JoinHandle<()>,
}

impl Starting {
    /// Answers at the listener's port from now on. `silence`: the longest wait for a request's head.
    ///
    /// # Errors
    /// The system has no descriptor left for it.
    pub fn begin(listener: &TcpListener, silence: Duration) -> io::Result<Starting> {
        let listener = TcpListener::from_std(listener.as_fd().try_clone_to_owned()?.into())?;
        let (stop, stopped) = oneshot::channel();
        Ok(Starting { stop, accepting: tokio::spawn(accept(listener, silence, stopped)) })
    }

    /// Leaves the port to the next listener. Requests that came before are answered as they were.
    pub async fn end(self) {
        drop(self.stop);
        let _ = self.accepting.await;
    }
}

async fn accept(listener: TcpListener, silence: Duration, mut stopped: oneshot::Receiver<()>) {
    let connection_limit = ConnectionLimit::for_private(CONNECTIONS);
    loop {
        let (stream, peer) = tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok(accepted) => accepted,
                Err(_) => {
                    tokio::time::sleep(Duration::from_millis(50)).await;
                    continue;
                }
            },
            _ = &mut stopped => return,
        };
        let Some(pass) = connection_limit.admit(peer.ip()) else { continue };
        tokio::spawn(async move {
            let _pass = pass;
            let mut builder = hyper::server::conn::http1::Builder::new();
            builder.timer(TokioTimer::new()).header_read_timeout(silence);
            // A client that breaks off needs nothing more.
            let _ = builder.serve_connection(TokioIo::new(stream), service_fn(answer)).await;
        });
    }
}

async fn answer(_: Request<hyper::body::Incoming>) -> Result<Response<Body>, Infallible> {
    let mut response = problem::refuse(&Problem::new("UNAVAILABLE"));
    response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
    Ok(response)
}
