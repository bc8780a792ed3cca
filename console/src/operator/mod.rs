//! The pages of operators: the dispatch to the pages, their layout, and the calls of the operators' API.

pub mod audit;
pub mod companies;
pub mod generations;
pub mod hosts;
pub mod modules;
pub mod sign_in;
pub mod upload;
pub mod values;
pub mod verify;
pub mod webhooks;

use std::sync::Arc;

use axum::extract::Request;
use axum::response::Response;
use bytes::Bytes;
use http::{Method, StatusCode, header};
use maud::{Markup, html};
use serde_json::Value;

use crate::files;
use crate::host::OperatorHost;
use crate::page::{self, Bare};
use crate::pairs::{self, Pairs};
use crate::session::csrf;
use sign_in::OperatorSession;

/// The address of the first page; the others are below it.
pub const START: &str = "/operator/console";

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
    pub host: Arc<dyn OperatorHost>,
}

/// A request of an operator who is signed in.
pub struct OperatorRequest {
    host: Arc<dyn OperatorHost>,
    token: String,
    key: [u8; 32],
    /// Below the start, without its first slash: `active/sales`.
    path: String,
    pub query: Pairs,
}

/// A rejection of the operators' API.
#[derive(Debug)]
pub struct OperatorProblem {
    pub status: StatusCode,
    pub code: String,
    pub detail: String,
    /// For a module that breaks callers: code, item, detail.
    pub changes: Vec<Value>,
}

type Drawn = Result<Response, OperatorProblem>;

impl OperatorConsole {
    pub fn new(host: Arc<dyn OperatorHost>) -> OperatorConsole {
        OperatorConsole { host }
    }

