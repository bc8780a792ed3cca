//! The console: pages for the users of a company and for operators, made from the contract that the host serves.
//!
//! The crate knows nothing of the host's types and of no module. Its only way in is the seam of `host`.

mod call;
mod clock;
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
use http::Method;

use host::{Connection, OperatorHost, UserHost};
use operator::OperatorConsole;
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
    console.respond(peer, read_head_as_get(request)).await
}

/// The pages of operators: `/operator` and `/operator/console` with everything below it.
pub fn operator_router(host: Arc<dyn OperatorHost>) -> Router {
    let console = Arc::new(OperatorConsole::new(host));
    Router::new()
        .route("/operator", any(serve_operator))
        .route("/operator/console", any(serve_operator))
        .route("/operator/console/{*rest}", any(serve_operator))
        .with_state(console)
}

async fn serve_operator(State(console): State<Arc<OperatorConsole>>, request: Request) -> Response {
    console.respond(read_head_as_get(request)).await
}

/// The router leaves out the body of a response to HEAD.
fn read_head_as_get(mut request: Request) -> Request {
    if request.method() == Method::HEAD {
        *request.method_mut() = Method::GET;
    }
    request
}
