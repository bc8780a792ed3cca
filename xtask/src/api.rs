//! A small client of the public API: enough for a loader, and nothing that another client could not do.

use std::time::Duration;

use anyhow::{Context, Result, bail};
use reqwest::{Method, StatusCode};
use serde_json::Value as Json;
use uuid::Uuid;

/// How often a call is repeated that was answered "not now" (429, 503). Its key makes the repetition safe.
const TRIES: u32 = 5;

pub struct Api {
    client: reqwest::Client,
    pub url: String,
    pub token: String,
}

impl Api {
    pub fn new(url: &str, token: &str) -> Result<Api> {
        let client = reqwest::Client::builder().no_proxy().timeout(Duration::from_secs(60)).build()?;
        Ok(Api { client, url: url.to_string(), token: token.to_string() })
    }

    pub async fn get(&self, path: &str) -> Result<Json> {
        self.call(Method::GET, path, None).await
    }

    pub async fn post(&self, path: &str, key: Uuid, body: &Json) -> Result<Json> {
        self.call(Method::POST, path, Some((key, body))).await
    }

    /// Returns whether there is something at a path, here or at another address.
    pub async fn answers(&self, address: &str) -> bool {
        let answer = self.client.get(address).timeout(Duration::from_secs(2)).send().await;
        answer.is_ok_and(|answer| answer.status().is_success())
    }

    /// Returns whether an API key is let in.
    pub async fn admits(&self, key: &str) -> bool {
        let context = self.client.get(format!("{}/v1/api-client/context", self.url)).bearer_auth(key);
        context.send().await.is_ok_and(|answer| answer.status().is_success())
    }

    async fn call(&self, method: Method, path: &str, write: Option<(Uuid, &Json)>) -> Result<Json> {
        let what = format!("{method} {path}");
        for _ in 0..TRIES {
            let mut request = self.client.request(method.clone(), format!("{}{path}", self.url));
            request = request.bearer_auth(&self.token);
            if let Some((key, body)) = write {
                request = request.header("Idempotency-Key", key.to_string()).json(body);
            }
            let answer = request.send().await.with_context(|| format!("{what} was not answered"))?;
            let status = answer.status();
            if status == StatusCode::TOO_MANY_REQUESTS || status == StatusCode::SERVICE_UNAVAILABLE {
                let seconds = answer.headers().get("retry-after").and_then(|value| value.to_str().ok()?.parse().ok());
                tokio::time::sleep(Duration::from_secs(seconds.unwrap_or(1))).await;
                continue;
            }
            let body: Json = answer.json().await.with_context(|| format!("{what} answered {status} without JSON"))?;
            if !status.is_success() {
                bail!("{what} answered {status}: {body}");
            }
            return Ok(body);
        }
        bail!("{what}: the service is too busy")
    }
}

/// A text member of an answer.
pub fn text(body: &Json, member: &str) -> Result<String> {
    let text = body.get(member).and_then(Json::as_str);
    Ok(text.with_context(|| format!("an answer has no text {member:?}"))?.to_string())
}

/// The day on which a record or a receipt was made or changed last: `2026-11-23`.
pub fn day(body: &Json) -> Result<String> {
    let changed = text(body, "updatedAt")?;
    Ok(changed.get(..10).context("an instant without its day")?.to_string())
}

/// The items of a page.
pub fn items(body: &Json) -> impl Iterator<Item = &Json> {
    body.get("items").and_then(Json::as_array).into_iter().flatten()
}
