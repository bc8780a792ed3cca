//! The session of an operator: a sealed cookie with the token, its page and its end.

use std::sync::Arc;

use axum::response::Response;
use bytes::Bytes;
use chrono::Utc;
use http::{HeaderMap, StatusCode, Uri, header};
use maud::html;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{START, address};
use crate::host::OperatorHost;
use crate::page::{self, Bare};
use crate::pairs::Pairs;
use crate::session::cookie::{self, Cookie};

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
pub async fn respond(host: &Arc<dyn OperatorHost>, query: &Pairs, form: Option<Pairs>) -> Response {
    let Some(form) = form else { return draw(host, StatusCode::OK, find_path(query.get("to")), None) };
    let to = find_path(form.get("to"));
    let token = match host.development_token() {
        Some(token) if form.get("do") == Some("development") => token,
        _ => form.get("token").map(str::trim).unwrap_or_default(),
    };
    let request = http::Request::get("/operator/modules").header(header::AUTHORIZATION, format!("Bearer {token}"));
    let Ok(request) = request.body(Bytes::new()) else {
        return draw(host, StatusCode::UNAUTHORIZED, to, Some("UNAUTHENTICATED: the text is no token."));
    };
    let response = host.send(request).await;
    if !response.status().is_success() {
        let problem: Value = serde_json::from_slice(response.body()).unwrap_or_default();
        let text = |name: &str| problem[name].as_str().unwrap_or_default();
        return draw(host, response.status(), to, Some(&format!("{}: {}", text("code"), text("detail"))));
    }
    let session = OperatorSession { token: token.to_owned(), start: Utc::now().timestamp(), key: rand::random() };
    let sealed = serde_json::to_vec(&session).ok().and_then(|plain| host.seal(PURPOSE, &plain));
    let Some(sealed) = sealed else {
        return draw(host, StatusCode::INTERNAL_SERVER_ERROR, to, Some("The host cannot seal the session."));
    };
    redirect(to, &sealed, LONGEST.unsigned_abs())
}

fn draw(host: &Arc<dyn OperatorHost>, status: StatusCode, to: &str, fault: Option<&str>) -> Response {
    let body = html! {
        @if let Some(fault) = fault { p.problem role="alert" { (fault) } }
        form id="sign-in" method="post" action=(address("sign-in")) {
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
    page::draw_bare(&Bare { status, title: "Sign in as an operator", base: START, refresh: None }, body)
}

/// The address of the sign-in that leads back to a page.
fn address_for(uri: &Uri) -> String {
    let path = uri.path_and_query().map_or(START, |path| path.as_str());
    address(&format!("sign-in?to={}", utf8_percent_encode(path, NON_ALPHANUMERIC)))
}

/// The response to a request without a session.
pub fn leave(uri: &Uri) -> Response {
    page::redirect(&address_for(uri))
}

/// The same where the token is no longer one.
pub fn end(uri: &Uri) -> Response {
    redirect(&address_for(uri), "", 0)
}

pub fn sign_out() -> Response {
    redirect(&address("sign-in"), "", 0)
}

/// With the cookie of the session. The private listener has no certificate, so that the cookie is not only for https.
fn redirect(to: &str, value: &str, seconds: u64) -> Response {
    let mut response = page::redirect(to);
    let (path, same_site, secure) = ("/operator", "Strict", false);
    Cookie { name: COOKIE, value, path, same_site, seconds, secure }.add_to(&mut response);
    response
}

/// A page of operators, else the start: the sign-in leads nowhere else.
fn find_path(to: Option<&str>) -> &str {
    let is_safe = |path: &&str| {
        path.strip_prefix(START).is_some_and(|rest| rest.is_empty() || rest.starts_with(['/', '?']))
            && !path.contains("//")
            && !path.contains('\\')
            && !path.chars().any(char::is_control)
    };
    to.filter(is_safe).unwrap_or(START)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sign_in_leads_to_pages_of_operators_only() {
        for path in ["/operator/console", "/operator/console/active/sales?ask=deactivate", "/operator/console?a=b"] {
            assert_eq!(find_path(Some(path)), path);
        }
        for path in
            ["", "/operator/consoles", "/operator/modules", "//x", "/operator/console//x", "/operator/console/\\x"]
        {
            assert_eq!(find_path(Some(path)), START, "{path}");
        }
    }
}
