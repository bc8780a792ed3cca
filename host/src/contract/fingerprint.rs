//! The meaning of a request, as 32 bytes: two requests with one idempotency key are a retry if these agree, and a misuse if not.

use serde_json::Value;
use sha2::{Digest, Sha256};

use super::canonical;

/// Changes whenever the bytes below do: fingerprints are kept for a day and must not be compared across forms.
const FORM: &str = "stoa-fingerprint-1";

/// All that decides the effect of a request, each in its canonical form.
#[derive(Debug, Clone, Copy)]
pub struct CanonicalRequest<'a> {
    pub method: &'a str,
    /// [`super::parameters::Path::canonical`].
    pub path: &'a str,
    /// [`super::parameters::Query::canonical`].
    pub query: &'a str,
    /// [`super::Schema::fingerprint_form`] of the checked body.
    pub body: Option<&'a Value>,
    pub if_match: Option<&'a str>,
}

/// SHA-256 over the parts, each behind its length, so that no two requests run together to the same bytes.
pub fn compute(request: &CanonicalRequest) -> [u8; 32] {
    let body = request.body.map(canonical::text);
    let parts =
        [Some(FORM), Some(request.method), Some(request.path), Some(request.query), body.as_deref(), request.if_match];
    let mut hash = Sha256::new();
    for part in parts {
        match part {
            Some(text) => {
                hash.update([1]);
                hash.update((text.len() as u64).to_be_bytes());
                hash.update(text);
            }
            None => hash.update([0]),
        }
    }
    hash.finalize().into()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn every_part_counts_and_member_order_does_not() {
        let body = json!({"a": 1, "b": "2"});
        let first = CanonicalRequest { method: "POST", path: "/v1/x", query: "", body: Some(&body), if_match: None };
        let (reordered, changed) = (json!({"b": "2", "a": 1}), json!({"a": 1, "b": "3"}));
        assert_eq!(compute(&first), compute(&CanonicalRequest { body: Some(&reordered), ..first }));
        let null = Value::Null;
        for other in [
            CanonicalRequest { method: "PUT", ..first },
            CanonicalRequest { path: "/v1/y", ..first },
            CanonicalRequest { query: "x=1", ..first },
            CanonicalRequest { path: "/v1/", query: "x", ..first },
            CanonicalRequest { body: Some(&changed), ..first },
            CanonicalRequest { body: None, ..first },
            CanonicalRequest { body: Some(&null), ..first },
            CanonicalRequest { if_match: Some(""), ..first },
            CanonicalRequest { if_match: Some("\"1\""), ..first },
        ] {
            assert_ne!(compute(&first), compute(&other), "{other:?}");
        }
    }

    #[test]
    fn the_form_is_stable() {
        let body = json!({"b": "x", "a": [1, null]});
        let request = CanonicalRequest {
            method: "POST",
            path: "/v1/a",
            query: "b=c",
            body: Some(&body),
            if_match: Some("\"e\""),
        };
        assert_eq!(hex::encode(compute(&request)), "a05a75f3bac238d216df646e09699e65c9796bcffbae7c6f2fb075ced3185b86");
    }
}
