//! Answers in gzip, for whoever takes it and where it is worth the time: the contract is half a megabyte of text, a page of a list some
//! tens of kilobytes. What holds a secret is far smaller than what is compressed, so that nobody guesses it by the length.

use axum::Router;
use tower_http::CompressionLevel;
use tower_http::compression::CompressionLayer;
use tower_http::compression::predicate::SizeAbove;

/// Answers below this size, in bytes, fit a few packets and are sent uncompressed.
const LEAST: u16 = 4 << 10;

/// The same answers, the larger ones in gzip where it is asked for.
pub fn allow(router: Router) -> Router {
    let layer = CompressionLayer::new().gzip(true).quality(CompressionLevel::Fastest);
    router.layer(layer.compress_when(SizeAbove::new(LEAST)))
}
