//! The proof that a POST comes from a page of the console: the origin, and the token of the session with a mask of the page.

use hmac::{Hmac, KeyInit as _, Mac as _};
use http::{HeaderMap, header};
use sha2::Sha256;

const LENGTH: usize = 32;

/// 64 bytes in hexadecimal digits: a pad, and the pad xor the session's token. Another pad each time: a compressed
/// page, which holds texts of others as well, says nothing of the token by its length.
pub fn make_token(key: &[u8; 32]) -> String {
    let pad: [u8; LENGTH] = rand::random();
    let own = authenticator(key).map(|mac| mac.finalize().into_bytes()).unwrap_or_default();
    let masked: Vec<u8> = pad.iter().zip(own).map(|(pad, byte)| pad ^ byte).collect();
    hex::encode(pad) + &hex::encode(masked)
}

/// True if the token of a form is one of the session with this key.
pub fn is_token(key: &[u8; 32], text: &str) -> bool {
    let Ok(bytes) = hex::decode(text) else { return false };
    let Some((pad, masked)) = bytes.split_at_checked(LENGTH) else { return false };
    let token: Vec<u8> = pad.iter().zip(masked).map(|(pad, byte)| pad ^ byte).collect();
    masked.len() == LENGTH && authenticator(key).is_some_and(|mac| mac.verify_slice(&token).is_ok())
}

fn authenticator(key: &[u8; 32]) -> Option<Hmac<Sha256>> {
    Hmac::<Sha256>::new_from_slice(key).ok().map(|mac| mac.chain_update("csrf"))
}

/// True if a POST came from a page of this address: by `Origin`, or without it by `Sec-Fetch-Site`. `own` None: the name by which
/// the request came.
pub fn is_own_origin(own: Option<&str>, headers: &HeaderMap) -> bool {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    let Some(origin) = headers.get(header::ORIGIN) else { return text("sec-fetch-site") == Some("same-origin") };
    let Ok(origin) = origin.to_str() else { return false };
    let Some(own) = own else {
        let named = origin.strip_prefix("https://").or_else(|| origin.strip_prefix("http://"));
        return named.zip(text("host")).is_some_and(|(named, host)| host.eq_ignore_ascii_case(named));
    };
    origin == own
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_of_its_session_and_of_its_page() {
        let (one, other) = (make_token(&[1; 32]), make_token(&[1; 32]));
        assert_ne!(one, other);
        assert!(one.len() == 128 && is_token(&[1; 32], &one) && is_token(&[1; 32], &other));
        let moved = one.replacen(&one[..2], if one.starts_with("00") { "01" } else { "00" }, 1);
        for (key, text) in [([2; 32], one.as_str()), ([1; 32], &moved), ([1; 32], &one[2..]), ([1; 32], "")] {
            assert!(!is_token(&key, text), "{text}");
        }
    }

    #[test]
    fn only_the_own_origin_may_post() {
        let shop = Some("https://shop.example");
        for (own, sent, expected) in [
            (shop, vec![("origin", "https://shop.example")], true),
            (shop, vec![("origin", "http://shop.example")], false),
            (shop, vec![("origin", "null"), ("sec-fetch-site", "same-origin")], false),
            (shop, vec![("sec-fetch-site", "same-origin")], true),
            (None, vec![("origin", "http://127.0.0.1:8080"), ("host", "127.0.0.1:8080")], true),
            (None, vec![("origin", "http://127.0.0.1:8081"), ("host", "127.0.0.1:8080")], false),
            (None, vec![("origin", "http://127.0.0.1:8080")], false),
        ] {
            let mut headers = HeaderMap::new();
            for (name, value) in &sent {
                headers.insert(*name, value.parse().expect("a value"));
            }
            assert_eq!(is_own_origin(own, &headers), expected, "{own:?} {sent:?}");
        }
    }
}
