//! Listening: connections with limits on how long a head may take, and a drain at the end.

use std::future::Future;
use std::time::Duration;

use axum::{Router, middleware};
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto;
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use tokio::net::TcpListener;

use super::answer::Peer;
use super::{linger, named_host};

/// Longest time for a request's head to arrive.
const HEAD: Duration = Duration::from_secs(30);
/// Longest drain.
const DRAIN: Duration = Duration::from_secs(30);

/// Serves until `stop`, then finishes the requests in flight.
pub async fn serve(listener: TcpListener, router: Router, stop: impl Future<Output = ()>) {
    let mut builder = auto::Builder::new(TokioExecutor::new());
    builder.http1().timer(TokioTimer::new()).header_read_timeout(HEAD).max_buf_size(64 << 10);
    builder.http2().timer(TokioTimer::new()).max_concurrent_streams(200).keep_alive_interval(Some(HEAD));
    let graceful = GracefulShutdown::new();
    let router = router.layer(middleware::from_fn(named_host::require)).layer(middleware::map_request(linger::request));
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
        let _ = stream.set_nodelay(true);
        let service = router.clone().layer(axum::Extension(Peer(peer.ip())));
        let connection = builder.serve_connection(TokioIo::new(stream), TowerToHyperService::new(service)).into_owned();
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
