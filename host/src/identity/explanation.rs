//! The verification of one token, step by step and in words: for `stoa token check`. It is the same verification as a request's.

use serde_json::{Map, Value};

use super::claims::ClaimFault;
use super::discovery::try_issuer;
use super::issuer::Issuer;
use super::issuer_keys::Userinfo;
use super::refusal::CredentialRefusal;
use super::token::Token;
use super::token_fault::TokenFault;
use super::verifier::{Seen, Verifier, compute_digest};

/// As much as is shown of a value that another system wrote.
const SHOWN_CHARACTERS: usize = 120;

/// The steps of a verification, in their order.
const STEPS: [&str; 10] =
    ["form", "issuer", "algorithm", "type", "key", "signature", "audience", "time", "subject", "address"];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TokenVerdict {
    Pass,
    Fail,
    /// No fault of the token by itself.
    Note,
}

/// One step of the verification of a token. A step that fails is the last.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TokenStep {
    pub name: &'static str,
    pub verdict: TokenVerdict,
    pub says: String,
    pub remedy: Option<&'static str>,
}

impl TokenStep {
    fn pass(name: &'static str, says: String) -> TokenStep {
        TokenStep { name, verdict: TokenVerdict::Pass, says, remedy: None }
    }
}

impl Verifier {
    /// Verifies a token as a request's and says what each step found. Asks its issuer for keys and userinfo.
    pub async fn explain(&self, token: &str) -> Vec<TokenStep> {
        let mut seen = Seen::default();
        let judged = match compute_digest(token) {
            Ok(digest) => self.judge(token, digest, &mut seen).await,
            Err(fault) => Err(fault),
        };
        let (fault, address) = match judged {
            Ok(verified) => (None, verified.claims.email.clone()),
            Err(fault) => (Some(fault), String::new()),
        };
        let failed = fault.as_ref().map(find_step);
        let read = Token::read(token).ok();
        let settings = seen.issuer.and_then(|index| self.issuers().nth(index));
        let mut steps = Vec::new();
        for name in STEPS {
            if name == "address" {
                steps.extend(seen.userinfo.as_ref().map(describe_userinfo));
            }
            if failed == Some(name) {
                break;
            }
            steps.push(TokenStep::pass(name, describe_pass(name, read.as_ref(), settings, &address)));
        }
        if let (Some(name), Some(fault)) = (failed, &fault) {
            let (says, remedy) = self.describe_fault(fault, read.as_ref(), settings).await;
            steps.push(TokenStep { name, verdict: TokenVerdict::Fail, says, remedy: Some(remedy) });
        }
        steps
    }

    async fn describe_fault(
        &self,
        fault: &TokenFault,
        token: Option<&Token<'_>>,
        settings: Option<&Issuer>,
    ) -> (String, &'static str) {
        let claim = |name: &str| token.and_then(|token| token.claims.get(name)).map_or("missing".into(), show);
        let remedy = find_remedy(fault);
        let says = match (fault, token, settings) {
            (TokenFault::Issuer, ..) => {
                let known: Vec<String> = self.issuers().map(|issuer| format!("{:?}", issuer.issuer)).collect();
                format!("iss is {}; the configured issuers are {}", claim("iss"), known.join(", "))
            }
            (TokenFault::Algorithm, Some(token), Some(settings)) => {
                format!("alg is {:?}; this issuer's `algorithms` are {:?}", token.algorithm, settings.algorithms)
            }
            (TokenFault::Type, Some(token), Some(settings)) => {
                let typ = token.typ.as_deref().map_or("missing".to_owned(), cut);
                format!("typ is {typ}; this issuer's `types` are {:?}", settings.types)
            }
            (TokenFault::Key(CredentialRefusal::Unavailable), _, Some(settings)) => {
                let why = try_issuer(settings).await.err().unwrap_or_else(|| "the keys came too late".to_owned());
                let address = settings.discovery_address().map(|address| address.to_string()).unwrap_or_default();
                format!("the issuer's keys cannot be fetched from {address}: {why}")
            }
            (TokenFault::Key(_), Some(token), _) => {
                let kid = token.kid.as_deref().map_or("missing".to_owned(), cut);
                format!("kid is {kid}; the issuer does not publish one such key")
            }
            (TokenFault::Claims(ClaimFault::NoAudience | ClaimFault::Audience), _, Some(settings)) => {
                format!("aud is {}; the configured audience is {:?}", claim("aud"), settings.audience)
            }
            (TokenFault::Claims(ClaimFault::NoExpiry | ClaimFault::Expired | ClaimFault::NotYet), ..) => {
                format!("{fault}: exp is {}, nbf is {}, iat is {}", claim("exp"), claim("nbf"), claim("iat"))
            }
            (TokenFault::Claims(ClaimFault::NoAddress), _, Some(settings)) => {
                format!("the token has no claim {:?}", settings.claims.email)
            }
            (TokenFault::Claims(ClaimFault::NoVerification), _, Some(settings)) => {
                format!("the token has an e-mail address and no claim {:?}", settings.claims.email_verified)
            }
            (TokenFault::Claims(ClaimFault::Unverified), _, Some(settings)) => {
                let names = &settings.claims;
                let (email, verified) = (claim(&names.email), claim(&names.email_verified));
                format!("{fault}: in the token {} is {email} and {} is {verified}", names.email, names.email_verified)
            }
            _ => fault.to_string(),
        };
        (says, remedy)
    }
}

