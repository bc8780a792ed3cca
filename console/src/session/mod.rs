//! The session of a user: sealed cookies, which the host does not store.

pub mod cookie;
pub mod csrf;
pub mod sign_in;

use std::sync::Arc;

use axum::response::Response;
use chrono::Utc;
use http::{HeaderMap, HeaderValue, StatusCode, header};
use maud::html;
use serde::{Deserialize, Serialize};

use crate::host::{Tokens, UserHost};
use crate::page::{self, Bare};
use crate::pairs::Pairs;
use cookie::Cookie;

const COOKIE: &str = "stoa_console";
const PURPOSE: &str = "session";
/// Browsers take 4096 bytes of a cookie, its name included.
const PIECE: usize = 3_800;
const MOST_PIECES: usize = 4;
/// Seconds of a session.
const LONGEST: i64 = 12 * 60 * 60;
/// Seconds before its end in which a token is refreshed.
const NEAR_END: i64 = 60;

/// A user who is signed in: the contents of the cookies.
#[derive(Serialize, Deserialize)]
pub struct Session {
    /// The access token, which each call carries.
    pub token: String,
    refresh: Option<String>,
    provider: usize,
    pub user: String,
    pub email: String,
    /// Instant at which the access token expires, and that of the sign-in: seconds since 1970.
    expiry: i64,
    start: i64,
    key: [u8; 32],
    /// Headers of a session that was refreshed.
    #[serde(skip)]
    cookies: Vec<HeaderValue>,
}

impl Session {
    /// The session of a request; a token near its end is refreshed. The error is the response to a request without one:
    /// the sign-in, which leads back to `path` with its query.
    pub async fn open(host: &Arc<dyn UserHost>, headers: &HeaderMap, path: &str) -> Result<Session, Response> {
        let Some(mut session) = Session::read(host.as_ref(), headers) else { return Err(leave(headers, path)) };
        let now = Utc::now().timestamp();
        if now + NEAR_END >= session.expiry
            && let Some(refresh) = session.refresh.take()
        {
            match host.refresh(session.provider, &refresh).await {
                Ok(tokens) => {
                    session.take_tokens(tokens, Some(refresh), now);
                    session.cookies = session.seal(host.as_ref(), now).unwrap_or_default();
                }
                // It is used to its end.
                Err(fault) => tracing::info!(?fault, "a token cannot be refreshed"),
            }
        }
        if now >= session.expiry || now >= session.start + LONGEST { Err(end(host, path)) } else { Ok(session) }
    }

    /// The token of a form, another one for each page.
    pub fn csrf(&self) -> String {
        csrf::make_token(&self.key)
    }

    /// True if a form came from a page of this session. The origin is judged before.
    pub fn has_sent(&self, form: &Pairs) -> bool {
        csrf::is_token(&self.key, form.get("csrf").unwrap_or_default())
    }

    /// Adds the cookies to the response, if `open` refreshed the token. To be called for every response to a request with a session.
    pub fn keep(&self, response: &mut Response) {
        // A response that ends the session has set them already.
        if !response.headers().contains_key(header::SET_COOKIE) {
            set_cookies(response, &self.cookies);
        }
    }

    fn read(host: &dyn UserHost, headers: &HeaderMap) -> Option<Session> {
        let pieces = (0..MOST_PIECES).map_while(|number| cookie::read(headers, &piece_name(host, number)));
        let sealed: String = pieces.collect();
        serde_json::from_slice(&host.unseal(PURPOSE, &sealed)?).ok()
    }

    /// `refresh`: the refresh token, unless the provider issues another one.
    fn take_tokens(&mut self, tokens: Tokens, refresh: Option<String>, now: i64) {
        self.token = tokens.access;
        self.refresh = tokens.refresh.or(refresh);
        self.expiry = now.saturating_add(i64::try_from(tokens.seconds).unwrap_or(i64::MAX));
    }

    /// The headers of its cookies. None: the tokens are too large, or cannot be sealed.
    fn seal(&self, host: &dyn UserHost, now: i64) -> Option<Vec<HeaderValue>> {
        let sealed = host.seal(PURPOSE, &serde_json::to_vec(self).ok()?)?;
        let seconds = u64::try_from(self.start + LONGEST - now).ok()?;
        (sealed.len() <= PIECE * MOST_PIECES).then(|| make_cookies(host, &sealed, seconds))
    }
}

/// One header for each piece, and those that delete the pieces of a longer session.
fn make_cookies(host: &dyn UserHost, sealed: &str, seconds: u64) -> Vec<HeaderValue> {
    let headers = (0..MOST_PIECES).filter_map(|number| {
        let rest = sealed.get(number * PIECE..).unwrap_or_default();
        let value = rest.get(..PIECE).unwrap_or(rest);
        let (name, seconds) = (piece_name(host, number), if value.is_empty() { 0 } else { seconds });
        let secure = is_secure(host);
        Cookie { name: &name, value, path: "/console", same_site: "Strict", seconds, secure }.header()
    });
    headers.collect()
}

fn set_cookies(response: &mut Response, cookies: &[HeaderValue]) {
    response.headers_mut().extend(cookies.iter().map(|value| (header::SET_COOKIE, value.clone())));
}

fn is_secure(host: &dyn UserHost) -> bool {
    host.own_address().is_some_and(|address| address.starts_with("https://"))
}

/// A browser takes a cookie with the prefix from https only.
fn full_name(host: &dyn UserHost, name: &str) -> String {
    if is_secure(host) { format!("__Secure-{name}") } else { name.to_owned() }
}

fn piece_name(host: &dyn UserHost, number: usize) -> String {
    full_name(host, COOKIE) + &if number == 0 { String::new() } else { number.to_string() }
}

/// The response to a request without a session. A link of another site brings no Strict cookie: the page reads itself again, with it.
fn leave(headers: &HeaderMap, path: &str) -> Response {
    if headers.get("sec-fetch-site").is_some_and(|site| site == "cross-site") {
        return lead(path);
    }
    page::redirect(&sign_in::address(path))
}

/// A page that reads another one of the own site: a request that this site began carries the Strict cookies.
fn lead(path: &str) -> Response {
    let bare = Bare { status: StatusCode::OK, title: "One moment", base: "/console", refresh: Some((0, path)) };
    page::draw_bare(&bare, html! { p { a href=(path) { "Continue" } } })
}

/// Ends the session, as after a response 401 of any call: 303 to the sign-in, which leads back to `path`.
pub fn end(host: &Arc<dyn UserHost>, path: &str) -> Response {
    let mut response = page::redirect(&sign_in::address(path));
    set_cookies(&mut response, &make_cookies(host.as_ref(), "", 0));
    response
}
