//! The outer form of a token: three base64url segments, a strict header, claims that are one JSON object. Nothing here
//! is trusted yet; it is only read.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Map, Value};

use super::issuer::Algorithm;
use super::json_object;

/// A token in compact form (RFC 7515 section 3.1), taken apart.
pub(super) struct Token<'a> {
    /// The part that the signature covers: header and claims as they came.
    pub(super) signed: &'a str,
    pub(super) signature: &'a str,
    pub(super) algorithm: Algorithm,
    pub(super) typ: Option<String>,
    pub(super) kid: Option<String>,
    pub(super) claims: Map<String, Value>,
}

/// A fault in a token's form, for the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(super) enum FormFault {
    #[error("not three segments")]
    Segments,
    #[error("the header is no JSON object in base64url with members that are each there once")]
    Header,
    #[error("an algorithm that is never accepted")]
    Algorithm,
    #[error("the header marks an extension as critical")]
    Critical,
    #[error("the claims are no JSON object in base64url with members that are each there once")]
    Claims,
}

impl Token<'_> {
    /// Takes a token apart. Keys and addresses of keys in its header (`jwk`, `jku`, `x5c`, `x5u`) are not looked at: a
    /// token does not choose its signer.
    pub(super) fn read(text: &str) -> Result<Token<'_>, FormFault> {
        let (signed, signature) = text.rsplit_once('.').ok_or(FormFault::Segments)?;
        let (header, claims) = signed.split_once('.').ok_or(FormFault::Segments)?;
        if claims.contains('.') {
            return Err(FormFault::Segments);
        }

        let mut header = object(header).ok_or(FormFault::Header)?;
        if header.contains_key("crit") {
            return Err(FormFault::Critical);
        }
        let algorithm =
            header.get("alg").and_then(Value::as_str).and_then(Algorithm::from_jose).ok_or(FormFault::Algorithm)?;
        let mut text = |name: &str| match header.swap_remove(name) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(_) => Err(FormFault::Header),
        };
        let (typ, kid) = (text("typ")?, text("kid")?);
        let claims = object(claims).ok_or(FormFault::Claims)?;
        Ok(Token { signed, signature, algorithm, typ, kid, claims })
    }
}

fn object(segment: &str) -> Option<Map<String, Value>> {
    json_object::parse(&URL_SAFE_NO_PAD.decode(segment).ok()?)
}
