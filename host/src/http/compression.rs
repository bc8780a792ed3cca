//! Answers in gzip, for callers that take it and where it is worth the time: a page of a list is some tens of kilobytes
//! of text. Files and the contract are packed once, not here: they are public, so that packing them for each request
//! would cost callers nothing. Answers with a secret are far smaller than those that are compressed, so that their
//! length reveals nothing.

use axum::Router;
use http::{Extensions, HeaderMap, StatusCode, Version};
use tower_http::CompressionLevel;
use tower_http::compression::CompressionLayer;
use tower_http::compression::predicate::{Predicate as _, SizeAbove};

use super::file::Packed;

/// Answers below this size, in bytes, fit a few packets and are sent uncompressed.
const LEAST: u16 = 4 << 10;

/// The same answers, the larger ones in gzip where it is asked for.
pub fn allow(router: Router) -> Router {
    let layer = CompressionLayer::new().gzip(true).quality(CompressionLevel::Fastest);
    let is_for_one =
        |_: StatusCode, _: Version, _: &HeaderMap, extensions: &Extensions| extensions.get::<Packed>().is_none();
    router.layer(layer.compress_when(SizeAbove::new(LEAST).and(is_for_one)))
}
