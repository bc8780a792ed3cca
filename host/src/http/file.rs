//! A file as it is served: packed once, unpacked for the few who do not take it packed, and not sent at all to who has it.

use std::io::{self, Read as _, Write as _};
use std::sync::OnceLock;

use axum::body::Body;
use bytes::Bytes;
use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use http::{HeaderMap, HeaderValue, Response, StatusCode, header};
use sha2::{Digest as _, Sha256};

use crate::http::conditional;

/// Marks an answer that has a packed form of its own: it is not packed again for each request, whatever a caller takes.
#[derive(Clone, Copy)]
pub struct Packed;

pub struct File {
    media_type: &'static str,
    gzip: Bytes,
    plain: OnceLock<Bytes>,
    /// Tag of the content, packed or not; hence weak.
    etag: String,
}

impl File {
    pub fn pack(media_type: &'static str, plain: &[u8]) -> File {
        File::of_gzip(media_type, gzip(plain).into())
    }

    pub fn of_gzip(media_type: &'static str, gzip: Bytes) -> File {
        let digest = hex::encode(Sha256::digest(&gzip));
        File { media_type, gzip, plain: OnceLock::new(), etag: format!("W/\"{digest}\"") }
    }

    pub fn respond(&self, headers: &HeaderMap) -> Response<Body> {
        let mut response = Response::new(Body::empty());
        if conditional::is_known(headers, &self.etag) {
            *response.status_mut() = StatusCode::NOT_MODIFIED;
        } else if takes_gzip(headers) {
            *response.body_mut() = Body::from(self.gzip.clone());
            response.headers_mut().insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
        } else {
            *response.body_mut() = Body::from(self.plain.get_or_init(|| self.unpack().into()).clone());
        }
        response.extensions_mut().insert(Packed);
        let response_headers = response.headers_mut();
        response_headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(self.media_type));
        response_headers.insert(header::VARY, HeaderValue::from_static("Accept-Encoding"));
        if let Ok(etag) = HeaderValue::from_str(&self.etag) {
            response_headers.insert(header::ETAG, etag);
        }
        response
    }

    fn unpack(&self) -> Vec<u8> {
        let mut plain = Vec::new();
        if let Err(error) = GzDecoder::new(&*self.gzip).read_to_end(&mut plain) {
            // It was packed by this program, or is a part of it.
            tracing::error!(%error, "a file cannot be unpacked");
        }
        plain
    }
}

/// The same in gzip.
pub fn gzip(plain: &[u8]) -> Vec<u8> {
    let pack = || -> io::Result<Vec<u8>> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(plain)?;
        encoder.finish()
    };
    pack().unwrap_or_else(|error| {
        // Writing to memory does not fail.
        tracing::error!(%error, "a file cannot be packed");
        Vec::new()
    })
}

/// Returns whether `Accept-Encoding` names gzip by either of its names (RFC 9110, 8.4.1.3), or all codings, and does
/// not exclude it.
pub fn takes_gzip(headers: &HeaderMap) -> bool {
    let weight = |coding: &str| {
        let values = headers.get_all(header::ACCEPT_ENCODING).iter().filter_map(|value| value.to_str().ok());
        values.flat_map(|value| value.split(',')).find_map(|part| {
            let mut parts = part.split(';').map(str::trim);
            let named = parts.next().is_some_and(|name| name.eq_ignore_ascii_case(coding));
            let weight = parts.find_map(|parameter| parameter.strip_prefix("q=")?.parse::<f32>().ok());
            named.then(|| weight.unwrap_or(1.0))
        })
    };
    weight("gzip").or_else(|| weight("x-gzip")).or_else(|| weight("*")).is_some_and(|weight| weight > 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gzip_is_sent_to_those_who_take_it() {
        for (given, taken) in [
            (None, false),
            (Some("gzip"), true),
            (Some("br, GZIP;q=0.5"), true),
            (Some("*"), true),
            (Some("x-gzip"), true),
            (Some("X-GZIP;q=0.1, identity"), true),
            (Some("x-gzip;q=0, *"), false),
            (Some("identity"), false),
            (Some("gzip;q=0"), false),
            (Some("gzip; q=0, *"), false),
            (Some("br;q=1, *;q=0"), false),
        ] {
            let mut headers = HeaderMap::new();
            headers.extend(given.map(|value| (header::ACCEPT_ENCODING, HeaderValue::from_static(value))));
            assert_eq!(takes_gzip(&headers), taken, "{given:?}");
        }
    }

    #[test]
    fn unpacked_it_is_what_was_packed() {
        let text = "what is shown ".repeat(100);
        let file = File::pack("text/plain", text.as_bytes());
        assert!(file.gzip.len() < 100);
        assert_eq!(file.unpack(), text.as_bytes());
    }
}
