//! Sign-in: its page, the departure to the provider, the return from it, and sign-out.

use std::net::IpAddr;
use std::sync::Arc;

use axum::extract::Request;
use axum::response::Response;
use chrono::Utc;
use http::request::Parts;
use http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use maud::{Markup, html};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::cookie::{self, Cookie};
use super::{Session, csrf, end, full_name, is_secure, lead, set_cookies};
use crate::call::Calls;
use crate::host::{Arrival, SignInFault, Tokens, UserHost};
use crate::page::{self, Bare};
use crate::pairs::{self, Pairs};

const START: &str = "/console";
const SIGN_IN: &str = "/console/sign-in";
const LEAVE: &str = "/console/leave";
const CALLBACK: &str = "/console/callback";
const COOKIE: &str = "stoa_sign_in";
const PURPOSE: &str = "departure";
/// Seconds from the departure to the return.
const LONGEST_ABSENCE: u32 = 10 * 60;
const LONGEST_PATH: usize = 2_000;

/// Kept, sealed, while the user is at the provider.
#[derive(Serialize, Deserialize)]
struct Away {
    provider: usize,
    state: String,
    verifier: String,
    to: String,
    until: i64,
}

/// The address of the sign-in that leads back to `path`.
pub fn address(path: &str) -> String {
    format!("{SIGN_IN}?to={}", utf8_percent_encode(path, NON_ALPHANUMERIC))
}

/// Responds at `/console/{sign-in,leave,callback,sign-out}`. The request comes back if its path is not one of these.
pub async fn respond(host: &Arc<dyn UserHost>, peer: IpAddr, request: Request) -> Result<Response, Request> {
    let path = request.uri().path().to_owned();
    let is_post = request.method() == Method::POST;
    if !matches!((path.as_str(), is_post), (SIGN_IN, _) | (LEAVE | CALLBACK, false) | ("/console/sign-out", true)) {
        return Err(request);
    }
    let (parts, body) = request.into_parts();
    let query = Pairs::from_form(parts.uri.query().unwrap_or_default());
    Ok(match (path.as_str(), is_post) {
        (LEAVE, _) => depart(host, &query).await,
        (CALLBACK, _) => arrive(host, peer, &parts, &query).await,
        (SIGN_IN, false) => draw(host, StatusCode::OK, safe_path(START, query.get("to")), None),
        (_, _) if !csrf::is_own_origin(host.own_address(), &parts.headers) => reject_foreign(),
        (_, _) => match pairs::read_form(body).await {
            Err(status) => draw(host, status, START, Some("The form cannot be read. Send it again.")),
            Ok(form) if path == SIGN_IN => sign_in_by_address(host, peer, &form).await,
            Ok(form) => sign_out(host, &parts.headers, &form).await,
        },
    })
}

/// A page at or below `start`, else `start`: a sign-in leads nowhere else.
pub fn safe_path<'a>(start: &'a str, to: Option<&'a str>) -> &'a str {
    let is_safe = |path: &&str| {
        path.strip_prefix(start).is_some_and(|rest| rest.is_empty() || rest.starts_with(['/', '?']))
            && path.len() <= LONGEST_PATH
            && !path.contains("//")
            && !path.contains('\\')
            && !path.chars().any(char::is_control)
    };
    to.filter(is_safe).unwrap_or(start)
}

fn draw(host: &Arc<dyn UserHost>, status: StatusCode, to: &str, fault: Option<&str>) -> Response {
    let encoded = utf8_percent_encode(to, NON_ALPHANUMERIC);
    let body = html! {
        @if let Some(fault) = fault { p role="alert" { (fault) } }
        @for (number, name) in host.provider_names().iter().enumerate() {
            p { a.button href=(format!("{LEAVE}?provider={number}&to={encoded}")) { "Sign in with " (name) } }
        }
        @if host.is_development() {
            form id="sign-in" method="post" action=(SIGN_IN) {
                input type="hidden" name="to" value=(to);
                p {
                    label for="email" { "E-mail" }
                    input id="email" name="email" type="email" required autocomplete="email" value="owner@example.com";
                }
                p { button { "Sign in" } " Development: no password is asked." }
            }
        }
    };
    draw_bare(status, "Sign in", body)
}

fn draw_bare(status: StatusCode, title: &str, body: Markup) -> Response {
    page::draw_bare(&Bare { status, title, base: "/console", refresh: None }, body)
}

/// A page that says why there is no session, with the way to the start.
fn draw_fault(status: StatusCode, sentence: &str) -> Response {
    let body = html! { p role="alert" { (sentence) } p { a href=(SIGN_IN) { "Sign in again" } } };
    draw_bare(status, "You are not signed in", body)
}

fn draw_provider_fault(fault: SignInFault) -> Response {
    let (status, sentence) = match fault {
        SignInFault::Unreachable => (StatusCode::BAD_GATEWAY, "does not respond. Try again in a minute."),
        SignInFault::Rejected => (StatusCode::FORBIDDEN, "rejected the sign-in."),
        SignInFault::Unusable => (StatusCode::BAD_GATEWAY, "issued no access token of type Bearer."),
    };
    draw_fault(status, &format!("The identity provider {sentence}"))
}

fn reject_foreign() -> Response {
    draw_fault(StatusCode::FORBIDDEN, "The form was not sent from a page of this address. Open the page again.")
}

