//! Listening: so many connections and no more, each with limits on how long it may be silent, and a drain at the end.

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::extract::Request;
use axum::middleware::Next;
use axum::{Router, middleware};
use http::Response;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto;
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use tokio::net::TcpListener;

use super::answer::Peer;
use super::connection::BoundedStream;
use super::connection_limit::ConnectionLimit;
use super::pending_responses::PendingResponses;
use super::{compression, linger, named_host, peer, problem};
use crate::problem::Problem;

/// Longest silence, where nothing else is set.
pub const SILENCE: Duration = Duration::from_secs(30);
/// Longest drain.
const DRAIN: Duration = Duration::from_secs(30);

/// Serves until `stop`, then finishes the requests in flight. `silence`: the longest wait for the first bytes, for a
/// request's head, and for the client to read the response.
pub async fn serve(
    listener: TcpListener,
    router: Router,
    connection_limit: Arc<ConnectionLimit>,
    silence: Duration,
    stop: impl Future<Output = ()>,
) {
    let mut builder = auto::Builder::new(TokioExecutor::new());
    builder.http1().timer(TokioTimer::new()).header_read_timeout(silence).max_buf_size(64 << 10);
    builder.http2().timer(TokioTimer::new()).max_concurrent_streams(200).keep_alive_interval(Some(silence));
    let graceful = GracefulShutdown::new();
    let (counted, refused) = (connection_limit.clone(), metrics::counter!("stoa_connections_refused_total"));
    let router = compression::allow(router)
        .layer(middleware::from_fn(named_host::require))
        .layer(middleware::map_request(linger::request))
        .layer(middleware::from_fn(move |request, next| count_caller(counted.clone(), request, next)))
        .layer(middleware::from_fn(watch_answer));
    let mut stop = std::pin::pin!(stop);
    loop {
        let (stream, peer) = tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok(accepted) => accepted,
                Err(error) => {
                    // Out of file descriptors: wait for connections to end rather than spin.
                    tracing::warn!(%error, "cannot accept a connection");
                    tokio::time::sleep(Duration::from_millis(50)).await;
                    continue;
                }
            },
            () = &mut stop => break,
        };
        // One too many is closed at once: a client that waits for a response sees that there is none.
        let Some(pass) = connection_limit.admit(peer.ip()) else {
            refused.increment(1);
            continue;
        };
        let _ = stream.set_nodelay(true);
        let pending = Arc::new(PendingResponses::default());
        let service = router.clone().layer(axum::Extension(Peer(peer.ip()))).layer(axum::Extension(pending.clone()));
        let stream = TokioIo::new(BoundedStream::new(stream, silence, pending, pass));
        let connection = builder.serve_connection(stream, TowerToHyperService::new(service)).into_owned();
        let connection = graceful.watch(connection);
        tokio::spawn(async move {
            if let Err(error) = connection.await {
                tracing::debug!(%error, "a connection ended");
            }
        });
    }
    drop(listener);
    if tokio::time::timeout(DRAIN, graceful.shutdown()).await.is_err() {
        tracing::warn!("requests were still running when the drain ended");
    }
}

/// The connection sees how each of its answers is taken.
async fn watch_answer(request: Request, next: Next) -> Response<Body> {
    let pending = request.extensions().get::<Arc<PendingResponses>>().cloned();
    let answer = next.run(request).await;
    match pending {
        Some(pending) => answer.map(|body| pending.watch(body)),
        None => answer,
    }
}

/// Behind a trusted proxy connections say nothing of who calls: its callers' requests are counted instead.
async fn count_caller(connection_limit: Arc<ConnectionLimit>, request: Request, next: Next) -> Response<Body> {
    let Some(Peer(connection)) = request.extensions().get::<Peer>().copied() else { return next.run(request).await };
    let caller = peer::address(connection, request.headers(), connection_limit.proxies());
    match connection_limit.admit_behind_proxy(connection, caller) {
        Some(_pass) => next.run(request).await,
        None => {
            metrics::counter!("stoa_rate_limited_total", "limit" => "peer").increment(1);
            problem::refuse(&Problem { retry_after: Some(1), ..Problem::new("RATE_LIMITED") })
        }
    }
}
