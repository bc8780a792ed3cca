//! The console: pages for the users of a company and for operators, made from the contract that the host serves.
//!
//! The crate depends on no type of the host and on no module. Its only way in is the seam of `host`.

mod call;
mod clock;
mod commerce;
mod files;
mod form;
pub mod host;
mod operator;
mod page;
mod pairs;
mod route;
mod session;
mod shop;
mod show;
mod site;

use std::sync::Arc;

use axum::Router;
use axum::extract::{Extension, Request, State};
use axum::response::Response;
use axum::routing::any;

use host::{Connection, OperatorHost, UserHost};
use route::Console;

/// The pages of users: `/console` and everything below it. The host adds the extension `Connection` to each request.
pub fn user_router(host: Arc<dyn UserHost>) -> Router {
    let console = Arc::new(Console::new(host));
    Router::new().route("/console", any(serve_user)).route("/console/{*rest}", any(serve_user)).with_state(console)
}

async fn serve_user(
    State(console): State<Arc<Console>>,
    Extension(Connection(address)): Extension<Connection>,
    request: Request,
) -> Response {
    let peer = console.host.find_peer(address, request.headers());
    console.respond(peer, request).await
}

/// The pages of operators: `/operator` and `/operator/console` with everything below it.
pub fn operator_router(host: Arc<dyn OperatorHost>) -> Router {
    Router::new()
        .route("/operator", any(operator::respond))
        .route("/operator/console", any(operator::respond))
        .route("/operator/console/{*rest}", any(operator::respond))
        .with_state(host)
}
