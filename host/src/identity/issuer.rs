//! An OpenID issuer as the deployment configures it: whom it trusts, for which audience, and by which signatures.

use std::net::IpAddr;

use reqwest::Url;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A trusted issuer (`STOA_OIDC_ISSUER` and `STOA_OIDC_AUDIENCE`, or one `[[oidc]]` of `stoa.toml`).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Issuer {
    /// The identifier, equal to the tokens' `iss` character by character.
    pub issuer: String,
    /// The audience that the tokens' `aud` must name.
    pub audience: String,
    /// Signature algorithms that are accepted. Default: all that Stoa supports.
    #[serde(default = "Algorithm::all")]
    pub algorithms: Vec<Algorithm>,
    /// Accepted values of the header `typ`, without regard to case and to a leading `application/`. A token without
    /// `typ` is a plain JWT: it passes where `JWT` is listed. Default: `at+jwt` (RFC 9068) and `JWT`, since most
    /// issuers still send that; an issuer that follows RFC 9068 deserves `["at+jwt"]`, which keeps its ID tokens out.
    #[serde(default = "default_types")]
    pub types: Vec<String>,
    /// The claims that identify a user.
    #[serde(default)]
    pub claims: ClaimNames,
    /// True if the host asks the issuer's userinfo (OpenID Connect Core 5.3) for an address that a token lacks. Default: true.
    #[serde(default = "yes")]
    pub userinfo: bool,
    /// Where the keys come from. Not a setting: `[[oidc]]` always means the issuer's well-known address.
    #[serde(skip)]
    pub keys: KeySource,
}

/// The issuer's names for claims that OpenID Connect has names for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ClaimNames {
    pub email: String,
    /// Must be `true`, the JSON value.
    pub email_verified: String,
    /// The issuer signs in only users whose address it has verified, and states that in no claim: every address counts.
    /// Only for an issuer whose people cannot choose their address themselves.
    pub email_always_verified: bool,
    pub name: String,
}

impl Default for ClaimNames {
    fn default() -> ClaimNames {
        ClaimNames {
            email: "email".to_owned(),
            email_verified: "email_verified".to_owned(),
            email_always_verified: false,
            name: "name".to_owned(),
        }
    }
}

/// Where an issuer's keys come from.
#[derive(Debug, Clone, Default, PartialEq)]
pub enum KeySource {
    /// Discovery at `{issuer}/.well-known/openid-configuration`.
    #[default]
    WellKnown,
    /// Discovery at another address (an issuer whose identifier is no address). The document must still name the
    /// issuer.
    Discovery(String),
    /// A JWKS at hand, such as the dev issuer's. It is never fetched and never grows old.
    Document(Value),
}

/// The signatures that Stoa accepts. `none` and HMAC have no name here, so no setting can let them in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Algorithm {
    RS256,
    PS256,
    ES256,
    #[serde(rename = "EdDSA")]
    EdDsa,
}

/// A fault in the settings of issuers, reported at start-up.
#[derive(Debug, thiserror::Error)]
pub enum SettingsError {
    #[error("issuer {0}: configured twice")]
    Repeated(String),
    #[error("an issuer needs a non-empty issuer and audience")]
    Empty,
    #[error("issuer {0}: needs at least one algorithm and one type")]
    NothingAccepted(String),
    #[error("issuer {0}: keys come by https (http on loopback only) from an address without user, query or fragment")]
    Address(String),
    #[error("issuer {0}: its key document holds no usable set of keys")]
    Document(String),
    #[error("no HTTP client for fetching keys")]
    Client(#[source] reqwest::Error),
}

fn default_types() -> Vec<String> {
    vec!["at+jwt".to_owned(), "JWT".to_owned()]
}

fn yes() -> bool {
    true
}

impl Issuer {
    /// An issuer with the default algorithms and types and keys by discovery at its own address.
    pub fn new(issuer: impl Into<String>, audience: impl Into<String>) -> Issuer {
        Issuer {
            issuer: issuer.into(),
            audience: audience.into(),
            algorithms: Algorithm::all(),
            types: default_types(),
            claims: ClaimNames::default(),
            userinfo: true,
            keys: KeySource::WellKnown,
        }
    }

    /// Returns whether a header's `typ` is on the list.
    pub(super) fn accepts_type(&self, typ: Option<&str>) -> bool {
        let typ = without_application(typ.unwrap_or("JWT"));
        self.types.iter().any(|listed| without_application(listed).eq_ignore_ascii_case(typ))
    }

    /// The address of the discovery document.
    pub(super) fn discovery_address(&self) -> Result<Url, SettingsError> {
        let address = match &self.keys {
            KeySource::Discovery(address) => address.clone(),
            KeySource::WellKnown | KeySource::Document(_) => {
                format!("{}/.well-known/openid-configuration", self.issuer.strip_suffix('/').unwrap_or(&self.issuer))
            }
        };
        // A query in the issuer would swallow the well-known path: it shows as a query of the whole address.
        let plain = |url: &Url| {
            url.username().is_empty() && url.password().is_none() && url.fragment().is_none() && url.query().is_none()
        };
        Url::parse(&address)
            .ok()
            .filter(|url| plain(url) && (url.scheme() == "https" || is_http_on_loopback(url)))
            .ok_or_else(|| SettingsError::Address(self.issuer.clone()))
    }
}

/// RFC 7515 4.1.9: a media type may be written without its `application/`.
fn without_application(typ: &str) -> &str {
    match typ.split_at_checked("application/".len()) {
        Some((prefix, rest)) if prefix.eq_ignore_ascii_case("application/") && !rest.contains('/') => rest,
        _ => typ,
    }
}

/// Plain HTTP is for an issuer on the same machine (tests, a local identity provider).
pub fn is_http_on_loopback(url: &Url) -> bool {
    url.scheme() == "http"
        && url.host_str().is_some_and(|host| {
            let literal = host.trim_start_matches('[').trim_end_matches(']');
            host == "localhost" || literal.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
        })
}

impl Algorithm {
    /// Every algorithm that Stoa supports.
    pub fn all() -> Vec<Algorithm> {
        vec![Algorithm::RS256, Algorithm::PS256, Algorithm::ES256, Algorithm::EdDsa]
    }

    /// The algorithm of a JOSE `alg`; `None` for one that is never accepted.
    pub(super) fn from_jose(name: &str) -> Option<Algorithm> {
        match name {
            "RS256" => Some(Algorithm::RS256),
            "PS256" => Some(Algorithm::PS256),
            "ES256" => Some(Algorithm::ES256),
            "EdDSA" => Some(Algorithm::EdDsa),
            _ => None,
        }
    }

    pub(super) fn for_signature(self) -> jsonwebtoken::Algorithm {
        match self {
            Algorithm::RS256 => jsonwebtoken::Algorithm::RS256,
            Algorithm::PS256 => jsonwebtoken::Algorithm::PS256,
            Algorithm::ES256 => jsonwebtoken::Algorithm::ES256,
            Algorithm::EdDsa => jsonwebtoken::Algorithm::EdDSA,
        }
    }
}
