//! One form of multipart/form-data, read without a crate: a field ends where the boundary begins again.

use std::time::Duration;

use axum::body::Body;
use bytes::Bytes;
use http::{HeaderMap, StatusCode, header};
use http_body_util::{BodyExt as _, Limited};
use tokio::sync::{Semaphore, SemaphorePermit};

/// Bytes of a form, at most: the largest component that a host takes, and its admission.
const LARGEST: usize = (64 << 20) + (1 << 20);
const MOST_FIELDS: usize = 16;
const LONGEST: Duration = Duration::from_secs(300);

/// One at a time.
static UPLOADS: Semaphore = Semaphore::const_new(1);

/// Names and contents of the fields.
pub struct Upload {
    fields: Vec<(String, Bytes)>,
    _permit: SemaphorePermit<'static>,
}

impl Upload {
    pub fn get(&self, name: &str) -> Option<&Bytes> {
        self.fields.iter().find(|(key, _)| key == name).map(|(_, content)| content)
    }

    pub fn text(&self, name: &str) -> &str {
        self.get(name).and_then(|content| std::str::from_utf8(content).ok()).unwrap_or_default()
    }
}

/// The error is the status of the page that rejects the form: 415, 413, 408, or 400 for a body that breaks off.
pub async fn read(headers: &HeaderMap, body: Body) -> Result<Upload, StatusCode> {
    let kind = headers.get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    let boundary = kind.strip_prefix("multipart/form-data").and_then(|rest| Some(rest.split_once("boundary=")?.1));
    let boundary = boundary.ok_or(StatusCode::UNSUPPORTED_MEDIA_TYPE)?.trim_matches('"').to_owned();
    let read = async {
        let permit = UPLOADS.acquire().await.map_err(|_| StatusCode::SERVICE_UNAVAILABLE)?;
        let collected = Limited::new(body, LARGEST).collect().await.map_err(|error| {
            let is_large = error.is::<http_body_util::LengthLimitError>();
            if is_large { StatusCode::PAYLOAD_TOO_LARGE } else { StatusCode::BAD_REQUEST }
        })?;
        let fields = split(&collected.to_bytes(), &boundary).ok_or(StatusCode::BAD_REQUEST)?;
        Ok(Upload { fields, _permit: permit })
    };
    tokio::time::timeout(LONGEST, read).await.map_err(|_| StatusCode::REQUEST_TIMEOUT)?
}

/// None: it is no such form, or has too many fields.
fn split(form: &Bytes, boundary: &str) -> Option<Vec<(String, Bytes)>> {
    let delimiter = format!("\r\n--{boundary}");
    let mut fields = Vec::new();
    // The first delimiter has no line before it.
    let mut at = form.starts_with(delimiter.trim_start().as_bytes()).then_some(delimiter.len() - 2)?;
    while !form.get(at..)?.starts_with(b"--") {
        let begin = at + find(form.get(at..)?, b"\r\n\r\n")?;
        let head = std::str::from_utf8(form.get(at..begin)?).ok()?;
        let (name, _) = head.split_once("; name=\"")?.1.split_once('"')?;
        let end = begin + 4 + find(form.get(begin + 4..)?, delimiter.as_bytes())?;
        (fields.len() < MOST_FIELDS).then_some(())?;
        fields.push((name.to_owned(), form.slice(begin + 4..end)));
        at = end + delimiter.len();
    }
    Some(fields)
}

/// The offset of the first occurrence.
fn find(text: &[u8], wanted: &[u8]) -> Option<usize> {
    let mut from = 0;
    loop {
        let offset = from + text.get(from..)?.iter().position(|byte| wanted.first() == Some(byte))?;
        if text.get(offset..)?.starts_with(wanted) {
            return Some(offset);
        }
        from = offset + 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FORM: &str = "--x\r\nContent-Disposition: form-data; name=\"csrf\"\r\n\r\nabc\r\n--x\r\n\
        Content-Disposition: form-data; name=\"component\"; filename=\"a.wasm\"\r\n\r\n\0asm\r\n\r--x\r\n\r\n--x--\r\n";

    #[test]
    fn a_form_is_split_at_its_boundary() {
        let fields = split(&Bytes::from_static(FORM.as_bytes()), "x").expect("a form");
        let shown: Vec<(&str, &[u8])> = fields.iter().map(|(name, content)| (name.as_str(), &content[..])).collect();
        assert_eq!(shown, [("csrf", &b"abc"[..]), ("component", &b"\0asm\r\n\r--x\r\n"[..])]);
        for length in [0, 2, 10, 40, FORM.len() - 8] {
            assert!(split(&Bytes::copy_from_slice(&FORM.as_bytes()[..length]), "x").is_none(), "{length}");
        }
        let many = "--x\r\nA: b; name=\"n\"\r\n\r\n\r\n".repeat(MOST_FIELDS + 1);
        assert!(split(&Bytes::from(format!("{many}--x--")), "x").is_none());
    }
}
