//! A small client of the public API: nothing that another client could not do.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::{Context, Result, bail};
use reqwest::{Method, RequestBuilder, StatusCode};
use serde::Deserialize;
use serde_json::Value as Json;
use uuid::Uuid;

/// How often a call is tried that is answered "not now", or not at all. Its key makes the repetition safe.
const TRIES: u32 = 6;
/// Longest wait before the next try.
const PATIENCE: u64 = 90;

pub struct Api {
    client: reqwest::Client,
    url: String,
    token: String,
    /// Something has answered at this address.
    answered: AtomicBool,
    /// The service's clock, from the header `Date` of its last response.
    date: Mutex<Option<String>>,
}

/// How a call ended.
pub enum Answer {
    Done(Body),
    Refused(Problem),
}

/// The body of a success, and its `ETag`.
pub struct Body {
    pub json: Json,
    pub etag: Option<String>,
}

/// A refusal (RFC 9457).
#[derive(Debug, Deserialize)]
pub struct Problem {
    pub status: u16,
    pub code: String,
    #[serde(default)]
    detail: String,
    #[serde(rename = "requestId", default)]
    request_id: String,
    #[serde(default)]
    pub errors: Vec<ProblemItem>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ProblemItem {
    pub pointer: String,
    pub code: String,
    /// The rule that the value breaks.
    #[serde(default)]
    pub expected: Option<Json>,
    /// Id of the record that is in the way.
    #[serde(default)]
    pub conflicts_with: Option<String>,
}

impl Problem {
    pub fn describe(&self) -> String {
        format!("{} {} {} (request {})", self.status, self.code, self.detail, self.request_id)
    }
}

impl Api {
    pub fn new(url: &str, token: &str) -> Result<Api> {
        let client = reqwest::Client::builder().timeout(Duration::from_secs(60)).build()?;
        Ok(Api {
            client,
            url: url.trim_end_matches('/').to_owned(),
            token: token.to_owned(),
            answered: false.into(),
            date: Mutex::default(),
        })
    }

    /// The service's clock, to the second, as the service writes instants; none if it states no time.
    pub fn now(&self) -> Option<String> {
        let date = self.date.lock().ok()?;
        read_date(date.as_deref()?)
    }

    /// A read that the service may reject.
    ///
    /// # Errors
    /// The service does not respond, also after the last retry.
    pub async fn read(&self, path: &str, query: &[(&str, &str)]) -> Result<Answer> {
        let url = self.address(path, query)?;
        let request = || self.client.request(Method::GET, url.clone());
        self.send_with_retries(&format!("GET {path}"), true, request).await
    }

    /// # Errors
    /// The service does not respond, or it rejects the request.
    pub async fn get(&self, path: &str, query: &[(&str, &str)]) -> Result<Json> {
        match self.read(path, query).await? {
            Answer::Done(body) => Ok(body.json),
            Answer::Refused(problem) => bail!("GET {path}: {}", problem.describe()),
        }
    }

    /// Every item of a list.
    ///
    /// # Errors
    /// The service does not respond, or it rejects the request for a page.
    pub async fn all(&self, path: &str, filters: &[(&str, &str)]) -> Result<Vec<Json>> {
        match self.list(path, filters).await? {
            Ok(items) => Ok(items),
            Err(problem) => bail!("GET {path}: {}", problem.describe()),
        }
    }

    /// Every item of a list that may reject its filters.
    ///
    /// # Errors
    /// The service does not respond, also after the last retry.
    pub async fn list(&self, path: &str, filters: &[(&str, &str)]) -> Result<Result<Vec<Json>, Problem>> {
        let mut items = Vec::new();
        let mut cursor: Option<String> = None;
        loop {
            let mut query = vec![("limit", "100")];
            query.extend_from_slice(filters);
            query.extend(cursor.as_deref().map(|cursor| ("cursor", cursor)));
            let page = match self.read(path, &query).await? {
                Answer::Done(page) => page.json,
                Answer::Refused(problem) => return Ok(Err(problem)),
            };
            items.extend(page.get("items").and_then(Json::as_array).into_iter().flatten().cloned());
            match page.get("nextCursor").and_then(Json::as_str) {
                Some(next) => cursor = Some(next.to_owned()),
                None => return Ok(Ok(items)),
            }
        }
    }

    /// # Errors
    /// The service does not respond, also after the last retry: the write may have been done.
    pub async fn post(&self, path: &str, key: Uuid, body: &Json) -> Result<Answer> {
        self.write(Method::POST, path, key, None, body).await
    }

    /// Replaces the record if it is still the one with this `ETag`.
    ///
    /// # Errors
    /// The service does not respond, also after the last retry: the write may have been done.
    pub async fn put(&self, path: &str, etag: Option<&str>, body: &Json) -> Result<Answer> {
        self.write(Method::PUT, path, Uuid::new_v4(), etag, body).await
    }

