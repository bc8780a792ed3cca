//! Free attributes of products and variants: bounded by the schemas of the bodies that bring them, which the host judges before a
//! module is asked, and never a place for credentials.
//!
//! Refused are member names that hold one of `NAMES` as a word (in any case, words separated by punctuation or camel case), the
//! names `__proto__`, `prototype` and `constructor`, and texts shaped like a private key block, a JSON Web Token, a webhook
//! signing secret or a key of this service.

use serde_json::{Map, Value};
use stoa_sdk::{Item, Json, item};

use crate::rules::faults::collect;

/// Values (objects, arrays and scalars, the whole included).
pub const VALUES: usize = 500;
/// Objects and arrays inside one another, the whole included.
pub const DEPTH: usize = 5;
/// Characters of the compact JSON.
pub const CHARACTERS: usize = 16_000;

const RESERVED: [&str; 3] = ["__proto__", "prototype", "constructor"];
const NAMES: [&str; 12] = [
    "password",
    "passwords",
    "passwd",
    "passphrase",
    "pwd",
    "secret",
    "secrets",
    "token",
    "tokens",
    "apikey",
    "privatekey",
    "credentials",
];
/// Pairs of words that name a key.
const KEYS: [&str; 5] = ["api", "private", "access", "secret", "signing"];

/// The attributes of a product or a variant as they are kept.
pub struct KeptAttributes {
    /// For the people of the company.
    pub attributes: Json,
    /// For everybody who reads the catalog; none if none are stated.
    pub public_attributes: Option<Json>,
}

impl KeptAttributes {
    /// Checks both kinds, below `pointer`.
    ///
    /// # Errors
    /// NOT_ALLOWED at the kind where something is reserved or shaped like a credential.
    pub fn check(
        attributes: Map<String, Value>,
        public: Map<String, Value>,
        pointer: &str,
    ) -> Result<KeptAttributes, Vec<Item>> {
        let mut faults = Vec::new();
        let has_public = !public.is_empty();
        let attributes = collect(&mut faults, check(attributes, &format!("{pointer}/attributes")));
        let public = collect(&mut faults, check(public, &format!("{pointer}/publicAttributes")));
        match attributes.zip(public) {
            Some((attributes, public)) => {
                Ok(KeptAttributes { attributes, public_attributes: has_public.then_some(public) })
            }
            None => Err(faults),
        }
    }
}

/// The attributes as they are kept.
///
/// # Errors
/// NOT_ALLOWED at `pointer`, where something is reserved or shaped like a credential: member names are typed by the
/// caller and not returned.
fn check(attributes: Map<String, Value>, pointer: &str) -> Result<Json, Vec<Item>> {
    let attributes = Value::Object(attributes);
    if holds_forbidden(&attributes) {
        Err(vec![item(pointer, "NOT_ALLOWED")])
    } else {
        Ok(Json::from_value(&attributes))
    }
}

fn holds_forbidden(value: &Value) -> bool {
    match value {
        Value::Object(members) => {
            members.iter().any(|(name, member)| is_forbidden_name(name) || holds_forbidden(member))
        }
        Value::Array(items) => items.iter().any(holds_forbidden),
        Value::String(text) => is_like_a_credential(text),
        _ => false,
    }
}

fn is_forbidden_name(name: &str) -> bool {
    if RESERVED.contains(&name.trim().to_lowercase().as_str()) || is_like_a_credential(name) {
        return true;
    }
    let words = words(name);
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    words.iter().any(|word| NAMES.contains(word))
        || words.windows(2).any(|pair| matches!(pair, [kind, "key" | "keys"] if KEYS.contains(kind)))
}

/// `clientSecret`, `CLIENT_SECRET` and `client secret` are the same two words.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut after_lower = false;
    for letter in name.chars() {
        if !letter.is_alphanumeric() || (letter.is_uppercase() && after_lower) {
            words.push(String::new());
        }
        if letter.is_alphanumeric()
            && let Some(word) = words.last_mut()
        {
            word.extend(letter.to_lowercase());
        }
        after_lower = letter.is_lowercase();
    }
    words.retain(|word| !word.is_empty());
    words
}

fn is_like_a_credential(text: &str) -> bool {
    is_private_key(text) || is_token(text) || is_signing_secret(text) || is_service_key(text)
}

