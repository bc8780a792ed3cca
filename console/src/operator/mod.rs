//! The pages of operators: the dispatch to the pages, their layout, and the calls of the operators' API.

mod audit;
mod companies;
mod generations;
mod hosts;
mod modules;
mod sign_in;
mod upload;
mod values;
mod verify;
mod webhooks;

use std::sync::Arc;

use axum::body::Body;
use axum::extract::Request;
use axum::response::Response;
use bytes::Bytes;
use http::{HeaderMap, Method, StatusCode, header};
use maud::{Markup, html};
use serde_json::Value;

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

pub struct OperatorConsole {
    host: Arc<dyn OperatorHost>,
}

/// A request of an operator who is signed in.
struct OperatorRequest {
    host: Arc<dyn OperatorHost>,
    session: OperatorSession,
    /// Below the start, without its first slash: `active/sales`.
    path: String,
    query: Pairs,
}

/// A rejection, of the operators' API or of a form.
struct OperatorProblem {
    status: StatusCode,
    code: String,
    detail: String,
    /// For a module that breaks callers: code, item, detail.
    changes: Vec<Value>,
}

type Drawn = Result<Response, OperatorProblem>;

impl OperatorConsole {
    pub fn new(host: Arc<dyn OperatorHost>) -> OperatorConsole {
        OperatorConsole { host }
    }

    pub async fn respond(&self, request: Request) -> Response {
        let (parts, body) = request.into_parts();
        let Some(path) = parts.uri.path().strip_prefix(START) else { return page::redirect(START) };
        let path = path.trim_start_matches('/').to_owned();
        if let Some(file) = path.strip_prefix("files/").and_then(files::respond) {
            return file;
        }
        let is_post = parts.method == Method::POST;
        if is_post && !csrf::is_own_origin(None, &parts.headers) {
            let body = html! { p role="alert" { "The form was not sent from a page of this address." } };
            let status = StatusCode::FORBIDDEN;
            return page::draw_bare(&Bare { status, title: "Not permitted", base: START, refresh: None }, body);
        }
        let query = Pairs::from_form(parts.uri.query().unwrap_or_default());
        if path == "sign-in" {
            let form = if is_post { pairs::read_form(body).await.ok() } else { None };
            return sign_in::respond(&self.host, &query, form).await;
        }
        let Some(session) = OperatorSession::read(self.host.as_ref(), &parts.headers) else {
            return sign_in::leave(&parts.uri);
        };
        let asked = OperatorRequest { host: self.host.clone(), session, path, query };
        let drawn = if is_post { asked.change(&parts.headers, body).await } else { asked.draw_page().await };
        match drawn {
            Ok(response) => response,
            Err(problem) if problem.status == StatusCode::UNAUTHORIZED => sign_in::end(&parts.uri),
            Err(problem) => asked.draw_problem(&problem),
        }
    }
}

impl OperatorRequest {
    async fn draw_page(&self) -> Drawn {
        match self.path.split('/').collect::<Vec<_>>()[..] {
            [""] => hosts::draw(self).await,
            ["modules"] => modules::draw_list(self).await,
            ["module", digest] => modules::draw_pushed(self, digest).await,
            ["active", name] => modules::draw_active(self, name).await,
            ["generations"] => generations::draw(self).await,
            ["companies"] => companies::draw_list(self).await,
            ["companies", id] => companies::draw(self, id).await,
            ["companies", id, "webhooks", webhook] => webhooks::draw(self, id, webhook).await,
            ["audit"] => audit::draw(self).await,
            ["verify"] => Ok(verify::draw(self)),
            _ => Err(OperatorProblem::not_found("There is no such page.")),
        }
    }

