//! Fetches an issuer's keys: its discovery document (OpenID Connect Discovery 1.0), then the JWKS that this names. And
//! the claims of a user whose token lacks them (userinfo, OpenID Connect Core 5.3).
//!
//! An issuer may be down, slow, or overrun by an attacker: size and time are bounded, redirects and proxies are not
//! followed, and an https issuer cannot point to plain http.

use std::time::Duration;

use http::HeaderValue;
use reqwest::{Client, RequestBuilder, Url, redirect};
use serde_json::{Map, Value};

use super::issuer::{Issuer, SettingsError, is_http_on_loopback};
use super::json_object;
use super::keys::{KeySet, KeySetFault};

/// The largest document that is read, either of the two.
const MAX_DOCUMENT_BYTES: usize = 256 * 1024;
/// Time for both documents together, for what is reported of one person, and for a sign-in, connecting included.
pub(super) const TIME_LIMIT: Duration = Duration::from_secs(5);
/// As much as the log takes of a provider's `WWW-Authenticate`.
const MAX_CHALLENGE_BYTES: usize = 200;

/// Where and how one issuer's keys are fetched.
pub(super) struct Discovery {
    issuer: String,
    address: Url,
    client: Client,
}

/// Why a fetch brought nothing.
#[derive(Debug, thiserror::Error)]
pub(super) enum FetchFault {
    #[error("no answer within {} seconds", TIME_LIMIT.as_secs())]
    Slow,
    #[error("no connection, or one that broke off")]
    Connection(#[from] reqwest::Error),
    #[error("answered with status {status}")]
    Status {
        status: u16,
        /// The provider's `WWW-Authenticate`: ASCII on one line, at most 200 bytes, empty if there is none.
        challenge: String,
    },
    #[error("a document larger than {MAX_DOCUMENT_BYTES} bytes")]
    TooLarge,
    #[error("a document that is no JSON object")]
    NoObject,
    #[error("the discovery document names another issuer")]
    OtherIssuer,
    #[error("the discovery document names no acceptable jwks_uri")]
    KeysAddress,
    #[error(transparent)]
    Keys(#[from] KeySetFault),
}

/// A challenge as the log takes it: another system wrote it.
fn cut_challenge(value: &HeaderValue) -> String {
    let bytes = value.as_bytes().iter().take(MAX_CHALLENGE_BYTES);
    bytes.map(|byte| if byte.is_ascii_graphic() || *byte == b' ' { char::from(*byte) } else { '?' }).collect()
}

fn client(without_roots: bool) -> Result<Client, reqwest::Error> {
    let client = Client::builder()
        .redirect(redirect::Policy::none())
        .no_proxy()
        .referer(false)
        .pool_max_idle_per_host(0)
        .user_agent(concat!("stoa/", env!("CARGO_PKG_VERSION")));
    if without_roots { client.tls_certs_only([]).build() } else { client.build() }
}

/// Fetches an issuer's keys once and keeps nothing of them.
///
/// # Errors
/// Why they cannot be fetched; the text names no address.
pub async fn try_issuer(issuer: &Issuer) -> Result<(), String> {
    let address = issuer.discovery_address().map_err(|_| "its address cannot be used".to_owned())?;
    let discovery = Discovery::new(&issuer.issuer, address).map_err(|error| error.to_string())?;
    discovery.fetch().await.map(drop).map_err(|fault| fault.to_string())
}

impl Discovery {
    pub(super) fn new(issuer: &str, address: Url) -> Result<Discovery, SettingsError> {
        let client = match client(false) {
            // No TLS is needed there, so a machine without root certificates must not fail for want of them.
            Err(_) if is_http_on_loopback(&address) => client(true),
            built => built,
        };
        let client = client.map_err(SettingsError::Client)?;
        Ok(Discovery { issuer: issuer.to_owned(), address, client })
    }

    /// Fetches the issuer's current keys, and the address of its userinfo, if it has one.
    pub(super) async fn fetch(&self) -> Result<(KeySet, Option<Url>), FetchFault> {
        let both = async {
            let configuration = self.configuration().await?;
            let keys = self.address(&configuration, "jwks_uri").ok_or(FetchFault::KeysAddress)?;
            let keys = KeySet::read(&self.document(self.client.get(keys)).await?)?;
            Ok((keys, self.address(&configuration, "userinfo_endpoint")))
        };
        tokio::time::timeout(TIME_LIMIT, both).await.map_err(|_| FetchFault::Slow)?
    }

    /// The issuer's discovery document.
    pub(super) async fn configuration(&self) -> Result<Map<String, Value>, FetchFault> {
        let configuration = self.document(self.client.get(self.address.clone())).await?;
        if configuration.get("issuer").and_then(Value::as_str) != Some(&self.issuer) {
            return Err(FetchFault::OtherIssuer);
        }
        Ok(configuration)
    }

    /// A POST of a form, as token endpoints take it.
    pub(super) fn post_form(&self, address: Url, form: String) -> RequestBuilder {
        self.client.post(address).header(http::header::CONTENT_TYPE, "application/x-www-form-urlencoded").body(form)
    }

    /// The issuer's claims about the person whose token this is.
    pub(super) async fn fetch_person(&self, address: Url, token: &str) -> Result<Map<String, Value>, FetchFault> {
        let asked = self.document(self.client.get(address).bearer_auth(token));
        tokio::time::timeout(TIME_LIMIT, asked).await.map_err(|_| FetchFault::Slow)?
    }

    /// An address of the configuration, if that is as safe as where it came from itself.
    pub(super) fn address(&self, configuration: &Map<String, Value>, name: &str) -> Option<Url> {
        let url = Url::parse(configuration.get(name)?.as_str()?).ok()?;
        let as_safe_as_the_issuer =
            url.scheme() == "https" || (is_http_on_loopback(&self.address) && is_http_on_loopback(&url));
        as_safe_as_the_issuer.then_some(url)
    }

    pub(super) async fn document(&self, asked: RequestBuilder) -> Result<Map<String, Value>, FetchFault> {
        let mut response = asked.header(http::header::ACCEPT, "application/json").send().await?;
        if response.status() != http::StatusCode::OK {
            let challenge =
                response.headers().get(http::header::WWW_AUTHENTICATE).map(cut_challenge).unwrap_or_default();
            return Err(FetchFault::Status { status: response.status().as_u16(), challenge });
        }
        let mut body = Vec::new();
        while let Some(chunk) = response.chunk().await? {
            if body.len() + chunk.len() > MAX_DOCUMENT_BYTES {
                return Err(FetchFault::TooLarge);
            }
            body.extend_from_slice(&chunk);
        }
        json_object::parse(&body).ok_or(FetchFault::NoObject)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_challenge_is_cut_to_one_line_of_ascii() {
        let header = HeaderValue::from_bytes(b"Bearer error=\"x\"\t\xff").expect("a header");
        assert_eq!(cut_challenge(&header), "Bearer error=\"x\"??");
        let long = HeaderValue::from_str(&"a".repeat(1_000)).expect("a header");
        assert_eq!(cut_challenge(&long).len(), MAX_CHALLENGE_BYTES);
    }
}
