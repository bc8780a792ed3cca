//! Verifies a delivery of Stoa, with the crates `hmac` 0.13, `sha2` 0.11 and `hex` 0.4. `body` is the raw request body, before any parser.
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

pub fn verify(secret: &str, timestamp: &str, body: &[u8], signature: &str) -> bool {
    // The whole secret, `whsec_` included, is the key: it is not decoded.
    let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(secret.as_bytes()) else { return false };
    mac.update(timestamp.as_bytes());
    mac.update(b".");
    mac.update(body);
    // In lower case, as it is sent; compared in constant time.
    let Some(tag) = signature.strip_prefix("v1=").filter(|tag| !tag.contains(|c: char| c.is_ascii_uppercase())) else { return false };
    hex::decode(tag).is_ok_and(|tag| mac.verify_slice(&tag).is_ok())
}
// In a receiver, refuse what is older than five minutes too.
