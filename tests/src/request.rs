//! A request in the making. Every answer is checked for its manners, and every success against the published contract.

use reqwest::Method;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use serde_json::Value as Json;
use uuid::Uuid;

use crate::host::RUNTIME;
use crate::{Answer, Stoa};

/// A request to one host. Writes carry a fresh Idempotency-Key unless the test sets or drops it.
pub struct Request {
    host: Stoa,
    method: String,
    path: String,
    headers: HeaderMap,
    body: Option<Vec<u8>>,
    checked: bool,
}

impl Request {
    pub(crate) fn new(host: Stoa, method: &str, path: &str) -> Request {
        assert!(path.starts_with('/'), "a path begins with a slash: {path}");
        let request = Request {
            host,
            method: method.into(),
            path: path.into(),
            headers: HeaderMap::new(),
            body: None,
            checked: true,
        };
        match method {
            "GET" | "HEAD" | "OPTIONS" => request,
            _ => request.key(&Uuid::new_v4().to_string()),
        }
    }

    /// With a bearer token.
    pub fn token(self, token: &str) -> Request {
        self.header("authorization", &format!("Bearer {token}"))
    }

    pub fn anonymous(self) -> Request {
        self.without("authorization")
    }

    pub fn key(self, key: &str) -> Request {
        self.header("idempotency-key", key)
    }

    pub fn if_match(self, etag: &str) -> Request {
        self.header("if-match", etag)
    }

    /// Sets a header, in the place of an earlier one.
    pub fn header(mut self, name: &str, value: &str) -> Request {
        let name = HeaderName::from_bytes(name.as_bytes()).expect("a header's name");
        let value = HeaderValue::from_bytes(value.as_bytes()).expect("a header's value");
        self.headers.insert(name, value);
        self
    }

    /// Adds a header next to an earlier one of this name.
    pub fn also(mut self, name: &str, value: &str) -> Request {
        let name = HeaderName::from_bytes(name.as_bytes()).expect("a header's name");
        self.headers.append(name, HeaderValue::from_bytes(value.as_bytes()).expect("a header's value"));
        self
    }

    /// Adds a header of any bytes that HTTP lets pass.
    pub fn also_bytes(mut self, name: &str, value: &[u8]) -> Request {
        let name = HeaderName::from_bytes(name.as_bytes()).expect("a header's name");
        self.headers.append(name, HeaderValue::from_bytes(value).expect("a header's value"));
        self
    }

    pub fn without(mut self, name: &str) -> Request {
        self.headers.remove(name);
        self
    }

    /// With query parameters, percent-encoded.
    pub fn query(mut self, parameters: &[(&str, &str)]) -> Request {
        for (name, value) in parameters {
            let mark = if self.path.contains('?') { '&' } else { '?' };
            self.path = format!("{}{mark}{}={}", self.path, encode(name), encode(value));
        }
        self
    }

    pub fn json(self, body: &Json) -> Request {
        self.bytes(body.to_string().into_bytes())
    }

    /// A body as it is, as `application/json` unless another type was set.
    pub fn bytes(mut self, body: impl Into<Vec<u8>>) -> Request {
        self.body = Some(body.into());
        match self.headers.contains_key("content-type") {
            true => self,
            false => self.header("content-type", "application/json"),
        }
    }

    /// Leaves the answer unexamined.
    pub fn unchecked(mut self) -> Request {
        self.checked = false;
        self
    }

    /// Sends and examines; a connection that fails is a failed test.
    #[track_caller]
    pub fn send(self) -> Answer {
        let asked = self.in_words();
        match self.try_send() {
            Ok(answer) => answer,
            Err(error) => panic!("{asked}: {error:?}"),
        }
    }

    /// Sends and examines; an error where no whole answer came.
    #[track_caller]
    pub fn try_send(self) -> Result<Answer, reqwest::Error> {
        let asked = self.in_words();
        let url = format!("{}{}", self.host.url(), self.path);
        let method = Method::from_bytes(self.method.as_bytes()).expect("a method");
        let mut request = self.host.client().request(method, url).headers(self.headers.clone());
        if let Some(body) = &self.body {
            request = request.body(body.clone());
        }
        let (status, headers, bytes) = RUNTIME.block_on(async {
            let response = request.send().await?;
            let (status, headers) = (response.status().as_u16(), response.headers().clone());
            Ok::<_, reqwest::Error>((status, headers, response.bytes().await?.to_vec()))
        })?;
        let body = serde_json::from_slice(&bytes).unwrap_or(Json::Null);
        let answer = Answer { status, headers, body, bytes, asked };
        if self.checked {
            answer.check_manners();
            let sent = self.body.as_deref().and_then(|body| serde_json::from_slice(body).ok());
            let path = self.path.split('?').next().unwrap_or_default();
            self.host.contract().check(&self.method, path, sent.as_ref(), &answer);
        }
        Ok(answer)
    }

    fn in_words(&self) -> String {
        let body = self.body.as_deref().map(String::from_utf8_lossy).unwrap_or_default();
        let short: String = body.chars().take(300).collect();
        format!("{} {} {short}", self.method, self.path)
    }
}

/// Percent-encodes everything but unreserved characters.
pub fn encode(text: &str) -> String {
    text.bytes()
        .map(|byte| match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => (byte as char).to_string(),
            other => format!("%{other:02X}"),
        })
        .collect()
}
