//! Names and values of a query or of a form, and the reading of a form's body with its bounds.

use std::time::Duration;

use axum::body::Body;
use bytes::Bytes;
use http::StatusCode;
use http_body_util::{BodyExt as _, LengthLimitError, Limited};
use percent_encoding::percent_decode_str;
use tokio::sync::{Semaphore, SemaphorePermit};

/// Bytes of a form, at most.
pub const LARGEST_FORM: usize = 256 << 10;

/// Forms that are read at once.
static BODIES: Semaphore = Semaphore::const_new(64);

const LONGEST: Duration = Duration::from_secs(30);

/// In the sequence in which they came; a name may come several times.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Pairs(pub Vec<(String, String)>);

impl Pairs {
    /// From `application/x-www-form-urlencoded`, which a query is as well.
    pub fn from_form(text: &str) -> Pairs {
        let decode = |text: &str| percent_decode_str(&text.replace('+', " ")).decode_utf8_lossy().into_owned();
        let pairs = text.split('&').filter(|pair| !pair.is_empty());
        let pairs = pairs.map(|pair| pair.split_once('=').unwrap_or((pair, "")));
        Pairs(pairs.map(|(name, value)| (decode(name), decode(value))).collect())
    }

    pub fn get(&self, name: &str) -> Option<&str> {
        self.all(name).next()
    }

    pub fn all<'s>(&'s self, name: &str) -> impl Iterator<Item = &'s str> {
        self.0.iter().filter(move |(key, _)| key == name).map(|(_, value)| value.as_str())
    }
}

/// Reads the form of a POST.
pub async fn read_form(body: Body) -> Result<Pairs, StatusCode> {
    let (bytes, _permit) = collect(body, LARGEST_FORM, LONGEST, &BODIES).await?;
    Ok(Pairs::from_form(std::str::from_utf8(&bytes).map_err(|_| StatusCode::BAD_REQUEST)?))
}

/// A body of at most so many bytes, within so long a time. The error is the status of the page that rejects it: 413,
/// 408, or 400 for one that breaks off. `readers`: a permit is one body that is in memory.
pub async fn collect(
    body: Body,
    largest: usize,
    longest: Duration,
    readers: &'static Semaphore,
) -> Result<(Bytes, SemaphorePermit<'static>), StatusCode> {
    let read = async {
        let permit = readers.acquire().await.map_err(|_| StatusCode::SERVICE_UNAVAILABLE)?;
        let collected = Limited::new(body, largest).collect().await.map_err(|error| {
            let is_large = error.is::<LengthLimitError>();
            if is_large { StatusCode::PAYLOAD_TOO_LARGE } else { StatusCode::BAD_REQUEST }
        })?;
        Ok((collected.to_bytes(), permit))
    };
    tokio::time::timeout(longest, read).await.map_err(|_| StatusCode::REQUEST_TIMEOUT)?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_form_is_read_as_a_browser_writes_it() {
        let pairs = Pairs::from_form("a=1+2&b=%2Bx%26&a=3&&c&d=%C3%A9");
        assert_eq!(pairs.all("a").collect::<Vec<_>>(), ["1 2", "3"]);
        assert_eq!(["b", "c", "d", "e"].map(|name| pairs.get(name)), [Some("+x&"), Some(""), Some("é"), None]);
    }

    #[tokio::test]
    async fn a_form_above_the_bound_is_rejected() {
        let body = |length: usize| Body::from(vec![b'a'; length]);
        assert!(read_form(body(LARGEST_FORM)).await.is_ok());
        assert_eq!(read_form(body(LARGEST_FORM + 1)).await, Err(StatusCode::PAYLOAD_TOO_LARGE));
        assert_eq!(read_form(Body::from(vec![0xff])).await, Err(StatusCode::BAD_REQUEST));
    }
}
