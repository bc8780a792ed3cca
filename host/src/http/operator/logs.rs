//! The lines that a module writes, and its failures, for operators.

use axum::Router;

use super::Console;

pub(super) fn routes() -> Router<Console> {
    Router::new()
}
