//! Layout of pages, the navigation, the headers of every page and the pages of rejections.

use std::sync::Arc;

use axum::body::Body;
use axum::response::Response;
use http::{HeaderValue, StatusCode, header};
use maud::{DOCTYPE, Markup, html};
use tokio::sync::OnceCell;

use crate::call::{Calls, Context, Problem};
use crate::clock::Clock;
use crate::commerce;
use crate::files;
use crate::pairs::Pairs;
use crate::site::Site;

/// A request of a user: its parts, and the calls that its page may make.
pub struct Visit {
    pub site: Arc<Site>,
    pub calls: Calls,
    /// `/console/TENANT`; outside of a company `/console`.
    pub base: String,
    pub tenant: Option<String>,
    /// Below the company, encoded as it came: `/catalog/products/ID`.
    pub path: String,
    pub query: Pairs,
    /// The form of a POST; else empty.
    pub form: Pairs,
    pub is_post: bool,
    pub user: String,
    pub email: String,
    pub csrf: String,
    pub context: OnceCell<Result<Context, Problem>>,
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

const BASE: &str = "/console";

impl Visit {
    /// The company, and the permissions of the user in it, by one call for all that ask; outside of a company there is neither.
    pub async fn context(&self) -> Result<&Context, Problem> {
        let read = async {
            match &self.tenant {
                Some(_) => self.calls.context().await,
                None => Ok(Context { name: String::new(), zone: chrono_tz::UTC, permissions: Vec::new() }),
            }
        };
        self.context.get_or_init(|| read).await.as_ref().map_err(Problem::clone)
    }

    pub async fn clock(&self) -> Result<Clock, Problem> {
        Ok(Clock { zone: self.context().await?.zone })
    }

    /// The address of the page, without its query.
    pub fn address(&self) -> String {
        format!("{}{}", self.base, self.path)
    }
}

/// A page of a company, with the status 200.
pub async fn draw(visit: &Visit, title: &str, body: Markup) -> Result<Response, Problem> {
    draw_with_status(visit, StatusCode::OK, title, body).await
}

pub async fn draw_with_status(
    visit: &Visit,
    status: StatusCode,
    title: &str,
    body: Markup,
) -> Result<Response, Problem> {
    let context = visit.context().await?;
    let name = if context.name.is_empty() { "Stoa" } else { &context.name };
    let done = visit.query.get("_done").and_then(|id| visit.site.operation(id));
    let page = html! {
        a.skip href="#main" { "Skip to the content" }
        header {
            a.company href=(visit.base) { (name) }
            form #sign-out method="post" action={ (BASE) "/sign-out" } {
                input type="hidden" name="csrf" value=(visit.csrf);
                span.email { (visit.email) }
                " " a href={ (BASE) "?all" } { "Companies" } " "
                button.plain { "Sign out" }
            }
        }
        @if visit.tenant.is_some() { details.menu { summary { "Menu" } (draw_navigation(visit, context)) } }
        main #main {
            h1 { (title) }
            @if let Some(done) = done { p.done role="status" { "Done: " (done.summary) "." } }
            (body)
        }
    };
    Ok(respond(&Bare { status, title, base: BASE, refresh: None }, name, page))
}

/// R13: the groups of the site, each with the pages of commerce of its name first. R12: only permitted ones.
fn draw_navigation(visit: &Visit, context: &Context) -> Markup {
    let (site, own) = (&visit.site, visit.address());
    let links = commerce::offer((&visit.site, &visit.base), context);
    let groups = site.groups.iter().map(|group| {
        let links = links.iter().filter(|link| link.group == group.label);
        let entries = group.entries.iter().filter(|entry| {
            let operation = site.operations.get(entry.operation);
            operation.is_some_and(|operation| operation.access.permits(&context.permissions))
        });
        let entries = entries.map(|entry| (entry.label.as_str(), format!("{}{}", visit.base, entry.path)));
        (group.label.as_str(), links.map(|link| (link.label, link.address.clone())).chain(entries).collect::<Vec<_>>())
    });
    let start = ("", vec![("Overview", visit.base.clone())]);
    let current = |address: &str| match own.strip_prefix(address) {
        Some("") => Some("page"),
        Some(below) if below.starts_with('/') && address != visit.base => Some("true"),
        _ => None,
    };
    html! {
        nav aria-label="Pages" {
            @for (label, entries) in [start].into_iter().chain(groups).filter(|(_, entries)| !entries.is_empty()) {
                @if !label.is_empty() { p.group { (label) } }
                ul {
                    @for (text, address) in &entries {
                        li { a href=(address) aria-current=[current(address)] { (text) } }
                    }
                }
            }
        }
    }
}

/// The page of a problem, with its status; a bare one where the company cannot be read either.
pub async fn draw_problem(visit: &Visit, problem: &Problem) -> Response {
    let drawn = draw_with_status(visit, problem.status, name_problem(problem), explain(problem)).await;
    drawn.unwrap_or_else(|_| draw_bare_problem(problem))
}

pub fn draw_bare_problem(problem: &Problem) -> Response {
    let body = html! { (explain(problem)) p { a href="/console?all" { "Companies" } } };
    draw_bare(&Bare { status: problem.status, title: name_problem(problem), base: BASE, refresh: None }, body)
}

fn name_problem(problem: &Problem) -> &'static str {
    match problem.status {
        StatusCode::NOT_FOUND => "Not found",
        StatusCode::FORBIDDEN => "Not permitted",
        StatusCode::TOO_MANY_REQUESTS => "Too many requests",
        status if status.is_server_error() => "The service is not available",
        _ => "The request was rejected",
    }
}

/// The sentence of a problem, when to try again, and the id by which an operator finds its cause.
pub fn explain(problem: &Problem) -> Markup {
    html! {
        p role="alert" {
            (problem.detail)
            @if let Some(seconds) = problem.retry_after { " Try again in " (seconds) " seconds." }
        }
        @if !problem.code.is_empty() {
            p.help { (problem.code) @if let Some(id) = &problem.request_id { ", request " code { (id) } } }
        }
    }
}

pub fn draw_bare(bare: &Bare<'_>, body: Markup) -> Response {
    respond(bare, "Stoa", html! { main.bare #main { h1 { (bare.title) } (body) } })
}

fn respond(bare: &Bare<'_>, site: &str, body: Markup) -> Response {
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                @if let Some((seconds, address)) = bare.refresh {
                    meta http-equiv="refresh" content=(format!("{seconds};url={address}"));
                }
                title { (bare.title) " - " (site) }
                link rel="stylesheet" href=(files::address(bare.base, "console.css"));
                link rel="icon" href=(files::address(bare.base, "icon.svg"));
                script src=(files::address(bare.base, "console.js")) defer {}
            }
            body { (body) }
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
