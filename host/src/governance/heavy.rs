//! Heavy reads, as reports are: few run at once, so that they leave connections and cores to everybody else, to writes above all.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

use crate::problem::Problem;

/// Longest wait for a seat.
const WAIT: Duration = Duration::from_secs(2);

/// The seats of this host's heavy reads.
pub struct HeavyReads(Arc<Semaphore>);

impl HeavyReads {
    /// `seats`: heavy reads that run at once.
    pub fn new(seats: u32) -> HeavyReads {
        HeavyReads(Arc::new(Semaphore::new(usize::try_from(seats).unwrap_or(1))))
    }

    /// Waits for a seat, in the order of coming. An error: none became free in time.
    pub async fn admit(&self) -> Result<OwnedSemaphorePermit, Problem> {
        self.admit_within(WAIT).await
    }

    async fn admit_within(&self, wait: Duration) -> Result<OwnedSemaphorePermit, Problem> {
        match timeout(wait, self.0.clone().acquire_owned()).await {
            Ok(Ok(seat)) => Ok(seat),
            Ok(Err(_)) | Err(_) => {
                metrics::counter!("stoa_heavy_reads_refused_total").increment(1);
                Err(Problem::new("UNAVAILABLE"))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_read_without_a_seat_waits_and_is_refused() {
        let reads = HeavyReads::new(1);
        let seat = reads.admit().await.unwrap();
        let refused = reads.admit_within(Duration::from_millis(10)).await.unwrap_err();
        assert_eq!((&*refused.code, refused.status, refused.retry_after), ("UNAVAILABLE", 503, Some(1)));
        let (next, ()) = tokio::join!(reads.admit(), async move { drop(seat) });
        assert!(next.is_ok());
    }
}
