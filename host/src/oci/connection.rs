//! Requests to one registry about one path: bounded in time and size, to judged addresses, with credentials for
//! that registry only. Redirects are followed by hand: many registries keep their blobs elsewhere, and the
//! elsewhere gets no credential.

use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use bytes::Bytes;
use http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use reqwest::{Client, Response, Url, redirect};
use serde::Deserialize;

use super::challenge::Challenge;
use super::credentials::secret_header;
use super::fault::RegistryFault;
use super::reference::ModuleReference;
use crate::events::address::is_public;
use crate::events::resolver::{Resolved, Resolver};

const CONNECT: Duration = Duration::from_secs(5);
/// Redirects of one request that are followed.
const REDIRECTS: usize = 3;
/// Bytes of a token's document.
const TOKEN: usize = 64 * 1024;

/// Where a registry, and whatever it redirects to, may be.
#[derive(Clone)]
pub enum AddressRule {
    /// At public addresses over TLS, as receivers of webhooks; names are asked of this resolver.
    Public(Box<Resolver>),
    /// At any address over TLS; on this machine's loopback in plain text.
    Any,
}

/// A request as a registry takes it.
pub struct RegistryRequest {
    pub method: Method,
    pub address: Url,
    pub headers: HeaderMap,
    pub body: Bytes,
}

pub struct RegistryConnection {
    client: Client,
    /// `https://HOST/v2/PATH/`.
    base: Url,
    rule: AddressRule,
    /// Name and password, as the header that `Basic` takes.
    credentials: Option<HeaderValue>,
    authorization: Option<HeaderValue>,
}

#[derive(Deserialize)]
struct TokenDocument {
    token: Option<String>,
    access_token: Option<String>,
}

/// Resolves names only to public addresses: a connection goes where this says.
struct PublicNames(Resolver);

impl Resolve for PublicNames {
    fn resolve(&self, name: Name) -> Resolving {
        let resolver = self.0.clone();
        Box::pin(async move {
            let Ok(Resolved::To(addresses)) = resolver.resolve(name.as_str()).await else {
                return Err("the name has no address".into());
            };
            if !addresses.iter().all(|address| is_public(*address)) {
                return Err("the name has an address that is not public".into());
            }
            let addresses: Addrs = Box::new(addresses.into_iter().map(|address| SocketAddr::new(address, 0)));
            Ok(addresses)
        })
    }
}

impl RegistryConnection {
    pub fn new(
        reference: &ModuleReference,
        rule: AddressRule,
        credentials: Option<HeaderValue>,
    ) -> Result<RegistryConnection, RegistryFault> {
        let host = reference.registry.as_str();
        let parse = |scheme: &str| Url::parse(&format!("{scheme}://{host}/v2/{}/", reference.path));
        let malformed = |_| RegistryFault::Malformed(format!("`{host}` is no host of a registry"));
        let plain = parse("http").map_err(malformed)?;
        let is_plain = matches!(rule, AddressRule::Any) && is_loopback(&plain);
        let base = if is_plain { plain } else { parse("https").map_err(malformed)? };
        let client = build_client(&rule, is_plain).map_err(RegistryFault::from_transport)?;
        Ok(RegistryConnection { client, base, rule, credentials, authorization: None })
    }

    /// An address below that of the path.
    pub fn address(&self, below: &str) -> Result<Url, RegistryFault> {
        self.base.join(below).map_err(|error| RegistryFault::Malformed(error.to_string()))
    }

    /// The address that a response names.
    pub fn read_location(&self, asked: &Url, response: &Response) -> Result<Url, RegistryFault> {
        let stated = response.headers().get(header::LOCATION).and_then(|location| location.to_str().ok());
        let location = stated.and_then(|location| asked.join(location).ok());
        location.ok_or_else(|| RegistryFault::Malformed("the registry names no location".to_owned()))
    }

    /// Sends a request, answers a challenge to it once, and follows redirects of a read.
    pub async fn send(&mut self, request: &RegistryRequest) -> Result<Response, RegistryFault> {
        let (mut address, mut is_answered, mut redirects) = (request.address.clone(), false, 0);
        let is_read = matches!(request.method, Method::GET | Method::HEAD);
        loop {
            let response = self.send_once(request, &address).await?;
            let status = response.status();
            if status == StatusCode::UNAUTHORIZED && !is_answered && self.is_own(&address) {
                is_answered = true;
                self.authorization = Some(self.answer(Challenge::read(response.headers())?).await?);
            } else if status.is_redirection() && is_read && redirects < REDIRECTS {
                redirects += 1;
                address = self.read_location(&address, &response)?;
            } else {
                return Ok(response);
            }
        }
    }

    async fn send_once(&self, request: &RegistryRequest, address: &Url) -> Result<Response, RegistryFault> {
        self.check(address)?;
        let mut headers = request.headers.clone();
        if let Some(authorization) = self.authorization.as_ref().filter(|_| self.is_own(address)) {
            headers.insert(header::AUTHORIZATION, authorization.clone());
        }
        let sent = self.client.request(request.method.clone(), address.clone()).headers(headers);
        let sent = if request.body.is_empty() { sent } else { sent.body(request.body.clone()) };
        sent.send().await.map_err(RegistryFault::from_transport)
    }

