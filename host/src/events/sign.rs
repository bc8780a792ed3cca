//! The signature of a delivery: HMAC-SHA256 under the whole of the signing secret, over the timestamp, a dot and the exact body.

use aws_lc_rs::{constant_time, hmac, rand};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

/// Prefix of every signing secret.
const PREFIX: &str = "whsec_";

/// A new signing secret: `whsec_` and 43 characters. All of it is the key, as UTF-8.
pub fn make_secret() -> anyhow::Result<String> {
    let mut bytes = [0_u8; 32];
    rand::fill(&mut bytes).map_err(|_| anyhow::anyhow!("no randomness"))?;
    Ok(format!("{PREFIX}{}", URL_SAFE_NO_PAD.encode(bytes)))
}

/// The value of `X-Webhook-Signature`. `timestamp`: Unix seconds, as `X-Webhook-Timestamp` has them.
pub fn sign(secret: &str, timestamp: i64, body: &[u8]) -> String {
    let mut context = hmac::Context::with_key(&hmac::Key::new(hmac::HMAC_SHA256, secret.as_bytes()));
    context.update(format!("{timestamp}.").as_bytes());
    context.update(body);
    format!("v1={}", hex::encode(context.sign()))
}

/// Returns whether a signature is that of the body, compared in constant time.
pub fn verify(secret: &str, timestamp: i64, body: &[u8], signature: &str) -> bool {
    let expected = sign(secret, timestamp, body);
    constant_time::verify_slices_are_equal(expected.as_bytes(), signature.as_bytes()).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vectors_that_receivers_test_by() {
        let vectors: serde_json::Value =
            serde_json::from_str(include_str!("../../../docs/webhooks/vectors.json")).expect("JSON");
        let vectors = vectors.as_array().expect("a list");
        assert!(vectors.len() >= 5, "only {}", vectors.len());
        for vector in vectors {
            let text = |name: &str| vector[name].as_str().expect("a text");
            let timestamp: i64 = text("timestamp").parse().expect("seconds");
            let good = verify(text("secret"), timestamp, text("body").as_bytes(), text("signature"));
            assert_eq!(Some(good), vector["valid"].as_bool(), "{}", text("what"));
            let made = sign(text("secret"), timestamp, text("body").as_bytes());
            assert_eq!(made == text("signature"), good, "{}", text("what"));
        }
    }

    #[test]
    fn secrets_have_their_form_and_are_never_the_same() {
        let secret = make_secret().expect("a secret");
        let rest = secret.strip_prefix("whsec_").expect("a prefix");
        assert!(rest.len() == 43 && rest.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(&byte)));
        assert_ne!(secret, make_secret().expect("a secret"));
    }
}
