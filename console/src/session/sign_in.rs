//! Sign-in: its page, the departure to the provider, the return from it, and sign-out.

use std::net::IpAddr;
use std::sync::Arc;

use axum::extract::Request;
use axum::response::Response;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};

use crate::host::UserHost;

/// The address of the sign-in that leads back to `path`.
pub fn address(path: &str) -> String {
    format!("/console/sign-in?to={}", utf8_percent_encode(path, NON_ALPHANUMERIC))
}

/// Responds at `/console/{sign-in,leave,callback,sign-out}`. The request comes back if its path is none of these.
pub async fn respond(_host: &Arc<dyn UserHost>, _peer: IpAddr, request: Request) -> Result<Response, Request> {
    Err(request)
}