/// The step that finds a fault.
fn find_step(fault: &TokenFault) -> &'static str {
    match fault {
        TokenFault::Long | TokenFault::Form(_) => "form",
        TokenFault::Issuer | TokenFault::Claims(ClaimFault::Issuer) => "issuer",
        TokenFault::Algorithm => "algorithm",
        TokenFault::Type => "type",
        TokenFault::Key(_) => "key",
        TokenFault::Signature => "signature",
        TokenFault::Claims(ClaimFault::NoAudience | ClaimFault::Audience) => "audience",
        TokenFault::Claims(ClaimFault::NoExpiry | ClaimFault::Expired | ClaimFault::NotYet) => "time",
        TokenFault::Claims(ClaimFault::Subject | ClaimFault::Bound) => "subject",
        TokenFault::Claims(ClaimFault::NoAddress | ClaimFault::NoVerification | ClaimFault::Unverified)
        | TokenFault::Userinfo(_) => "address",
    }
}

fn find_remedy(fault: &TokenFault) -> &'static str {
    match fault {
        TokenFault::Long => "Have the provider put fewer claims into the token: 8 KiB are the limit.",
        TokenFault::Form(_) => {
            "Send an access token that is a signed JWT. Many providers issue one only if the client requests the API's audience."
        }
        TokenFault::Issuer | TokenFault::Claims(ClaimFault::Issuer) => {
            "Set `issuer` to the token's iss, character by character, if you trust that provider."
        }
        TokenFault::Algorithm => "Add the algorithm to `algorithms`, or change it at the provider.",
        TokenFault::Type => "Add the type to `types`. An ID token is no access token: send the other one.",
        TokenFault::Key(CredentialRefusal::Unavailable) => "Make that address reachable from this machine.",
        TokenFault::Key(_) => {
            "Get a new token. If that does not help, have the provider publish the key and name it in `kid`."
        }
        TokenFault::Signature => "Get a new token. The key did not sign this one, or it was changed.",
        TokenFault::Claims(ClaimFault::NoAudience | ClaimFault::Audience) => {
            "Have the provider put the audience into the token, or set `audience` to the value that it sends."
        }
        TokenFault::Claims(ClaimFault::Expired) => "Get a new token.",
        TokenFault::Claims(ClaimFault::NoExpiry) => "Have the provider set exp, in seconds since 1970.",
        TokenFault::Claims(ClaimFault::NotYet) => "Correct the clock of this machine or of the provider.",
        TokenFault::Claims(ClaimFault::Subject) => "Have the provider set sub to 1 to 255 printable characters.",
        TokenFault::Claims(ClaimFault::Bound) => "Have the provider issue a bearer token, without DPoP or mutual TLS.",
        TokenFault::Claims(ClaimFault::Unverified) => {
            "Have the user verify the address at the provider. The claim must be the JSON value true."
        }
        TokenFault::Claims(ClaimFault::NoAddress | ClaimFault::NoVerification) => {
            "Add the claims to the access token at the provider, or set `claims` to the names that it uses. \
             docs/identity-providers.md says how."
        }
        TokenFault::Userinfo(_) => {
            "Make the provider's userinfo reachable from this machine, or add the address to the access token."
        }
    }
}

fn describe_pass(name: &str, token: Option<&Token<'_>>, settings: Option<&Issuer>, address: &str) -> String {
    let kid = || token.and_then(|token| token.kid.as_deref()).map_or("one key only".to_owned(), cut);
    match (name, settings) {
        ("form", _) => "a signed JWT".to_owned(),
        ("issuer", Some(settings)) => format!("{} is a configured issuer", settings.issuer),
        ("algorithm", _) => token.map_or_else(String::new, |token| format!("{:?}", token.algorithm)),
        ("type", _) => token.and_then(|token| token.typ.as_deref()).map_or("no typ: a plain JWT".to_owned(), cut),
        ("key", _) => format!("the issuer publishes {}", kid()),
        ("signature", _) => "made with this key".to_owned(),
        ("audience", Some(settings)) => format!("aud contains {:?}", settings.audience),
        ("time", _) => "exp is in the future, nbf and iat are not".to_owned(),
        ("subject", _) => "sub is usable, and the token is not bound to a key".to_owned(),
        ("address", _) => format!("{}, verified", cut(address)),
        _ => String::new(),
    }
}

fn describe_userinfo(userinfo: &Userinfo) -> TokenStep {
    let says = match userinfo {
        Userinfo::Fetched(members) => format!("the issuer reports the members {}", list_names(members)),
        Userinfo::NotPublished => "the issuer publishes no userinfo_endpoint".to_owned(),
        Userinfo::Rejected { status, challenge } => {
            format!("the issuer rejects the token: {status} {challenge}").trim_end().to_owned()
        }
    };
    let remedy = matches!(userinfo, Userinfo::Rejected { .. }).then_some(
        "Request the scopes `openid email`. Userinfo rejects every token that is bound to a resource (RFC 8707): then add the \
         address to the access token.",
    );
    TokenStep { name: "userinfo", verdict: TokenVerdict::Note, says, remedy }
}

fn list_names(members: &Map<String, Value>) -> String {
    cut(&members.keys().map(String::as_str).collect::<Vec<_>>().join(", "))
}

/// A claim on one line.
fn show(value: &Value) -> String {
    match value {
        Value::String(text) => cut(text),
        value => cut(&value.to_string()),
    }
}

/// A text in quotes, without control characters, cut to a line.
fn cut(text: &str) -> String {
    let mut shown: String = text.chars().take(SHOWN_CHARACTERS).collect();
    if shown.len() < text.len() {
        shown.push_str("...");
    }
    format!("{shown:?}")
}
