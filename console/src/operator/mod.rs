//! The pages of operators: sign-in, layout, and the dispatch to the pages.

pub mod audit;
pub mod companies;
pub mod generations;
pub mod hosts;
pub mod modules;
pub mod upload;
pub mod verify;
pub mod webhooks;

use std::sync::Arc;

use axum::extract::Request;
use axum::response::Response;
use http::StatusCode;
use maud::html;

use crate::host::OperatorHost;
use crate::page::{self, Bare};

pub struct OperatorConsole {
    pub host: Arc<dyn OperatorHost>,
}

impl OperatorConsole {
    pub fn new(host: Arc<dyn OperatorHost>) -> OperatorConsole {
        OperatorConsole { host }
    }

    pub async fn respond(&self, _request: Request) -> Response {
        let bare = Bare { status: StatusCode::NOT_FOUND, title: "Not found", base: "/operator/console", refresh: None };
        page::draw_bare(&bare, html! { p { "There is no such page." } })
    }
}
