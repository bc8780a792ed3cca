//! A small client of the public API: nothing that another client could not do.

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
}

/// How a write ended.
pub enum Answer {
    Done(Json),
    Refused(Problem),
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
pub struct ProblemItem {
    pub pointer: String,
    pub code: String,
}

impl Problem {
    pub fn describe(&self) -> String {
        format!("{} {} {} (request {})", self.status, self.code, self.detail, self.request_id)
    }
}

impl Api {
    pub fn new(url: &str, token: &str) -> Result<Api> {
        let client = reqwest::Client::builder().timeout(Duration::from_secs(60)).build()?;
        Ok(Api { client, url: url.trim_end_matches('/').to_owned(), token: token.to_owned(), answered: false.into() })
    }

    /// # Errors
    /// Where there is no success.
    pub async fn get(&self, path: &str, query: &[(&str, &str)]) -> Result<Json> {
        let url = self.address(path, query)?;
        match self
            .send_with_retries(&format!("GET {path}"), true, || self.client.request(Method::GET, url.clone()))
            .await?
        {
            Answer::Done(body) => Ok(body),
            Answer::Refused(problem) => bail!("GET {path}: {}", problem.describe()),
        }
    }

    /// Every item of a list.
    ///
    /// # Errors
    /// Where a page is not answered.
    pub async fn all(&self, path: &str) -> Result<Vec<Json>> {
        let mut items = Vec::new();
        let mut cursor: Option<String> = None;
        loop {
            let query = [("limit", "100"), ("cursor", cursor.as_deref().unwrap_or_default())];
            let page = self.get(path, if cursor.is_some() { &query } else { &query[..1] }).await?;
            items.extend(page.get("items").and_then(Json::as_array).into_iter().flatten().cloned());
            match page.get("nextCursor").and_then(Json::as_str) {
                Some(next) => cursor = Some(next.to_owned()),
                None => return Ok(items),
            }
        }
    }

    /// # Errors
    /// Where it is not known how the write ended.
    pub async fn post(&self, path: &str, key: Uuid, body: &Json) -> Result<Answer> {
        let url = self.address(path, &[])?;
        let text = body.to_string();
        let request = || {
            let request = self.client.request(Method::POST, url.clone()).header("Idempotency-Key", key.to_string());
            request.header("Content-Type", "application/json").body(text.clone())
        };
        self.send_with_retries(&format!("POST {path}"), false, request).await
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
                    let after = answer.headers().get("retry-after").and_then(|value| value.to_str().ok()?.parse().ok());
                    // A body that breaks off is as good as none: it is asked for again.
                    match answer.bytes().await {
                        Err(error) => last = plain(&error),
                        Ok(body) if status.is_success() => {
                            let body =
                                serde_json::from_slice(&body).with_context(|| format!("{what} answered no JSON"))?;
                            return Ok(Answer::Done(body));
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

/// Whether the same call may succeed later.
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
