//! The pages of operators: the dispatch to the pages, their layout, and the calls of the operators' API.

mod companies;
mod generations;
mod modules;
mod reports;
mod sign_in;
mod upload;
mod values;

use std::sync::Arc;

use axum::body::Body;
use axum::extract::{Request, State};
use axum::response::Response;
use bytes::Bytes;
use http::{HeaderMap, Method, StatusCode, header, request};
use maud::{Markup, html};
use serde_json::Value;

use crate::call::{Problem, Reply, to_address};
use crate::files;
use crate::host::OperatorHost;
use crate::page::{self, Bare};
use crate::pairs::{self, Pairs};
use crate::session::csrf;
use sign_in::OperatorSession;

/// The address of the first page; the others are below it.
const START: &str = "/operator/console";

/// Pages of the navigation: address below the start, and label.
const PAGES: [(&str, &str); 6] = [
    ("", "Hosts"),
    ("modules", "Modules"),
    ("generations", "Generations"),
    ("companies", "Companies"),
    ("audit", "Audit"),
    ("verify", "Verify"),
];

/// A request of an operator who is signed in.
struct OperatorRequest {
    host: Arc<dyn OperatorHost>,
    session: OperatorSession,
    /// Below the start, without its first slash: `active/sales`.
    path: String,
    query: Pairs,
}

type Drawn = Result<Response, Problem>;

pub async fn respond(State(host): State<Arc<dyn OperatorHost>>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let Some(path) = parts.uri.path().strip_prefix(START) else { return page::redirect(START) };
    let path = path.trim_start_matches('/').to_owned();
    if let Some(name) = path.strip_prefix("files/") {
        return files::respond(name).unwrap_or_else(|| reject("Not found", &Problem::not_found()));
    }
    let is_post = parts.method == Method::POST;
    if is_post && !csrf::is_own_origin(None, &parts.headers) {
        return reject("Not permitted", &forbid("The form was not sent from a page of this address."));
    }
    let query = Pairs::from_form(parts.uri.query().unwrap_or_default());
    if path == "sign-in" {
        let form = if is_post { pairs::read_form(body).await.ok() } else { None };
        return sign_in::respond(host, query, form).await;
    }
    let whole = parts.uri.path_and_query().map_or(START, |whole| whole.as_str());
    let Some(session) = OperatorSession::read(host.as_ref(), &parts.headers) else {
        return page::redirect(&sign_in::address(whole));
    };
    let asked = OperatorRequest { host, session, path, query };
    let drawn = if is_post { asked.change(&parts.headers, body).await } else { asked.draw_page().await };
    match drawn {
        Ok(response) => response,
        Err(problem) if problem.status == StatusCode::UNAUTHORIZED => sign_in::end(whole),
        Err(problem) => asked.draw_problem(&problem),
    }
}

fn reject(title: &str, problem: &Problem) -> Response {
    page::draw_bare(&Bare { status: problem.status, title, base: START, refresh: None }, page::explain(problem))
}

fn forbid(detail: &str) -> Problem {
    Problem::new(StatusCode::FORBIDDEN, "PERMISSION_DENIED", detail)
}

impl OperatorRequest {
    async fn draw_page(&self) -> Drawn {
        match self.path.split('/').collect::<Vec<_>>()[..] {
            [""] => reports::draw_hosts(self).await,
            ["modules"] => modules::draw_list(self).await,
            ["module", digest] => modules::draw_pushed(self, digest).await,
            ["active", name] => modules::draw_active(self, name).await,
            ["generations"] => generations::draw(self).await,
            ["companies"] => companies::draw_list(self).await,
            ["companies", _] => companies::draw(self).await,
            ["companies", company, "webhooks", _] => companies::draw_webhook(self, company).await,
            ["audit"] => reports::draw_audit(self).await,
            ["verify"] => Ok(reports::draw_verification(self)),
            _ => Err(Problem::not_found()),
        }
    }

    /// A POST: one change, then 303 to a page.
    async fn change(&self, headers: &HeaderMap, body: Body) -> Drawn {
        let unread = |status| Problem::new(status, "VALIDATION_FAILED", "The form cannot be read. Send it again.");
        if self.path == "modules" {
            let upload = upload::read(headers, body).await.map_err(unread)?;
            self.check(&upload.text("csrf"))?;
            return modules::push(self, &upload).await;
        }
        let form = &pairs::read_form(body).await.map_err(unread)?;
        self.check(form.get("csrf").unwrap_or_default())?;
        match self.path.split('/').collect::<Vec<_>>()[..] {
            ["sign-out"] => Ok(sign_in::end(START)),
            ["module", digest] => modules::activate(self, digest, form).await,
            ["active", name] => modules::change_active(self, name, form).await,
            ["generations"] => generations::change(self, form).await,
            ["companies", _] => companies::change(self, form).await,
            ["companies", _, "webhooks", _] => companies::redeliver(self, form).await,
            ["verify"] => reports::verify(self, form).await,
            _ => Err(Problem::not_found()),
        }
    }

