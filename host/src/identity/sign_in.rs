//! The sign-in of users at an issuer, for the console: authorization by code and PKCE (RFC 6749, RFC 7636), and refresh.
//!
//! The ID token is not read. The verifier judges the access token, as it judges every caller's.

use std::sync::Mutex;
use std::time::{Duration, Instant};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use reqwest::Url;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use sha2::{Digest as _, Sha256};
use stoa_console::host::{Arrival, Departure, SignInFault, Tokens};
use tokio::sync::Semaphore;

use super::discovery::{Discovery, FetchFault, TIME_LIMIT};
use super::issuer::{Issuer, SettingsError};
use crate::secret_file;

/// How long the addresses of an issuer are kept.
const FRESH: Duration = Duration::from_secs(10 * 60);
/// Requests to a token endpoint at once.
const EXCHANGES: usize = 8;
/// Validity of an access token whose response states none.
const USUAL_SECONDS: u64 = 300;
const USUAL_SCOPES: &str = "openid profile email";
/// RFC 3986, 2.3.
const RESERVED: AsciiSet = NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// The console as a client of an issuer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ConsoleClient {
    pub client_id: String,
    /// The secret of a confidential client. It is never shown.
    #[serde(serialize_with = "hide")]
    pub client_secret: Option<String>,
    /// Separated by blanks. Absent: `openid profile email`.
    pub scopes: Option<String>,
    /// More parameters of the authorization request, as a query: `audience=stoa`.
    pub parameters: Option<String>,
    /// The name of the issuer on the sign-in page. Absent: its host.
    pub name: Option<String>,
}

fn hide<S: serde::Serializer>(secret: &Option<String>, serializer: S) -> Result<S::Ok, S::Error> {
    secret.as_ref().map(|_| "(set)").serialize(serializer)
}

/// Signs users in at one issuer.
pub struct SignIn {
    discovery: Discovery,
    issuer: String,
    client: ConsoleClient,
    kept: Mutex<Option<(Instant, Endpoints)>>,
    exchanges: Semaphore,
}

/// The part of the discovery document that a sign-in needs.
#[derive(Debug, Clone, PartialEq)]
struct Endpoints {
    authorization: Url,
    token: Url,
    /// True if the issuer always names itself on the way back (RFC 9207).
    names_itself: bool,
}

impl SignIn {
    /// It fetches nothing: only settings can fail.
    pub fn new(issuer: &Issuer, client: ConsoleClient) -> Result<SignIn, SettingsError> {
        Ok(SignIn {
            discovery: Discovery::new(&issuer.issuer, issuer.discovery_address()?)?,
            issuer: issuer.issuer.clone(),
            client,
            kept: Mutex::default(),
            exchanges: Semaphore::new(EXCHANGES),
        })
    }

    /// The issuer's name for users.
    pub fn name(&self) -> String {
        let host = || Url::parse(&self.issuer).ok().and_then(|url| url.host_str().map(str::to_owned));
        self.client.name.clone().or_else(host).unwrap_or_else(|| self.issuer.clone())
    }

    /// The address to which the browser goes, with what must be kept for the way back.
    pub async fn depart(&self, callback: &str) -> Result<Departure, SignInFault> {
        let endpoints = self.endpoints().await?;
        let random = || secret_file::random::<32>().map(|bytes| URL_SAFE_NO_PAD.encode(bytes));
        let (state, verifier) = (random().map_err(note_randomness)?, random().map_err(note_randomness)?);
        let location = self.location(endpoints.authorization, callback, &state, &verifier);
        Ok(Departure { location, state, verifier })
    }

    fn location(&self, mut address: Url, callback: &str, state: &str, verifier: &str) -> String {
        let challenge = URL_SAFE_NO_PAD.encode(Sha256::digest(verifier));
        address.query_pairs_mut().extend_pairs([
            ("response_type", "code"),
            ("client_id", self.client.client_id.as_str()),
            ("redirect_uri", callback),
            ("scope", self.client.scopes.as_deref().unwrap_or(USUAL_SCOPES)),
            ("state", state),
            ("code_challenge", challenge.as_str()),
            ("code_challenge_method", "S256"),
        ]);
        if let Some(parameters) = self.client.parameters.as_deref().filter(|text| !text.is_empty()) {
            let query = format!("{}&{parameters}", address.query().unwrap_or_default());
            address.set_query(Some(&query));
        }
        address.into()
    }

    /// Exchanges the code for tokens.
    pub async fn exchange(&self, arrival: &Arrival<'_>) -> Result<Tokens, SignInFault> {
        let endpoints = self.endpoints().await?;
        let is_other = |named: &str| named != self.issuer;
        if arrival.issuer.map_or(endpoints.names_itself, is_other) {
            tracing::warn!(issuer = %self.issuer, "a sign-in came back from another issuer");
            return Err(SignInFault::Rejected);
        }
        let form = [
            ("grant_type", "authorization_code"),
            ("code", arrival.code),
            ("redirect_uri", arrival.callback),
            ("code_verifier", arrival.verifier),
        ];
        self.fetch_tokens(endpoints.token, &form).await
    }

    pub async fn refresh(&self, token: &str) -> Result<Tokens, SignInFault> {
        let form = [("grant_type", "refresh_token"), ("refresh_token", token)];
        self.fetch_tokens(self.endpoints().await?.token, &form).await
    }