    async fn write(&self, method: Method, path: &str, key: Uuid, etag: Option<&str>, body: &Json) -> Result<Answer> {
        let url = self.address(path, &[])?;
        let text = body.to_string();
        let request = || {
            let request = self.client.request(method.clone(), url.clone()).header("Idempotency-Key", key.to_string());
            let request = etag.iter().fold(request, |request, etag| request.header("If-Match", *etag));
            request.header("Content-Type", "application/json").body(text.clone())
        };
        self.send_with_retries(&format!("{method} {path}"), false, request).await
    }

    fn address(&self, path: &str, query: &[(&str, &str)]) -> Result<reqwest::Url> {
        let address = format!("{}/v1/{path}", self.url);
        Ok(if query.is_empty() { address.parse()? } else { reqwest::Url::parse_with_params(&address, query)? })
    }

    async fn send_with_retries(
        &self,
        what: &str,
        is_read: bool,
        request: impl Fn() -> RequestBuilder,
    ) -> Result<Answer> {
        let mut last = String::new();
        for nth in 0..TRIES {
            let mut wait = 1 << nth;
            match request().bearer_auth(&self.token).send().await {
                Err(error) if error.is_builder() => return Err(error).with_context(|| what.to_owned()),
                Err(error) => {
                    last = plain(&error);
                    // Nothing is under way, or the address is probably wrong: the user should know at once.
                    let is_unreachable = error.is_connect() && !self.answered.load(Ordering::Relaxed);
                    if (is_read || is_unreachable) && nth > 0 {
                        break;
                    }
                }
                Ok(answer) => {
                    self.answered.store(true, Ordering::Relaxed);
                    let status = answer.status();
                    let header = |name: &str| Some(answer.headers().get(name)?.to_str().ok()?.to_owned());
                    let after = header("retry-after").and_then(|value| value.parse().ok());
                    let etag = header("etag");
                    if let (Some(date), Ok(mut last)) = (header("date"), self.date.lock()) {
                        *last = Some(date);
                    }
                    // A body that breaks off is useless: it is asked for again.
                    match answer.bytes().await {
                        Err(error) => last = plain(&error),
                        Ok(body) if status.is_success() => {
                            let json =
                                serde_json::from_slice(&body).with_context(|| format!("{what} answered no JSON"))?;
                            return Ok(Answer::Done(Body { json, etag }));
                        }
                        Ok(body) => match serde_json::from_slice::<Problem>(&body) {
                            Ok(problem) if !is_later(status) => return Ok(Answer::Refused(problem)),
                            Ok(problem) => last = problem.describe(),
                            Err(_) if is_later(status) => last = status.to_string(),
                            Err(_) => bail!("{what} answered {status}: is this the address of the service?"),
                        },
                    }
                    wait = after.unwrap_or(wait);
                }
            }
            if wait > PATIENCE {
                break;
            }
            if nth + 1 < TRIES {
                tokio::time::sleep(Duration::from_secs(wait)).await;
            }
        }
        bail!("{what}: {last}")
    }
}

/// Returns whether the same call may succeed later.
fn is_later(status: StatusCode) -> bool {
    matches!(
        status,
        StatusCode::TOO_MANY_REQUESTS
            | StatusCode::BAD_GATEWAY
            | StatusCode::SERVICE_UNAVAILABLE
            | StatusCode::GATEWAY_TIMEOUT
    )
}

/// The error with its causes, without the address.
fn plain(error: &reqwest::Error) -> String {
    let mut text = String::from("not answered");
    let mut cause = std::error::Error::source(error);
    while let Some(error) = cause {
        text = format!("{text}: {error}");
        cause = error.source();
    }
    text
}

/// `Sun, 06 Nov 1994 08:49:37 GMT` as `1994-11-06T08:49:37.000Z`.
fn read_date(date: &str) -> Option<String> {
    const MONTHS: [&str; 12] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    let parts: Vec<&str> = date.split_whitespace().collect();
    let [_, day, month, year, time, "GMT"] = parts.as_slice() else { return None };
    let month = 1 + MONTHS.iter().position(|name| name == month)?;
    let is_number = |text: &str, length: usize| text.len() == length && text.bytes().all(|byte| byte.is_ascii_digit());
    let is_time = time.len() == 8 && time.split(':').all(|part| is_number(part, 2));
    (is_number(day, 2) && is_number(year, 4) && is_time).then(|| format!("{year}-{month:02}-{day}T{time}.000Z"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_header_date_is_an_instant() {
        assert_eq!(read_date("Sun, 06 Nov 1994 08:49:37 GMT").as_deref(), Some("1994-11-06T08:49:37.000Z"));
        for text in
            ["", "now", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun, 6 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 8 GMT"]
        {
            assert_eq!(read_date(text), None, "{text}");
        }
    }
}
