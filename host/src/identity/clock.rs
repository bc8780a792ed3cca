//! The wall clock as a value, so that tests can move it.

use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

/// Where identity takes the time from. Tokens carry whole seconds since 1970, so it returns no more.
#[derive(Clone)]
pub struct Clock(Arc<dyn Fn() -> SystemTime + Send + Sync>);

impl Clock {
    /// The operating system's clock.
    pub fn system() -> Clock {
        Clock(Arc::new(SystemTime::now))
    }

    /// Any other source of time.
    pub fn new(now: impl Fn() -> SystemTime + Send + Sync + 'static) -> Clock {
        Clock(Arc::new(now))
    }

    /// Whole seconds since 1970-01-01T00:00:00Z. A clock that is before it reads as the end of time: every token
    /// has expired.
    pub fn unix_seconds(&self) -> u64 {
        (self.0)().duration_since(UNIX_EPOCH).map_or(u64::MAX, |since| since.as_secs())
    }
}
