//! The session of a user: sealed cookies, which the host does not store.

pub mod csrf;
pub mod sign_in;

use std::sync::Arc;

use axum::response::Response;
use http::HeaderMap;

use crate::host::UserHost;
use crate::page;

/// A user who is signed in.
pub struct Session {
    /// The access token, which each call carries.
    pub token: String,
    pub user: String,
    pub email: String,
    key: [u8; 32],
}

/// A request with a session, or the response to one without.
pub enum Found {
    User(Session),
    /// The response to a request without one: the sign-in.
    Leave(Response),
}

impl Session {
    /// The session of a request; a token near its end is refreshed. `path`: path and query of the request, to which the sign-in
    /// leads back.
    pub async fn open(host: &Arc<dyn UserHost>, headers: &HeaderMap, path: &str) -> Found {
        let _ = (host, headers);
        Found::Leave(end(host, path))
    }

    /// The token of a form, another one for each page.
    pub fn csrf(&self) -> String {
        csrf::make_token(&self.key)
    }

    /// Adds the cookies to the response, if `open` refreshed the token. To be called for every response to a request with a session.
    pub fn keep(&self, _response: &mut Response) {}
}

/// True if a POST came from a page of this session, by the origin and the form's token.
pub fn check_post(host: &Arc<dyn UserHost>, session: &Session, headers: &HeaderMap, token: &str) -> bool {
    csrf::is_own_origin(host.own_address(), headers) && csrf::is_token(&session.key, token)
}

/// Ends the session, as after a response 401 of any call: 303 to the sign-in, which leads back to `path`.
pub fn end(_host: &Arc<dyn UserHost>, path: &str) -> Response {
    page::redirect(&sign_in::address(path))
}
