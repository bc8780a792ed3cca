//! Reading a body: up to the operation's limit, in time, and never many large ones at once.

use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use bytes::{Bytes, BytesMut};
use http_body_util::BodyExt as _;
use hyper::body::Body as _;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::problem::Problem;

/// A body above this is large.
const LARGE: u64 = 1 << 20;
/// Large bodies held at once.
pub const LARGE_BODIES: usize = 4;
/// Longest time for a body to arrive.
const TIME: Duration = Duration::from_secs(30);

/// A body with, where it is large, its place among the few.
pub struct Read {
    pub bytes: Bytes,
    pub permit: Option<OwnedSemaphorePermit>,
}

/// Why there is no body.
pub enum Unread {
    Refused(Problem),
    /// The connection broke off, lied about its framing or was too slow: it ends with the answer.
    Broken(Problem),
}

pub async fn read(mut body: Body, limit: u64, large: &Arc<Semaphore>) -> Result<Read, Unread> {
    if body.size_hint().lower() > limit {
        return Err(Unread::Refused(Problem::of("PAYLOAD_TOO_LARGE")));
    }
    let slow = |_| Err(Unread::Broken(Problem::of("UNAVAILABLE")));
    tokio::time::timeout(TIME, collect(&mut body, limit, large)).await.unwrap_or_else(slow)
}

async fn collect(body: &mut Body, limit: u64, large: &Arc<Semaphore>) -> Result<Read, Unread> {
    let mut bytes = BytesMut::new();
    let mut permit = None;
    while let Some(frame) = body.frame().await {
        let Ok(data) = frame.map_err(|_| Unread::Broken(Problem::of("MALFORMED_JSON")))?.into_data() else { continue };
        let size = (bytes.len() + data.len()) as u64;
        if size > limit {
            return Err(Unread::Refused(Problem::of("PAYLOAD_TOO_LARGE")));
        }
        if size > LARGE && permit.is_none() {
            let place = large.clone().try_acquire_owned();
            permit = Some(place.map_err(|_| Unread::Refused(Problem::of("UNAVAILABLE")))?);
        }
        bytes.extend_from_slice(&data);
    }
    Ok(Read { bytes: bytes.freeze(), permit })
}