    async fn endpoints(&self) -> Result<Endpoints, SignInFault> {
        let kept = || self.kept.lock().ok().and_then(|kept| kept.clone());
        if let Some((_, endpoints)) = kept().filter(|(since, _)| since.elapsed() < FRESH) {
            return Ok(endpoints);
        }
        let configuration = within_time(self.discovery.configuration()).await.map_err(|fault| self.note(&fault))?;
        let address = |name: &str| self.discovery.address(&configuration, name).ok_or(SignInFault::Unusable);
        let endpoints = Endpoints {
            authorization: address("authorization_endpoint")?,
            token: address("token_endpoint")?,
            names_itself: configuration.get("authorization_response_iss_parameter_supported")
                == Some(&Value::Bool(true)),
        };
        if let Ok(mut kept) = self.kept.lock() {
            *kept = Some((Instant::now(), endpoints.clone()));
        }
        Ok(endpoints)
    }

    async fn fetch_tokens(&self, address: Url, form: &[(&str, &str)]) -> Result<Tokens, SignInFault> {
        let ConsoleClient { client_id, client_secret, parameters, .. } = &self.client;
        let mut text = encode_form(form);
        // The token is for the resource of the authorization (RFC 8707), which some issuers require again.
        let resources = parameters.iter().flat_map(|text| text.split('&'));
        for resource in resources.filter(|parameter| parameter.starts_with("resource=")) {
            text = format!("{text}&{resource}");
        }
        if client_secret.is_none() {
            text = format!("{text}&{}", encode_form(&[("client_id", client_id)]));
        }
        let request = self.discovery.post_form(address, text);
        // Both parts are encoded before base64 (RFC 6749, 2.3.1).
        let request = match client_secret {
            Some(secret) => request.basic_auth(encode(client_id), Some(encode(secret))),
            None => request,
        };
        let response = within_time(async {
            let _permit = self.exchanges.acquire().await.map_err(|_| FetchFault::Slow)?;
            self.discovery.document(request).await
        });
        read_tokens(&response.await.map_err(|fault| self.note(&fault))?).ok_or(SignInFault::Unusable)
    }

    fn note(&self, fault: &FetchFault) -> SignInFault {
        tracing::warn!(issuer = %self.issuer, %fault, "a sign-in failed at the issuer");
        match fault {
            FetchFault::Status { status: 400 | 401 | 403, .. } => SignInFault::Rejected,
            FetchFault::Slow | FetchFault::Connection(_) | FetchFault::Status { .. } => SignInFault::Unreachable,
            _ => SignInFault::Unusable,
        }
    }
}

fn note_randomness(error: anyhow::Error) -> SignInFault {
    tracing::error!(%error, "a sign-in cannot begin");
    SignInFault::Unusable
}

async fn within_time<T>(work: impl Future<Output = Result<T, FetchFault>>) -> Result<T, FetchFault> {
    tokio::time::timeout(TIME_LIMIT, work).await.map_err(|_| FetchFault::Slow)?
}

fn encode(text: &str) -> String {
    utf8_percent_encode(text, &RESERVED).to_string()
}

fn encode_form(pairs: &[(&str, &str)]) -> String {
    let pairs = pairs.iter().map(|(name, value)| format!("{name}={}", encode(value)));
    pairs.collect::<Vec<_>>().join("&")
}

/// RFC 6749, 5.1. None: there is no access token of type Bearer.
fn read_tokens(response: &Map<String, Value>) -> Option<Tokens> {
    let text = |name: &str| response.get(name).and_then(Value::as_str).filter(|text| !text.is_empty());
    text("token_type").filter(|kind| kind.eq_ignore_ascii_case("Bearer"))?;
    Some(Tokens {
        access: text("access_token")?.to_owned(),
        refresh: text("refresh_token").map(str::to_owned),
        seconds: response.get("expires_in").and_then(Value::as_u64).unwrap_or(USUAL_SECONDS),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sign_in(parameters: Option<&str>) -> SignIn {
        let client = ConsoleClient {
            client_id: "console one".to_owned(),
            client_secret: None,
            scopes: None,
            parameters: parameters.map(str::to_owned),
            name: None,
        };
        SignIn::new(&Issuer::new("https://sso.example/realms/shop", "stoa"), client).expect("good settings")
    }

    #[test]
    fn an_authorization_address_has_the_challenge_of_the_verifier() {
        // The example of RFC 7636, appendix B.
        let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
        let address = Url::parse("https://sso.example/authorize?tenant=a").expect("an address");
        let signing = sign_in(Some("audience=stoa&resource=https://api.example"));
        let location = signing.location(address, "https://shop.example/console/callback", "s", verifier);
        assert_eq!(
            location,
            "https://sso.example/authorize?tenant=a&response_type=code&client_id=console+one\
             &redirect_uri=https%3A%2F%2Fshop.example%2Fconsole%2Fcallback&scope=openid+profile+email&state=s\
             &code_challenge=E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM&code_challenge_method=S256\
             &audience=stoa&resource=https://api.example"
        );
        assert_eq!(signing.name(), "sso.example");
    }

    #[test]
    fn a_secret_is_not_shown_and_a_form_is_encoded() {
        let client = ConsoleClient { client_secret: Some("s3cret".to_owned()), ..sign_in(None).client };
        assert!(!serde_json::to_string(&client).expect("JSON").contains("s3cret"));
        assert_eq!(
            encode_form(&[("code", "a b+c&d=é"), ("x", "1-2.3_4~5")]),
            "code=a%20b%2Bc%26d%3D%C3%A9&x=1-2.3_4~5"
        );
    }
}
