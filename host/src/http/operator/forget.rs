//! The end of a module that an operator forgets, with its data.

use axum::Router;

use super::Console;

pub(super) fn routes() -> Router<Console> {
    Router::new()
}