async fn depart(host: &Arc<dyn UserHost>, query: &Pairs) -> Response {
    let provider = query.get("provider").and_then(|number| number.parse().ok());
    let Some(provider) = provider.filter(|number: &usize| *number < host.provider_names().len()) else {
        return draw(host, StatusCode::NOT_FOUND, START, Some("There is no such identity provider."));
    };
    let departure = match host.begin_sign_in(provider, &callback(host)).await {
        Ok(departure) => departure,
        Err(fault) => return draw_provider_fault(fault),
    };
    let until = Utc::now().timestamp() + i64::from(LONGEST_ABSENCE);
    let to = safe_path(START, query.get("to")).to_owned();
    let away = Away { provider, state: departure.state, verifier: departure.verifier, to, until };
    let sealed = serde_json::to_vec(&away).ok().and_then(|plain| host.seal(PURPOSE, &plain));
    let (Some(sealed), Ok(location)) = (sealed, HeaderValue::from_str(&departure.location)) else {
        return draw_provider_fault(SignInFault::Unusable);
    };
    let mut response = page::redirect(START);
    *response.status_mut() = StatusCode::FOUND;
    response.headers_mut().insert(header::LOCATION, location);
    keep_away(host, &mut response, &sealed, LONGEST_ABSENCE);
    response
}

/// Lax: the redirect of the provider must bring it.
fn keep_away(host: &Arc<dyn UserHost>, response: &mut Response, value: &str, seconds: u32) {
    let name = full_name(host.as_ref(), COOKIE);
    let secure = is_secure(host.as_ref());
    Cookie { name: &name, value, path: CALLBACK, same_site: "Lax", seconds: seconds.into(), secure }.add_to(response);
}

/// A provider is configured only together with the own address.
fn callback(host: &Arc<dyn UserHost>) -> String {
    host.own_address().unwrap_or_default().to_owned() + CALLBACK
}

async fn arrive(host: &Arc<dyn UserHost>, peer: IpAddr, parts: &Parts, query: &Pairs) -> Response {
    let mut response = match exchange(host, parts, query).await {
        // No redirect: a Strict cookie is not sent along one that another site began.
        Ok((away, tokens)) => begin(host, peer, away.provider, tokens, lead(&away.to)).await,
        Err(response) => response,
    };
    keep_away(host, &mut response, "", 0);
    response
}

async fn exchange(host: &Arc<dyn UserHost>, parts: &Parts, query: &Pairs) -> Result<(Away, Tokens), Response> {
    let sealed = cookie::read(&parts.headers, &full_name(host.as_ref(), COOKIE));
    let plain = sealed.and_then(|sealed| host.unseal(PURPOSE, sealed));
    let away = plain.and_then(|plain| serde_json::from_slice::<Away>(&plain).ok());
    let state = Sha256::digest(query.get("state").unwrap_or_default());
    let is_own = |away: &Away| Utc::now().timestamp() < away.until && Sha256::digest(&away.state) == state;
    let Some(away) = away.filter(is_own) else {
        let sentence = "This browser did not begin the sign-in, or began it more than 10 minutes ago.";
        return Err(draw_fault(StatusCode::BAD_REQUEST, sentence));
    };
    if let Some(error) = query.get("error") {
        let error: String = error.chars().take(100).collect();
        let sentence = format!("The identity provider did not sign you in: {error}.");
        return Err(draw_fault(StatusCode::FORBIDDEN, &sentence));
    }
    let arrival = Arrival {
        provider: away.provider,
        callback: &callback(host),
        code: query.get("code").unwrap_or_default(),
        verifier: &away.verifier,
        issuer: query.get("iss"),
    };
    let tokens = host.finish_sign_in(arrival).await.map_err(draw_provider_fault)?;
    Ok((away, tokens))
}

async fn sign_in_by_address(host: &Arc<dyn UserHost>, peer: IpAddr, form: &Pairs) -> Response {
    let to = safe_path(START, form.get("to"));
    let Some(tokens) = host.mint_token(form.get("email").unwrap_or_default().trim()) else {
        return draw(host, StatusCode::BAD_REQUEST, to, Some("Enter an e-mail address."));
    };
    begin(host, peer, 0, tokens, page::redirect(to)).await
}

/// Sets the cookies of a new session. Who the user is, the host's verifier says by the access token, as for every caller.
async fn begin(
    host: &Arc<dyn UserHost>,
    peer: IpAddr,
    provider: usize,
    tokens: Tokens,
    mut response: Response,
) -> Response {
    let user = match Calls::new(host.clone(), &tokens.access, peer, None).get("/auth/me", &[]).await {
        Ok(reply) => reply.body,
        Err(problem) => {
            let sentence = format!("The host does not accept the access token. {}: {}", problem.code, problem.detail);
            return draw_fault(problem.status, &sentence);
        }
    };
    let text = |name: &str| user.get(name).and_then(|value| value.as_str()).unwrap_or_default().to_owned();
    let now = Utc::now().timestamp();
    let (user, email, key) = (text("id"), text("email"), rand::random());
    let (token, cookies) = (String::new(), Vec::new());
    let mut session = Session { token, refresh: None, provider, user, email, expiry: now, start: now, key, cookies };
    session.take_tokens(tokens, None, now);
    let Some(cookies) = session.seal(host.as_ref(), now) else {
        let sentence = "The provider's token is larger than 8 KiB. Ask for fewer claims in it.";
        return draw_fault(StatusCode::BAD_GATEWAY, sentence);
    };
    set_cookies(&mut response, &cookies);
    response
}

async fn sign_out(host: &Arc<dyn UserHost>, headers: &HeaderMap, form: &Pairs) -> Response {
    match Session::open(host, headers, START).await {
        Ok(session) if !session.has_sent(form) => reject_foreign(),
        _ => end(host, START),
    }
}
