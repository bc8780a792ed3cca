//! The three static files of the console, which are in the binary, each with its digest.

use std::sync::LazyLock;

use axum::body::Body;
use axum::response::Response;
use http::{HeaderValue, header};
use sha2::{Digest as _, Sha256};

const FILES: [(&str, &str, &str); 3] = [
    ("console.css", "text/css; charset=utf-8", include_str!("../style/console.css")),
    ("console.js", "text/javascript; charset=utf-8", include_str!("../script/console.js")),
    ("icon.svg", "image/svg+xml", include_str!("../icon.svg")),
];

static DIGESTS: LazyLock<[(&str, String); 3]> =
    LazyLock::new(|| FILES.map(|(name, _, text)| (name, hex::encode(Sha256::digest(text)).chars().take(16).collect())));

/// The address of a file below `base`: `/console/files/console.css?v=DIGEST`. It changes with the file.
pub fn address(base: &str, name: &str) -> String {
    let digest = DIGESTS.iter().find(|(file, _)| *file == name).map_or("", |(_, digest)| digest);
    format!("{base}/files/{name}?v={digest}")
}

/// The response with a file, immutable. None: there is no such file.
pub fn respond(name: &str) -> Option<Response> {
    let (_, kind, text) = FILES.iter().find(|(file, ..)| *file == name)?;
    let mut response = Response::new(Body::from(*text));
    for (name, value) in [
        (header::CONTENT_TYPE, *kind),
        (header::CACHE_CONTROL, "public, max-age=31536000, immutable"),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    ] {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    Some(response)
}