    pub async fn respond(&self, request: Request) -> Response {
        let (parts, body) = request.into_parts();
        let Some(rest) = parts.uri.path().strip_prefix(START) else { return page::redirect(START) };
        let path = rest.trim_start_matches('/').to_owned();
        let is_post = parts.method == Method::POST;
        if !is_post && parts.method != Method::GET {
            return draw_rejection(
                StatusCode::METHOD_NOT_ALLOWED,
                "A page is read by GET, and a form is sent by POST.",
            );
        }
        if let Some(name) = path.strip_prefix("files/") {
            return files::respond(name).unwrap_or_else(draw_nothing);
        }
        if is_post && !csrf::is_own_origin(None, &parts.headers) {
            return draw_rejection(StatusCode::FORBIDDEN, "The form was not sent from a page of this address.");
        }
        let query = Pairs::from_form(parts.uri.query().unwrap_or_default());
        if path == "sign-in" {
            let form = if is_post { Some(pairs::read_form(body).await) } else { None };
            return sign_in::respond(&self.host, &query, form).await;
        }
        let Some(OperatorSession { token, key, .. }) = OperatorSession::read(self.host.as_ref(), &parts.headers) else {
            return sign_in::leave(&parts.uri);
        };
        let asked = OperatorRequest { host: self.host.clone(), token, key, path, query };
        let drawn = if !is_post {
            asked.draw_page().await
        } else if asked.path == "modules" {
            match upload::read(&parts.headers, body).await {
                Ok(upload) if asked.is_own(upload.text("csrf")) => modules::push(&asked, &upload).await,
                Ok(_) => return asked.draw_foreign(),
                Err(status) => return draw_unread(status),
            }
        } else {
            match pairs::read_form(body).await {
                Ok(form) if asked.is_own(form.get("csrf").unwrap_or_default()) => asked.change(&form).await,
                Ok(_) => return asked.draw_foreign(),
                Err(status) => return draw_unread(status),
            }
        };
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
            _ => Ok(draw_nothing()),
        }
    }

    /// A POST: one change, then 303 to a page.
    async fn change(&self, form: &Pairs) -> Drawn {
        match self.path.split('/').collect::<Vec<_>>()[..] {
            ["sign-out"] => Ok(sign_in::sign_out()),
            ["module", digest] => modules::activate(self, digest, form).await,
            ["active", name] => modules::change_active(self, name, form).await,
            ["generations"] => generations::change(self, form).await,
            ["companies", id] => companies::change(self, id, form).await,
            ["companies", id, "webhooks", webhook] => webhooks::redeliver(self, id, webhook, form).await,
            ["verify"] => verify::run(self, form).await,
            _ => Ok(draw_nothing()),
        }
    }

    fn is_own(&self, token: &str) -> bool {
        csrf::is_token(&self.key, token)
    }

    /// `path` is below `/operator/`.
    pub async fn get(&self, path: &str) -> Result<Value, OperatorProblem> {
        self.send(http::Request::get(format!("/operator/{path}")), Bytes::new()).await.map(|(_, body)| body)
    }

    pub async fn post(&self, path: &str, body: &Value) -> Result<Value, OperatorProblem> {
        let request = http::Request::post(format!("/operator/{path}")).header(header::CONTENT_TYPE, "application/json");
        self.send(request, Bytes::from(body.to_string())).await.map(|(_, body)| body)
    }

    /// Sends a request with the operator's token; the error is the rejection of the API.
    async fn send(&self, request: http::request::Builder, body: Bytes) -> Result<(StatusCode, Value), OperatorProblem> {
        let request = request.header(header::AUTHORIZATION, format!("Bearer {}", self.token)).body(body);
        let Ok(request) = request else {
            return Err(OperatorProblem::new(StatusCode::NOT_FOUND, "NOT_FOUND", "There is no such page."));
        };
        let response = self.host.send(request).await;
        let status = response.status();
        let body: Value = serde_json::from_slice(response.body()).unwrap_or_default();
        if status.is_success() {
            return Ok((status, body));
        }
        let text = |name: &str, other: &str| body[name].as_str().unwrap_or(other).to_owned();
        let changes = body["changes"].as_array().cloned().unwrap_or_default();
        let (code, detail) = (text("code", "INTERNAL"), text("detail", "The host does not respond as expected."));
        Err(OperatorProblem { status, code, detail, changes })
    }

    /// A page with the navigation.
    pub fn draw(&self, title: &str, body: Markup) -> Response {
        self.draw_with(StatusCode::OK, title, None, body)
    }

    /// `refresh`: seconds, and the address that the browser then reads.
    pub fn draw_with(&self, status: StatusCode, title: &str, refresh: Option<(u32, &str)>, body: Markup) -> Response {
        let first = self.path.split('/').next().unwrap_or_default();
        let first = if matches!(first, "module" | "active") { "modules" } else { first };
        let body = html! {
            nav.operators aria-label="Operators' pages" {
                @for (path, label) in PAGES {
                    a href=(address(path)) aria-current=[(path == first).then_some("page")] { (label) }
                    " "
                }
                (self.form("sign-out", "sign-out", html! { button.plain { "Sign out" } }))
            }
            (body)
        };
        page::draw_bare(&Bare { status, title, base: START, refresh }, body)
    }

    /// A form that is sent to a page, `path` below the start.
    pub fn form(&self, id: &str, path: &str, fields: Markup) -> Markup {
        html! {
            form id=(id) method="post" action=(address(path)) { (self.token_field()) (fields) }
        }
    }

    fn token_field(&self) -> Markup {
        html! { input type="hidden" name="csrf" value=(csrf::make_token(&self.key)); }
    }

    fn draw_problem(&self, problem: &OperatorProblem) -> Response {
        let body = html! {
            div.problem role="alert" tabindex="-1" autofocus { p { strong { (problem.code) } } p { (problem.detail) } }
            @if !problem.changes.is_empty() { (modules::draw_changes(&problem.changes, false)) }
            p { a href=(address(&self.path)) { "Open the page again" } }
        };
        self.draw_with(problem.status, "The host rejected the request", None, body)
    }

    fn draw_foreign(&self) -> Response {
        let detail = "The form is of another session. Open the page again and send it again.";
        self.draw_problem(&OperatorProblem::new(StatusCode::FORBIDDEN, "PERMISSION_DENIED", detail))
    }
}

impl OperatorProblem {
    pub fn new(status: StatusCode, code: &str, detail: &str) -> OperatorProblem {
        OperatorProblem { status, code: code.to_owned(), detail: detail.to_owned(), changes: Vec::new() }
    }
}

/// The address of a page, `path` below the start.
pub fn address(path: &str) -> String {
    if path.is_empty() { START.to_owned() } else { format!("{START}/{path}") }
}

fn draw_rejection(status: StatusCode, sentence: &str) -> Response {
    let body = html! { p role="alert" { (sentence) } p { a href=(START) { "Operators' pages" } } };
    page::draw_bare(&Bare { status, title: "The page cannot be shown", base: START, refresh: None }, body)
}

fn draw_nothing() -> Response {
    draw_rejection(StatusCode::NOT_FOUND, "There is no such page.")
}

fn draw_unread(status: StatusCode) -> Response {
    let sentence = match status {
        StatusCode::PAYLOAD_TOO_LARGE => "The form is too large.",
        StatusCode::UNSUPPORTED_MEDIA_TYPE => "The form is not of the type multipart/form-data.",
        _ => "The form cannot be read. Send it again.",
    };
    draw_rejection(status, sentence)
}
