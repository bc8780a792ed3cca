//! The session of an operator: a sealed cookie with the token, its page and its end.

use std::sync::Arc;

use axum::response::Response;
use chrono::Utc;
use http::{HeaderMap, StatusCode};
use maud::html;
use serde::{Deserialize, Serialize};

use super::{OperatorRequest, START};
use crate::call::{Problem, to_address};
use crate::host::OperatorHost;
use crate::page::{self, Bare};
use crate::pairs::Pairs;
use crate::session::cookie::{self, Cookie};
use crate::session::sign_in::safe_path;

const COOKIE: &str = "stoa_operator";
const PURPOSE: &str = "operator";
/// Seconds of a session.
const LONGEST: i64 = 8 * 60 * 60;

/// The contents of the cookie.
#[derive(Serialize, Deserialize)]
pub struct OperatorSession {
    #[serde(rename = "t")]
    pub token: String,
    /// Seconds since 1970.
    #[serde(rename = "s")]
    start: i64,
    #[serde(rename = "k")]
    pub key: [u8; 32],
}

impl OperatorSession {
    /// The session of a request, until it has lasted too long.
    pub fn read(host: &dyn OperatorHost, headers: &HeaderMap) -> Option<OperatorSession> {
        let plain = host.unseal(PURPOSE, cookie::read(headers, COOKIE)?)?;
        let session: OperatorSession = serde_json::from_slice(&plain).ok()?;
        (Utc::now().timestamp() < session.start + LONGEST).then_some(session)
    }
}

/// The page of the sign-in. `form`: of a POST, whose origin was checked.
pub async fn respond(host: Arc<dyn OperatorHost>, query: Pairs, form: Option<Pairs>) -> Response {
    let to = safe_path(START, form.as_ref().unwrap_or(&query).get("to"));
    let Some(form) = &form else { return draw(host.as_ref(), to, None) };
    let token = match host.development_token() {
        Some(token) if form.get("do") == Some("development") => token,
        _ => form.get("token").map(str::trim).unwrap_or_default(),
    };
    let session = OperatorSession { token: token.to_owned(), start: Utc::now().timestamp(), key: rand::random() };
    let asked = OperatorRequest { host: host.clone(), session, path: String::new(), query: Pairs::default() };
    if let Err(problem) = asked.get("modules").await {
        return draw(host.as_ref(), to, Some(&problem));
    }
    let sealed = serde_json::to_vec(&asked.session).ok().and_then(|plain| host.seal(PURPOSE, &plain));
    let Some(sealed) = sealed else {
        let problem = Problem::new(StatusCode::INTERNAL_SERVER_ERROR, "", "The host cannot seal the session.");
        return draw(host.as_ref(), to, Some(&problem));
    };
    redirect(to, &sealed, LONGEST.unsigned_abs())
}

fn draw(host: &dyn OperatorHost, to: &str, problem: Option<&Problem>) -> Response {
    let body = html! {
        @if let Some(problem) = problem { (page::explain(problem)) }
        form id="sign-in" method="post" action=(super::address("sign-in")) {
            input type="hidden" name="to" value=(to);
            p.field {
                label for="token" { "Operator's token" }
                input id="token" name="token" type="password" autocomplete="current-password" autofocus;
            }
            p.actions {
                button name="do" value="token" { "Sign in" }
                @if host.development_token().is_some() {
                    " " button name="do" value="development" { "Sign in with the development token" }
                }
            }
        }
    };
    let status = problem.map_or(StatusCode::OK, |problem| problem.status);
    page::draw_bare(&Bare { status, title: "Sign in as an operator", base: START, refresh: None }, body)
}

/// The address of the sign-in that leads back to `path`.
pub fn address(path: &str) -> String {
    to_address(&super::address("sign-in"), &[("to", path)])
}

/// The end of the session, at the sign-in that leads back to `path`.
pub fn end(path: &str) -> Response {
    redirect(&address(path), "", 0)
}

/// With the cookie of the session. The private listener has no certificate, so that the cookie is not only for https.
fn redirect(to: &str, value: &str, seconds: u64) -> Response {
    let mut response = page::redirect(to);
    let (path, same_site, secure) = ("/operator", "Strict", false);
    Cookie { name: COOKIE, value, path, same_site, seconds, secure }.add_to(&mut response);
    response
}