    async fn answer(&self, challenge: Challenge) -> Result<HeaderValue, RegistryFault> {
        let unknown = || RegistryFault::Status("a request without a password".to_owned(), StatusCode::UNAUTHORIZED);
        let address = match challenge {
            Challenge::Basic => return self.credentials.clone().ok_or_else(unknown),
            Challenge::Bearer(address) => address,
        };
        self.check(&address)?;
        let mut request = self.client.get(address);
        if let Some(credentials) = &self.credentials {
            request = request.header(header::AUTHORIZATION, credentials.clone());
        }
        let response = request.send().await.map_err(RegistryFault::from_transport)?;
        if response.status() != StatusCode::OK {
            return Err(RegistryFault::Status("a token".to_owned(), response.status()));
        }
        let document = read_body(response, TOKEN, "a token").await?;
        let document: Option<TokenDocument> = serde_json::from_slice(&document).ok();
        let token = document.and_then(|document| document.token.or(document.access_token));
        let token = token.ok_or_else(|| RegistryFault::Malformed("the registry gave out no token".to_owned()))?;
        secret_header(&format!("Bearer {token}"))
    }

    /// Returns whether an address is the registry's own, so that its credentials go there.
    fn is_own(&self, address: &Url) -> bool {
        address.origin() == self.base.origin()
    }

    /// Judges where a request goes: the registry chooses redirects, locations of uploads and the server of tokens.
    fn check(&self, address: &Url) -> Result<(), RegistryFault> {
        let is_encrypted = address.scheme() == "https";
        let is_plain = address.scheme() == "http" && is_loopback(address) && is_loopback(&self.base);
        let is_allowed = match self.rule {
            AddressRule::Any => is_encrypted || is_plain,
            AddressRule::Public(_) => is_encrypted && read_literal(address).is_none_or(is_public),
        };
        let host = address.host_str().unwrap_or_default();
        is_allowed.then_some(()).ok_or_else(|| {
            RegistryFault::Forbidden(format!(
                "the registry leads to {}://{host}, which is not allowed",
                address.scheme()
            ))
        })
    }
}

fn build_client(rule: &AddressRule, is_plain: bool) -> Result<Client, reqwest::Error> {
    let client = Client::builder()
        .redirect(redirect::Policy::none())
        .no_proxy()
        .referer(false)
        .connect_timeout(CONNECT)
        .user_agent(concat!("stoa/", env!("CARGO_PKG_VERSION")));
    let client = match rule {
        AddressRule::Public(resolver) => client.dns_resolver(PublicNames((**resolver).clone())),
        AddressRule::Any => client,
    };
    // No TLS is needed there, so a machine without root certificates must not fail for want of them.
    if is_plain { client.tls_certs_only([]).build() } else { client.build() }
}

/// The address that a URL names without a resolver.
fn read_literal(address: &Url) -> Option<IpAddr> {
    address.host_str()?.trim_start_matches('[').trim_end_matches(']').parse().ok()
}

fn is_loopback(address: &Url) -> bool {
    read_literal(address).map_or(address.host_str() == Some("localhost"), |address| address.is_loopback())
}

/// The body of a response, up to a limit.
pub async fn read_body(mut response: Response, limit: usize, name: &'static str) -> Result<Bytes, RegistryFault> {
    let stated = response.content_length().and_then(|length| usize::try_from(length).ok());
    let mut body = Vec::with_capacity(stated.unwrap_or_default().min(limit));
    while let Some(chunk) = response.chunk().await.map_err(RegistryFault::from_transport)? {
        if body.len() + chunk.len() > limit {
            return Err(RegistryFault::TooLarge(name, limit));
        }
        body.extend_from_slice(&chunk);
    }
    Ok(body.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn connection(registry: &str, rule: AddressRule) -> RegistryConnection {
        let reference = format!("oci://{registry}/acme/loyalty").parse().expect("a reference");
        RegistryConnection::new(&reference, rule, None).expect("a connection")
    }

    fn is_allowed(connection: &RegistryConnection, address: &str) -> bool {
        connection.check(&Url::parse(address).expect("an address")).is_ok()
    }

    #[tokio::test]
    async fn a_public_registry_leads_to_public_addresses_alone() {
        let resolver = Resolver::new(([127, 0, 0, 1], 9).into()).expect("a resolver");
        let public = connection("registry.example", AddressRule::Public(Box::new(resolver)));
        for (address, expected) in [
            ("https://storage.example/blob?signature=x", true),
            ("https://93.184.216.34/blob", true),
            ("http://storage.example/blob", false),
            ("https://127.0.0.1/blob", false),
            ("https://169.254.169.254/latest/meta-data", false),
            ("https://[::1]/blob", false),
            ("http://127.0.0.1/blob", false),
            ("ftp://storage.example/blob", false),
        ] {
            assert_eq!(is_allowed(&public, address), expected, "{address}");
        }
    }

    #[test]
    fn plain_text_stays_on_this_machine() {
        let local = connection("127.0.0.1:5000", AddressRule::Any);
        assert_eq!(local.base.as_str(), "http://127.0.0.1:5000/v2/acme/loyalty/");
        assert!(is_allowed(&local, "http://localhost:6000/blob"));
        assert!(!is_allowed(&local, "http://10.0.0.1/blob"));
        let far = connection("10.0.0.1:5000", AddressRule::Any);
        assert_eq!(far.base.scheme(), "https");
        assert!(is_allowed(&far, "https://10.0.0.2/blob"));
        assert!(
            !is_allowed(&far, "http://127.0.0.1:5000/blob"),
            "a registry elsewhere leads to this machine in plain text"
        );
    }
}
