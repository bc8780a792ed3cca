//! The proof that a POST comes from a page of the console: the origin, and the token of the session with a mask of the page.

use http::HeaderMap;

/// 64 bytes in hexadecimal digits: a pad, and the pad xor the session's token.
pub fn make_token(key: &[u8; 32]) -> String {
    hex::encode(key)
}

/// True if the token of a form is one of the session with this key.
pub fn is_token(_key: &[u8; 32], _text: &str) -> bool {
    false
}

/// True if a POST came from a page of this address: by `Origin`, or without it by `Sec-Fetch-Site`. `own` None: the name by which
/// the request came.
pub fn is_own_origin(_own: Option<&str>, _headers: &HeaderMap) -> bool {
    false
}