    /// A POST: one change, then 303 to a page.
    async fn change(&self, headers: &HeaderMap, body: Body) -> Drawn {
        let unread =
            |status| OperatorProblem::new(status, "VALIDATION_FAILED", "The form cannot be read. Send it again.");
        if self.path == "modules" {
            let upload = upload::read(headers, body).await.map_err(unread)?;
            self.check(upload.text("csrf"))?;
            return modules::push(self, &upload).await;
        }
        let form = &pairs::read_form(body).await.map_err(unread)?;
        self.check(form.get("csrf").unwrap_or_default())?;
        match self.path.split('/').collect::<Vec<_>>()[..] {
            ["sign-out"] => Ok(sign_in::sign_out()),
            ["module", digest] => modules::activate(self, digest, form).await,
            ["active", name] => modules::change_active(self, name, form).await,
            ["generations"] => generations::change(self, form).await,
            ["companies", id] => companies::change(self, id, form).await,
            ["companies", id, "webhooks", webhook] => webhooks::redeliver(self, id, webhook, form).await,
            ["verify"] => verify::run(self, form).await,
            _ => Err(OperatorProblem::not_found("There is no such page.")),
        }
    }

    fn check(&self, token: &str) -> Result<(), OperatorProblem> {
        let detail = "The form is of another session. Open the page again.";
        let foreign = || OperatorProblem::new(StatusCode::FORBIDDEN, "PERMISSION_DENIED", detail);
        csrf::is_token(&self.session.key, token).then_some(()).ok_or_else(foreign)
    }

    /// `path` is below `/operator/`.
    async fn get(&self, path: &str) -> Result<Value, OperatorProblem> {
        self.send(http::Request::get(format!("/operator/{path}")), Bytes::new()).await.map(|(_, body)| body)
    }

    async fn post(&self, path: &str, body: &Value) -> Result<Value, OperatorProblem> {
        let request = http::Request::post(format!("/operator/{path}")).header(header::CONTENT_TYPE, "application/json");
        self.send(request, Bytes::from(body.to_string())).await.map(|(_, body)| body)
    }

    /// Sends a request with the operator's token; the error is the rejection of the API.
    async fn send(&self, request: http::request::Builder, body: Bytes) -> Result<(StatusCode, Value), OperatorProblem> {
        let token = format!("Bearer {}", self.session.token);
        let request = request.header(header::AUTHORIZATION, token).body(body);
        let request = request.map_err(|_| OperatorProblem::not_found("There is no such page."))?;
        let response = self.host.send(request).await;
        let status = response.status();
        let body: Value = serde_json::from_slice(response.body()).unwrap_or_default();
        if status.is_success() {
            return Ok((status, body));
        }
        let text = |name: &str| body[name].as_str().unwrap_or("INTERNAL");
        let changes = body["changes"].as_array().cloned().unwrap_or_default();
        Err(OperatorProblem { changes, ..OperatorProblem::new(status, text("code"), text("detail")) })
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

    /// A form that is sent to a page, `path` below the start.
    fn form(&self, id: &str, path: &str, fields: Markup) -> Markup {
        html! { form id=(id) method="post" action=(address(path)) { (self.token_field()) (fields) } }
    }

    fn token_field(&self) -> Markup {
        html! { input type="hidden" name="csrf" value=(csrf::make_token(&self.session.key)); }
    }

    fn draw_problem(&self, problem: &OperatorProblem) -> Response {
        let body = html! {
            div.problem role="alert" tabindex="-1" autofocus { p { strong { (problem.code) } } p { (problem.detail) } }
            @if !problem.changes.is_empty() { (modules::draw_changes(&problem.changes, false)) }
            p { a href=(address(&self.path)) { "Open the page again" } }
        };
        self.draw_with(problem.status, "The host rejected the request", None, body)
    }
}

impl OperatorProblem {
    fn new(status: StatusCode, code: &str, detail: &str) -> OperatorProblem {
        OperatorProblem { status, code: code.to_owned(), detail: detail.to_owned(), changes: Vec::new() }
    }

    fn not_found(detail: &str) -> OperatorProblem {
        OperatorProblem::new(StatusCode::NOT_FOUND, "NOT_FOUND", detail)
    }
}

/// The address of a page, `path` below the start.
fn address(path: &str) -> String {
    if path.is_empty() { START.to_owned() } else { format!("{START}/{path}") }
}
