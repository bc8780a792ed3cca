//! The pages of users: the console's way in to this host, which is the one of every caller.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::extract::Request;
use axum::{Router, middleware};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use bytes::Bytes;
use http::{HeaderMap, Response};
use http_body_util::{BodyExt as _, Limited};
use stoa_console::host::{Arrival, Connection, Contract, Departure, Later, Seals, SignInFault, Tokens, UserHost};
use uuid::Uuid;

use super::answer::{Peer, respond};
use super::app::App;
use super::{peer, problem};
use crate::identity::sign_in::SignIn;
use crate::identity::{DEV_AUDIENCE, DEV_ISSUER};
use crate::keyring::KeyRing;
use crate::problem::Problem;

/// The largest response that a page reads.
const LARGEST_RESPONSE: usize = 8 << 20;
/// Validity of a token of the development issuer: as long as a session.
const DEVELOPMENT_SESSION: Duration = Duration::from_secs(12 * 60 * 60);

pub struct UserPages {
    app: Arc<App>,
    sign_ins: Vec<SignIn>,
    names: Vec<String>,
    address: Option<String>,
}

impl UserPages {
    /// None: no user could sign in. `address`: the public one, without a path.
    pub fn new(app: Arc<App>, sign_ins: Vec<SignIn>, address: Option<String>) -> Option<UserPages> {
        let names = sign_ins.iter().map(SignIn::name).collect();
        let can_sign_in = !sign_ins.is_empty() || app.dev_issuer.is_some();
        can_sign_in.then_some(UserPages { app, sign_ins, names, address })
    }
}

/// Adds the pages to the public router. They are of this origin only: no rule for other origins holds for them.
pub fn mount(router: Router, pages: Option<Arc<UserPages>>) -> Router {
    let Some(pages) = pages else { return router };
    let pages = stoa_console::user_router(pages).layer(middleware::map_request(|mut request: Request| async move {
        if let Some(Peer(address)) = request.extensions().get().copied() {
            request.extensions_mut().insert(Connection(address));
        }
        request
    }));
    router.merge(pages)
}

/// Seals for the console: base64url of the length of the key's id, that id, and the ciphertext.
pub(super) fn seal(keys: &KeyRing, purpose: &str, plain: &[u8]) -> Option<String> {
    let sealed = keys.encrypt(&record(purpose), plain).ok()?;
    let length = u8::try_from(sealed.key_id.len()).ok()?;
    Some(URL_SAFE_NO_PAD.encode([&[length], sealed.key_id.as_bytes(), &sealed.bytes].concat()))
}

pub(super) fn unseal(keys: &KeyRing, purpose: &str, sealed: &str) -> Option<Vec<u8>> {
    let bytes = URL_SAFE_NO_PAD.decode(sealed).ok()?;
    let (length, rest) = bytes.split_first()?;
    let (key_id, ciphertext) = rest.split_at_checked(usize::from(*length))?;
    keys.decrypt(&record(purpose), std::str::from_utf8(key_id).ok()?, ciphertext).ok()
}

fn record(purpose: &str) -> Vec<u8> {
    format!("console {purpose}").into_bytes()
}

/// The response with its whole body; one that is too large, or that breaks off, is a problem.
pub(super) async fn collect(response: Response<Body>) -> Response<Bytes> {
    let (head, body) = response.into_parts();
    match Limited::new(body, LARGEST_RESPONSE).collect().await {
        Ok(collected) => Response::from_parts(head, collected.to_bytes()),
        Err(error) => {
            let request_id = Uuid::now_v7();
            tracing::error!(request = %request_id, %error, "a page cannot read its response");
            let (head, body) = problem::render(&Problem::new("INTERNAL"), request_id).into_parts();
            let body = body.collect().await.map(|collected| collected.to_bytes()).unwrap_or_default();
            Response::from_parts(head, body)
        }
    }
}

impl Seals for UserPages {
    fn seal(&self, purpose: &str, plain: &[u8]) -> Option<String> {
        seal(&self.app.platform.keys, purpose, plain)
    }

    fn unseal(&self, purpose: &str, sealed: &str) -> Option<Vec<u8>> {
        unseal(&self.app.platform.keys, purpose, sealed)
    }
}

impl UserHost for UserPages {
    fn send(&self, request: http::Request<Bytes>, peer: IpAddr) -> Later<'_, Response<Bytes>> {
        Box::pin(async move { collect(respond(&self.app, request.map(Body::from), peer, false).await).await })
    }

    fn contract(&self) -> Contract {
        let edition = self.app.deployment.current.load();
        Contract { etag: edition.contract.etag.clone(), bytes: edition.contract.bytes.clone() }
    }

    fn find_peer(&self, connection: IpAddr, headers: &HeaderMap) -> IpAddr {
        peer::address(connection, headers, &self.app.trusted_proxies)
    }

    fn provider_names(&self) -> &[String] {
        &self.names
    }

    fn begin_sign_in<'a>(&'a self, provider: usize, callback: &'a str) -> Later<'a, Result<Departure, SignInFault>> {
        Box::pin(async move { self.find(provider)?.depart(callback).await })
    }

    fn finish_sign_in<'a>(&'a self, arrival: Arrival<'a>) -> Later<'a, Result<Tokens, SignInFault>> {
        Box::pin(async move { self.find(arrival.provider)?.exchange(&arrival).await })
    }

    fn refresh<'a>(&'a self, provider: usize, refresh_token: &'a str) -> Later<'a, Result<Tokens, SignInFault>> {
        Box::pin(async move { self.find(provider)?.refresh(refresh_token).await })
    }

    fn is_development(&self) -> bool {
        self.app.dev_issuer.is_some()
    }

    fn mint_token(&self, email: &str) -> Option<Tokens> {
        let issuer = self.app.dev_issuer.as_ref()?;
        let access = issuer.mint(email, DEVELOPMENT_SESSION, DEV_AUDIENCE, DEV_ISSUER).ok()?;
        Some(Tokens { access, refresh: None, seconds: DEVELOPMENT_SESSION.as_secs() })
    }

    fn own_address(&self) -> Option<&str> {
        self.address.as_deref()
    }
}

impl UserPages {
    /// A session may name a provider that the settings no longer have.
    fn find(&self, provider: usize) -> Result<&SignIn, SignInFault> {
        self.sign_ins.get(provider).ok_or(SignInFault::Rejected)
    }
}
