//! From the address of a request to its page.

use std::net::IpAddr;
use std::sync::Arc;

use axum::extract::Request;
use axum::response::Response;
use http::StatusCode;
use maud::html;

use crate::host::UserHost;
use crate::page::{self, Bare};
use crate::site::SiteCache;

/// The pages of users.
pub struct Console {
    pub host: Arc<dyn UserHost>,
    pub sites: SiteCache,
}

impl Console {
    pub fn new(host: Arc<dyn UserHost>) -> Console {
        Console { host, sites: SiteCache::default() }
    }

    /// `peer`: the address of the user.
    pub async fn respond(&self, _peer: IpAddr, _request: Request) -> Response {
        let bare = Bare { status: StatusCode::NOT_FOUND, title: "Not found", base: "/console", refresh: None };
        page::draw_bare(&bare, html! { p { "There is no such page." } })
    }
}
