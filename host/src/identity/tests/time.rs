//! A clock that is stopped until a test moves it.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, UNIX_EPOCH};

use super::super::Clock;

/// Some moment in 2027.
pub const START: u64 = 1_800_000_000;

#[derive(Clone)]
pub struct Time(Arc<AtomicU64>);

impl Time {
    pub fn start() -> Time {
        Time(Arc::new(AtomicU64::new(START)))
    }

    pub fn now(&self) -> u64 {
        self.0.load(Ordering::SeqCst)
    }

    pub fn pass(&self, seconds: u64) {
        self.0.fetch_add(seconds, Ordering::SeqCst);
    }

    pub fn set(&self, seconds: u64) {
        self.0.store(seconds, Ordering::SeqCst);
    }

    pub fn clock(&self) -> Clock {
        let time = self.clone();
        Clock::new(move || UNIX_EPOCH + Duration::from_secs(time.now()))
    }
}
