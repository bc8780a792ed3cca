//! Cookies: their values in a request, and the headers that set them.

use axum::response::Response;
use http::{HeaderMap, HeaderValue, header};

pub struct Cookie<'a> {
    pub name: &'a str,
    pub value: &'a str,
    pub path: &'a str,
    /// `Strict` or `Lax`.
    pub same_site: &'a str,
    /// 0 deletes it.
    pub seconds: u64,
    /// True where the own address is https.
    pub secure: bool,
}

impl Cookie<'_> {
    pub fn header(&self) -> Option<HeaderValue> {
        let Cookie { name, value, path, same_site, seconds, secure } = self;
        let secure = if *secure { "; Secure" } else { "" };
        let text = format!("{name}={value}; Path={path}; Max-Age={seconds}; HttpOnly; SameSite={same_site}{secure}");
        HeaderValue::from_str(&text).ok()
    }

    pub fn add_to(&self, response: &mut Response) {
        response.headers_mut().extend(self.header().map(|value| (header::SET_COOKIE, value)));
    }
}

pub fn read<'h>(headers: &'h HeaderMap, name: &str) -> Option<&'h str> {
    let values = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
    let mut pairs = values.flat_map(|value| value.split(';')).filter_map(|pair| pair.trim().split_once('='));
    pairs.find(|(key, _)| *key == name).map(|(_, value)| value)
}
