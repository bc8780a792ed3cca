//! Layout of pages, the navigation, the headers of every page and the pages of rejections.

use std::sync::Arc;

use axum::body::Body;
use axum::response::Response;
use http::{HeaderValue, StatusCode, header};
use maud::{DOCTYPE, Markup, html};
use tokio::sync::OnceCell;

use crate::call::{Calls, Context, Problem};
use crate::clock::Clock;
use crate::files;
use crate::pairs::Pairs;
use crate::site::Site;
use crate::site::operation::Operation;

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
    /// Of a POST; else empty.
    pub form: Pairs,
    pub is_post: bool,
    pub user: String,
    pub email: String,
    pub csrf: String,
    /// Pages of commerce in the navigation, and those of a record.
    pub list_links: fn(&Site, &Context) -> Vec<Link>,
    pub shop_links: fn(&Frame, &Operation, &str) -> Vec<Link>,
    pub context: OnceCell<Result<Context, Problem>>,
}

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

const BASE: &str = "/console";

impl Visit {
    /// The company, and the permissions of the user in it: one call for all that ask. Outside of a company there is none of both.
    pub async fn context(&self) -> Result<&Context, Problem> {
        self.context.get_or_init(|| self.read_context()).await.as_ref().map_err(Problem::clone)
    }

    async fn read_context(&self) -> Result<Context, Problem> {
        if self.tenant.is_some() {
            return self.calls.context().await;
        }
        let (tenant, name, permissions) = Default::default();
        Ok(Context { tenant, name, zone: chrono_tz::UTC, permissions })
    }

    pub async fn frame(&self) -> Result<Frame, Problem> {
        let context = self.context().await?.clone();
        Ok(Frame {
            site: self.site.clone(),
            links: (self.list_links)(&self.site, &context),
            context,
            email: self.email.clone(),
            csrf: self.csrf.clone(),
            path: self.address(),
            done: self.query.get("_done").map(str::to_owned),
        })
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
pub fn draw(frame: &Frame, title: &str, body: Markup) -> Response {
    draw_with_status(frame, StatusCode::OK, title, body)
}

pub fn draw_with_status(frame: &Frame, status: StatusCode, title: &str, body: Markup) -> Response {
    let done = frame.done.as_ref().and_then(|id| frame.site.operation(id));
    let page = html! {
        (draw_header(frame))
        main #main {
            h1 { (title) }
            @if let Some(done) = done { p.done role="status" { "Done: " (done.summary) "." } }
            (body)
        }
    };
    respond(&Bare { status, title, base: BASE, refresh: None }, &frame.context.name, page)
}

/// The company, the user and the navigation.
fn draw_header(frame: &Frame) -> Markup {
    let home =
        if frame.context.tenant.is_empty() { BASE.to_owned() } else { format!("{BASE}/{}", frame.context.tenant) };
    html! {
        a.skip href="#main" { "Skip to the content" }
        header {
            a.company href=(home) { (if frame.context.name.is_empty() { "Stoa" } else { frame.context.name.as_str() }) }
            form #sign-out method="post" action={ (BASE) "/sign-out" } {
                input type="hidden" name="csrf" value=(frame.csrf);
                span.email { (frame.email) }
                " " a href={ (BASE) "?all" } { "Companies" } " "
                button.plain { "Sign out" }
            }
        }
        @if !frame.context.tenant.is_empty() {
            details.menu { summary { "Menu" } (draw_navigation(frame, &home)) }
        }
    }
}

/// R13: the groups of the site, each with the pages of commerce of its name first. R12: what is permitted.
fn draw_navigation(frame: &Frame, home: &str) -> Markup {
    let mut groups: Vec<(&str, Vec<(&str, String)>)> = vec![("", vec![("Overview", home.to_owned())])];
    let links = frame.links.iter().map(|link| (link.group.as_str(), link.label.as_str(), link.address.clone()));
    let entries = frame.site.groups.iter().flat_map(|group| group.entries.iter().map(move |entry| (group, entry)));
    let permitted = entries.filter(|(_, entry)| {
        let operation = frame.site.operations.get(entry.operation);
        operation.is_some_and(|operation| operation.access.permits(&frame.context.permissions))
    });
    let entries =
        permitted.map(|(group, entry)| (group.label.as_str(), entry.label.as_str(), format!("{home}{}", entry.path)));
    for (label, text, address) in links.chain(entries) {
        match groups.iter_mut().find(|(group, _)| *group == label) {
            Some((_, entries)) => entries.push((text, address)),
            None => groups.push((label, vec![(text, address)])),
        }
    }
    let current = |address: &str| match frame.path.strip_prefix(address) {
        Some("") => Some("page"),
        Some(below) if below.starts_with('/') && address != home => Some("true"),
        _ => None,
    };
    html! {
        nav aria-label="Pages" {
            @for (label, entries) in &groups {
                @if !label.is_empty() { p.group { (label) } }
                ul {
                    @for (text, address) in entries {
                        li { a href=(address) aria-current=[current(address)] { (text) } }
                    }
                }
            }
        }
    }
}

/// The page of a problem, with its status.
pub fn problem(frame: &Frame, problem: &Problem) -> Response {
    draw_with_status(frame, problem.status, title_of(problem), draw_problem(problem))
}

/// The same where the company cannot be read either.
pub fn problem_bare(problem: &Problem) -> Response {
    let body = html! { (draw_problem(problem)) p { a href="/console?all" { "Companies" } } };
    draw_bare(&Bare { status: problem.status, title: title_of(problem), base: BASE, refresh: None }, body)
}

fn title_of(problem: &Problem) -> &'static str {
    match problem.status {
        StatusCode::NOT_FOUND => "Not found",
        StatusCode::FORBIDDEN => "Not permitted",
        StatusCode::TOO_MANY_REQUESTS => "Too many requests",
        status if status.is_server_error() => "The service is not available",
        _ => "The request was rejected",
    }
}

/// The sentence of a problem, when to try again, and the id by which an operator finds its cause.
pub fn draw_problem(problem: &Problem) -> Markup {
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
                title { (bare.title) " - " (if site.is_empty() { "Stoa" } else { site }) }
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
