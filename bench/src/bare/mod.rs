//! The native limit of a read: an axum handler that runs the service's own statements for GET product and renders the row.
//!
//! It authorizes by the same statement, in the same transaction, from a pool of the same size. It leaves out: sandbox and module,
//! route table, parameter schemas, identity (no token is looked at), request ids, metrics, etags.

mod postgres;
mod sqlite;

use std::path::PathBuf;

use axum::Router;
use axum::extract::Path;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use clap::Args;
use stoa::http::connection_limit::ConnectionLimit;
use stoa::http::server;
use tokio::net::TcpListener;
use uuid::Uuid;

use crate::capture::Pattern;

#[derive(Args, Debug, Clone)]
pub struct Flags {
    #[arg(long)]
    pub database: String,
    /// The read's statements, as JSON.
    #[arg(long)]
    pub pattern: PathBuf,
}

/// Serves GET product on a port of its own until the process is ended.
pub async fn serve(flags: Flags) -> anyhow::Result<()> {
    let pattern: Pattern = serde_json::from_slice(&std::fs::read(&flags.pattern)?)?;
    let router = match flags.database.strip_prefix("sqlite:") {
        Some(path) => sqlite::router(path.as_ref(), pattern)?,
        None => postgres::router(&flags.database, pattern)?,
    };
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    println!("stoa-bench listening on http://{}", listener.local_addr()?);
    // The same listening as the host's.
    server::serve(listener, router, ConnectionLimit::for_private(usize::MAX), server::SILENCE, std::future::pending())
        .await;
    Ok(())
}

trait Reads: Clone + Send + Sync + 'static {
    fn read(self, product: Uuid) -> impl Future<Output = anyhow::Result<Option<String>>> + Send;
}

fn product_route<R: Reads>(reads: R) -> Router {
    let handler = move |Path((_tenant, product)): Path<(Uuid, Uuid)>| {
        let reads = reads.clone();
        async move { answer(reads.read(product).await) }
    };
    Router::new().route("/v1/tenants/{tenant}/catalog/products/{product}", get(handler))
}

fn answer(read: anyhow::Result<Option<String>>) -> Response {
    match read {
        Ok(Some(body)) => ([(header::CONTENT_TYPE, "application/json")], body).into_response(),
        Ok(None) => axum::http::StatusCode::NOT_FOUND.into_response(),
        Err(error) => {
            eprintln!("{error:#}");
            axum::http::StatusCode::INTERNAL_SERVER_ERROR.into_response()
        }
    }
}