    fn check(&self, token: &str) -> Result<(), Problem> {
        let is_own = csrf::is_token(&self.session.key, token);
        is_own.then_some(()).ok_or_else(|| forbid("The form is of another session. Open the page again."))
    }

    /// `path` is below `/operator/`.
    async fn get(&self, path: &str) -> Result<Value, Problem> {
        self.send(http::Request::get(format!("/operator/{path}")), Bytes::new()).await.map(|reply| reply.body)
    }

    /// A list of the API with the filters that the page's own query states.
    async fn get_filtered(&self, path: &str) -> Result<Value, Problem> {
        self.get(&to_address(path, &self.filters().collect::<Vec<_>>())).await
    }

    fn filters(&self) -> impl Iterator<Item = (&str, &str)> {
        let filters = self.query.0.iter().map(|(name, value)| (name.as_str(), value.as_str()));
        filters.filter(|(_, value)| !value.is_empty())
    }

    async fn post(&self, path: &str, body: &Value) -> Result<Value, Problem> {
        let request = http::Request::post(format!("/operator/{path}")).header(header::CONTENT_TYPE, "application/json");
        self.send(request, Bytes::from(body.to_string())).await.map(|reply| reply.body)
    }

    /// Sends a request with the operator's token.
    async fn send(&self, request: request::Builder, body: Bytes) -> Result<Reply, Problem> {
        let invalid =
            |_| Problem::new(StatusCode::BAD_REQUEST, "VALIDATION_FAILED", "The address or the token is no valid one.");
        let request = request.header(header::AUTHORIZATION, format!("Bearer {}", self.session.token));
        Reply::read(&self.host.send(request.body(body).map_err(invalid)?).await)
    }

    /// A page with the navigation.
    fn draw(&self, title: &str, body: Markup) -> Response {
        self.draw_with(StatusCode::OK, title, None, body)
    }

    /// `refresh`: seconds, and the address that the browser then reads.
    fn draw_with(&self, status: StatusCode, title: &str, refresh: Option<(u32, &str)>, body: Markup) -> Response {
        let first = self.path.split('/').next().unwrap_or_default();
        let first = if matches!(first, "module" | "active") { "modules" } else { first };
        let body = html! {
            nav.operators aria-label="Operators' pages" {
                @for (path, label) in PAGES {
                    a href=(address(path)) aria-current=[(path == first).then_some("page")] { (label) }
                }
                (self.form("sign-out", "sign-out", html! { button.plain { "Sign out" } }))
            }
            (body)
        };
        page::draw_bare(&Bare { status, title, base: START, refresh }, body)
    }

    fn draw_problem(&self, problem: &Problem) -> Response {
        let body = html! {
            (page::explain(problem))
            @if !problem.changes.is_empty() { (modules::draw_changes(&problem.changes, false)) }
            p { a href=(self.address()) { "Open the page again" } }
        };
        self.draw_with(problem.status, "The host rejected the request", None, body)
    }

    /// The link to the next page of a list, if there is one: the same filters and another `name`.
    fn draw_next(&self, name: &str, next: &Value) -> Markup {
        let next = values::show(next);
        let filters = self.filters().filter(|(known, _)| *known != name).chain([(name, next.as_str())]);
        let address = to_address(&self.address(), &filters.collect::<Vec<_>>());
        html! { @if !next.is_empty() { p.pager { a href=(address) { "Next" } } } }
    }

    /// A form that is sent to a page, `path` below the start.
    fn form(&self, id: &str, path: &str, fields: Markup) -> Markup {
        html! { form id=(id) method="post" action=(address(path)) { (self.token_field()) (fields) } }
    }

    fn token_field(&self) -> Markup {
        html! { input type="hidden" name="csrf" value=(csrf::make_token(&self.session.key)); }
    }

    /// The address of the page, without its query.
    fn address(&self) -> String {
        address(&self.path)
    }
}

/// A link to a page, `path` below the start.
fn link(path: &str, label: &str) -> Markup {
    html! { a href=(address(path)) { (label) } }
}

/// The address of a page, `path` below the start.
fn address(path: &str) -> String {
    if path.is_empty() { START.to_owned() } else { format!("{START}/{path}") }
}
