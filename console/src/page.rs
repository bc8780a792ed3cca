//! Layout of pages, the navigation, the headers of every page and the pages of rejections.

use std::sync::Arc;

use axum::body::Body;
use axum::response::Response;
use http::{HeaderValue, StatusCode, header};
use maud::{DOCTYPE, Markup, html};

use crate::call::{Context, Problem};
use crate::files;
use crate::site::Site;

/// The surroundings of a page of a company.
pub struct Frame {
    pub site: Arc<Site>,
    pub context: Context,
    /// E-mail address of the user.
    pub email: String,
    /// For the forms of this page.
    pub csrf: String,
    /// Path and query of the page.
    pub path: String,
    /// Operation that was done (`_done`).
    pub done: Option<String>,
    /// Pages of commerce in the navigation.
    pub links: Vec<Link>,
}

#[derive(Debug, Clone)]
pub struct Link {
    pub group: String,
    pub label: String,
    pub address: String,
}

/// A page outside a company: sign-in, choice of a company, rejections, pages of operators.
pub struct Bare<'a> {
    pub status: StatusCode,
    pub title: &'a str,
    /// `/console` or `/operator/console`: below it are the files.
    pub base: &'a str,
    /// Seconds, and the address that the browser then reads.
    pub refresh: Option<(u32, &'a str)>,
}

const POLICY: &str = "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; \
    form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

/// A page of a company, with the status 200.
pub fn draw(frame: &Frame, title: &str, body: Markup) -> Response {
    draw_with_status(frame, StatusCode::OK, title, body)
}

pub fn draw_with_status(frame: &Frame, status: StatusCode, title: &str, body: Markup) -> Response {
    let _ = (&frame.site, &frame.context, &frame.email, &frame.csrf, &frame.path, &frame.done, &frame.links);
    draw_bare(&Bare { status, title, base: "/console", refresh: None }, body)
}

/// The page of a problem, with its status.
pub fn problem(frame: &Frame, problem: &Problem) -> Response {
    draw_with_status(frame, problem.status, &problem.code, html! { p role="alert" { (problem.detail) } })
}

pub fn draw_bare(bare: &Bare<'_>, body: Markup) -> Response {
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                @if let Some((seconds, address)) = bare.refresh {
                    meta http-equiv="refresh" content=(format!("{seconds};url={address}"));
                }
                title { (bare.title) " - Stoa" }
                link rel="stylesheet" href=(files::address(bare.base, "console.css"));
                link rel="icon" href=(files::address(bare.base, "icon.svg"));
                script src=(files::address(bare.base, "console.js")) defer {}
            }
            body { main { h1 { (bare.title) } (body) } }
        }
    };
    let mut response = Response::new(Body::from(page.into_string()));
    *response.status_mut() = bare.status;
    set_headers(&mut response);
    response
}

/// 303 to an address of the own site.
pub fn redirect(address: &str) -> Response {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = StatusCode::SEE_OTHER;
    set_headers(&mut response);
    response.headers_mut().remove(header::CONTENT_TYPE);
    if let Ok(value) = HeaderValue::from_str(address) {
        response.headers_mut().insert(header::LOCATION, value);
    }
    response
}

/// The headers of every page.
pub fn set_headers(response: &mut Response) {
    let headers = response.headers_mut();
    for (name, value) in [
        (header::CONTENT_TYPE, "text/html; charset=utf-8"),
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "same-origin"),
        (header::HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
        (header::CACHE_CONTROL, "no-store"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
}