/// A PEM block, of whatever kind of private key.
fn is_private_key(text: &str) -> bool {
    text.contains("-----BEGIN ") && text.contains("PRIVATE KEY")
}

fn is_base64url(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || letter == '-' || letter == '_'
}

/// A JSON Web Token: three base64url parts, the first of which begins an object.
fn is_token(text: &str) -> bool {
    text.split(|letter: char| !is_base64url(letter) && letter != '.').any(|run| {
        let parts: Vec<&str> = run.split('.').collect();
        matches!(parts[..], [head, body, _] if head.starts_with("eyJ") && head.len() >= 8 && body.len() >= 8)
    })
}

fn is_signing_secret(text: &str) -> bool {
    text.split_once("whsec_")
        .is_some_and(|(_, rest)| rest.chars().take_while(|letter| is_base64url(*letter)).count() >= 16)
}

/// `live_` or `test_`, an id, and what may be its secret.
fn is_service_key(text: &str) -> bool {
    ["live_", "test_"].iter().any(|prefix| {
        text.match_indices(prefix).any(|(offset, _)| {
            let rest = text.get(offset + prefix.len()..).unwrap_or_default();
            let id = rest.get(..36).unwrap_or_default();
            id.parse::<stoa_sdk::Id>().is_ok() && rest.get(36..37) == Some("_") && rest.len() > 37 + 16
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn codes(attributes: Value) -> Vec<String> {
        let Value::Object(members) = attributes else { panic!("an object is expected") };
        let faults = check(members, "/attributes").err().unwrap_or_default();
        assert!(faults.iter().all(|item| item.pointer == "/attributes"));
        faults.into_iter().map(|item| item.code).collect()
    }

    #[test]
    fn both_kinds_are_judged_and_those_for_everybody_may_be_absent() {
        let members = |value: Value| value.as_object().cloned().unwrap_or_default();
        let bad = json!({ "secret": 1 });
        let faults = KeptAttributes::check(members(bad.clone()), members(bad), "/variants/1").err().unwrap_or_default();
        let places: Vec<&str> = faults.iter().map(|item| item.pointer.as_str()).collect();
        assert_eq!(places, ["/variants/1/attributes", "/variants/1/publicAttributes"]);
        let kept = |public: Value| {
            let kept = KeptAttributes::check(members(json!({ "a": 1 })), members(public), "").ok();
            kept.map(|kept| (kept.attributes.text().to_owned(), kept.public_attributes.map(|it| it.text().to_owned())))
        };
        assert_eq!(kept(json!({})), Some((r#"{"a":1}"#.to_owned(), None)));
        assert_eq!(kept(json!({ "b": 2 })).and_then(|(_, public)| public), Some(r#"{"b":2}"#.to_owned()));
    }

    #[test]
    fn names_of_credentials_are_refused() {
        for name in [
            "password",
            "Password",
            "clientSecret",
            "CLIENT_SECRET",
            "api-key",
            "apiKey",
            "API key",
            "apikey",
            "token",
            "x.token.y",
            "private_key",
            "__proto__",
            "__PROTO__",
            "Prototype",
            "constructor",
        ] {
            assert_eq!(codes(json!({ "a": [{ name: 1 }] })), ["NOT_ALLOWED"], "{name}");
        }
        for name in ["secretary", "tokenizer", "key", "keyboard", "apis", "monkey", "proto", "", "-"] {
            assert!(codes(json!({ name: 1 })).is_empty(), "{name}");
        }
    }

    #[test]
    fn values_like_credentials_are_refused() {
        for value in [
            "-----BEGIN RSA PRIVATE KEY-----\nMIIE",
            "Bearer eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl",
            "whsec_0123456789abcdefghij",
            "live_0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b_0123456789abcdefghijklmnopqrstuvwxyzABCDEFG",
        ] {
            assert_eq!(codes(json!({ "a": [value] })), ["NOT_ALLOWED"], "{value}");
        }
        for value in ["eyJ.a.b", "1.2.3", "whsec_", "test_run_5", "a.b.c", "öffentlich live_ü"] {
            assert!(codes(json!({ "a": value })).is_empty(), "{value}");
        }
    }
}
