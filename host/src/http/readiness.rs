//! The answer of `/v1/ready`: looked up at most once a second, however many ask.

use std::time::{Duration, Instant};

use tokio::sync::Mutex;

/// How old an answer may be.
const FRESH: Duration = Duration::from_secs(1);

#[derive(Default)]
pub struct Readiness(Mutex<Option<(Instant, bool)>>);

impl Readiness {
    /// The last answer where it is fresh, else a new one; those who ask meanwhile wait for it.
    pub async fn tell(&self, look: impl AsyncFnOnce() -> bool) -> bool {
        let mut known = self.0.lock().await;
        if let Some((instant, ready)) = *known
            && instant.elapsed() < FRESH
        {
            return ready;
        }
        let ready = look().await;
        *known = Some((Instant::now(), ready));
        ready
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

    use super::*;

    #[tokio::test]
    async fn many_who_ask_cost_one_look() {
        let (readiness, looks) = (Readiness::default(), AtomicUsize::new(0));
        let look = async || {
            looks.fetch_add(1, Relaxed);
            true
        };
        for _ in 0..10 {
            assert!(readiness.tell(look).await);
        }
        assert_eq!(looks.load(Relaxed), 1);
    }
}
