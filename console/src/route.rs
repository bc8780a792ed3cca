//! From the address of a request to its page.

use std::net::IpAddr;
use std::sync::Arc;

use axum::body::Body;
use axum::extract::Request;
use axum::response::Response;
use http::request::Parts;
use http::{Method, StatusCode};
use maud::html;
use serde_json::Value;
use tokio::sync::OnceCell;
use uuid::Uuid;

use crate::call::{Calls, Problem};
use crate::host::UserHost;
use crate::page::{self, Visit};
use crate::pairs::{self, Pairs};
use crate::session::{self, Session, csrf, sign_in};
use crate::site::{Site, SiteCache};
use crate::{files, form, shop, show};

const BASE: &str = "/console";
const FOREIGN: &str = "The form is not one of this session. Open its page again and send it from there.";

/// The pages of users.
pub struct Console {
    pub host: Arc<dyn UserHost>,
    pub sites: SiteCache,
}

impl Console {
    pub fn new(host: Arc<dyn UserHost>) -> Console {
        Console { host, sites: SiteCache::default() }
    }

    /// `peer`: the address of the user.
    pub async fn respond(&self, peer: IpAddr, request: Request) -> Response {
        if let Some(name) = request.uri().path().strip_prefix("/console/files/") {
            return files::respond(name).unwrap_or_else(|| reject(StatusCode::NOT_FOUND, "There is no such file."));
        }
        let request = match sign_in::respond(&self.host, peer, request).await {
            Ok(response) => return response,
            Err(request) => request,
        };
        let (parts, body) = request.into_parts();
        if !matches!(parts.method, Method::GET | Method::HEAD | Method::POST) {
            return reject(StatusCode::METHOD_NOT_ALLOWED, "A page is read by GET, and a form is sent by POST.");
        }
        let whole = parts.uri.path_and_query().map_or(BASE, |whole| whole.as_str());
        let session = match Session::open(&self.host, &parts.headers, whole).await {
            Ok(session) => session,
            Err(response) => return response,
        };
        let mut response = match self.read_form(&parts, body, &session).await {
            Ok(form) => self.find_page(peer, &parts, whole, &session, form).await,
            Err(response) => response,
        };
        session.keep(&mut response);
        response
    }

    /// The form of a POST, once its origin and its token are those of the session.
    async fn read_form(&self, parts: &Parts, body: Body, session: &Session) -> Result<Pairs, Response> {
        if parts.method != Method::POST {
            return Ok(Pairs::default());
        }
        if !csrf::is_own_origin(self.host.own_address(), &parts.headers) {
            return Err(reject(StatusCode::FORBIDDEN, FOREIGN));
        }
        let unread = |status| reject(status, "The form cannot be read: it is larger than 256 KiB, or breaks off.");
        let form = pairs::read_form(body).await.map_err(unread)?;
        if !session.has_sent(&form) {
            return Err(reject(StatusCode::FORBIDDEN, FOREIGN));
        }
        Ok(form)
    }

    async fn find_page(&self, peer: IpAddr, parts: &Parts, whole: &str, session: &Session, form: Pairs) -> Response {
        let Some(site) = self.sites.get(&self.host.contract()) else {
            let sentence = "The contract of this host cannot be read. Its log says why.";
            return reject(StatusCode::SERVICE_UNAVAILABLE, sentence);
        };
        let below = parts.uri.path().strip_prefix(BASE).unwrap_or_default().trim_matches('/');
        let (first, path) = below.split_at(below.find('/').unwrap_or(below.len()));
        let tenant = (!matches!(first, "" | "new")).then_some(first);
        if tenant.is_some_and(|tenant| Uuid::try_parse(tenant).is_err()) {
            return reject(StatusCode::NOT_FOUND, "There is no such page.");
        }
        let visit = Visit {
            site,
            calls: Calls::new(self.host.clone(), &session.token, peer, tenant),
            base: tenant.map_or_else(|| BASE.to_owned(), |tenant| format!("{BASE}/{tenant}")),
            tenant: tenant.map(str::to_owned),
            path: if tenant.is_none() && first == "new" { "/new".to_owned() } else { path.to_owned() },
            query: Pairs::from_form(parts.uri.query().unwrap_or_default()),
            form,
            is_post: parts.method == Method::POST,
            user: session.user.clone(),
            email: session.email.clone(),
            csrf: session.csrf(),
            context: OnceCell::new(),
        };
        match respond(&visit).await {
            Ok(response) => response,
            Err(problem) if problem.status == StatusCode::UNAUTHORIZED => session::end(&self.host, whole),
            Err(problem) => page::draw_problem(&visit, &problem).await,
        }
    }
}

fn reject(status: StatusCode, sentence: &str) -> Response {
    page::draw_bare_problem(&Problem::new(status, "", sentence))
}

async fn respond(visit: &Visit) -> Result<Response, Problem> {
    let site: &Site = &visit.site;
    if visit.tenant.is_none() && visit.path != "/new" {
        return choose_company(visit).await;
    }
    if let Some(list) = visit.path.strip_prefix("/-/find/") {
        return form::reference::respond(visit, list).await;
    }
    if visit.path.is_empty() || visit.path.starts_with("/-/") {
        return shop::respond(visit).await;
    }
    let form = match &visit.tenant {
        None => site.operation("createCompany").map(|operation| Some((operation, Vec::new()))),
        Some(_) => visit.query.get("_form").map(|id| site.form_at(id, &visit.path)),
    };
    if let Some(form) = form {
        let (operation, values) = form.ok_or_else(Problem::not_found)?;
        return if visit.is_post {
            show::write::send(visit, operation, &values).await
        } else {
            show::write::draw(visit, operation, &values).await
        };
    }
    let (operation, values) = site.read_at(&visit.path).filter(|_| !visit.is_post).ok_or_else(Problem::not_found)?;
    show::respond(visit, operation, &values).await
}

/// The only company of the user, else a list of them; without one the form of a new company.
async fn choose_company(visit: &Visit) -> Result<Response, Problem> {
    let user = visit.calls.get("/auth/me", &[]).await?.body;
    let memberships = user.get("memberships").and_then(Value::as_array).into_iter().flatten();
    let companies = memberships.filter_map(|membership| {
        let text = |name: &str| membership.get(name).and_then(Value::as_str);
        (text("status") == Some("ACTIVE")).then_some((text("tenantId")?, text("tenantName")?))
    });
    let companies: Vec<(&str, &str)> = companies.collect();
    match (companies.as_slice(), visit.query.get("all")) {
        ([], None) => return Ok(page::redirect("/console/new")),
        ([(tenant, _)], None) => return Ok(page::redirect(&format!("{BASE}/{tenant}"))),
        _ => {}
    }
    let body = html! {
        ul.companies { @for (tenant, name) in companies { li { a href={ (BASE) "/" (tenant) } { (name) } } } }
        p { a.button href="/console/new" { "Create a company" } }
    };
    page::draw(visit, "Companies", body).await
}
