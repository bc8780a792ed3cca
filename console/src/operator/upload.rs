//! One form of multipart/form-data, read without a crate: a field ends where the boundary begins again.

use std::time::Duration;

use axum::body::Body;
use bytes::Bytes;
use http::{HeaderMap, StatusCode, header};
use tokio::sync::{Semaphore, SemaphorePermit};

use crate::pairs;

/// Bytes of a form, at most: the largest component that a host takes, and its admission.
const LARGEST: usize = (64 << 20) + (1 << 20);
const LONGEST: Duration = Duration::from_secs(300);

/// One at a time.
static UPLOADS: Semaphore = Semaphore::const_new(1);

pub struct Upload {
    form: Bytes,
    boundary: String,
    _permit: SemaphorePermit<'static>,
}

/// The error is the status of the page that rejects the form: 415, 413, 408, or 400 for a body that breaks off.
pub async fn read(headers: &HeaderMap, body: Body) -> Result<Upload, StatusCode> {
    let kind = headers.get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    let boundary = kind.strip_prefix("multipart/form-data").and_then(|rest| Some(rest.split_once("boundary=")?.1));
    let boundary = boundary.ok_or(StatusCode::UNSUPPORTED_MEDIA_TYPE)?.trim_matches('"').to_owned();
    let (form, permit) = pairs::collect(body, LARGEST, LONGEST, &UPLOADS).await?;
    Ok(Upload { form, boundary, _permit: permit })
}

impl Upload {
    /// The content of a field.
    pub fn get(&self, name: &str) -> Option<Bytes> {
        let head = format!("--{}\r\nContent-Disposition: form-data; name=\"{name}\"", self.boundary);
        let head = self.find(0, &head)?;
        let begin = self.find(head, "\r\n\r\n")? + 4;
        let end = self.find(begin, &format!("\r\n--{}", self.boundary))?;
        Some(self.form.slice(begin..end))
    }

    pub fn text(&self, name: &str) -> String {
        self.get(name).and_then(|content| String::from_utf8(content.into()).ok()).unwrap_or_default()
    }

    /// The offset of the first occurrence.
    fn find(&self, from: usize, wanted: &str) -> Option<usize> {
        let mut places = self.form.get(from..)?.windows(wanted.len());
        Some(from + places.position(|place| place == wanted.as_bytes())?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FORM: &str = "--x\r\nContent-Disposition: form-data; name=\"csrf\"\r\n\r\nabc\r\n\
        --x\r\nContent-Disposition: form-data; name=\"component\"; filename=\"a.wasm\"\r\n\r\n\0asm\r\n\r--x\r\n\r\n--x--\r\n";

    #[tokio::test]
    async fn a_field_ends_at_the_boundary() {
        let headers =
            HeaderMap::from_iter([(header::CONTENT_TYPE, "multipart/form-data; boundary=x".parse().expect("one"))]);
        for (length, component) in [(FORM.len(), Some(&b"\0asm\r\n\r--x\r\n"[..])), (FORM.len() - 8, None)] {
            let form = read(&headers, Body::from(&FORM[..length])).await.expect("a form");
            assert_eq!((form.text("csrf").as_str(), form.text("admission").as_str()), ("abc", ""));
            assert_eq!(form.get("component").as_deref(), component);
        }
        let other = read(&HeaderMap::new(), Body::empty()).await.err();
        assert_eq!(other, Some(StatusCode::UNSUPPORTED_MEDIA_TYPE));
    }
}
