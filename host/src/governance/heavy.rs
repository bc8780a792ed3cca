//! Heavy reads, as reports are: few run at once, so that they leave connections and cores to everybody else, to writes above all.
//! Companies have the seats round robin, and one company has at most half of the seats.

use std::sync::Arc;
use std::time::Duration;

use uuid::Uuid;

use crate::database::fair_queue::Capacity;
use crate::database::slots::{Seat, Slots};
use crate::problem::Problem;

/// Longest wait for a seat.
const WAIT: Duration = Duration::from_secs(2);
/// Heavy reads that may wait.
const QUEUE: usize = 64;
/// How many wait now.
const WAITING: &str = "stoa_heavy_reads_waiting";

/// Counts a heavy read that waits for a seat, until this is dropped.
struct WaitingRead;

impl WaitingRead {
    fn new() -> WaitingRead {
        metrics::gauge!(WAITING).increment(1.0);
        WaitingRead
    }
}

impl Drop for WaitingRead {
    fn drop(&mut self) {
        metrics::gauge!(WAITING).decrement(1.0);
    }
}

/// The seats of this host's heavy reads.
pub struct HeavyReads(Arc<Slots<Uuid>>);

impl HeavyReads {
    /// `seats`: heavy reads that run at once.
    pub fn new(seats: u32) -> HeavyReads {
        HeavyReads(Slots::new(Capacity { slots: usize::try_from(seats).unwrap_or(1), queue: QUEUE }))
    }

    /// Waits for a seat in the fair queue, for this company. An error: none became free in time, or too many wait.
    pub async fn admit(&self, company: Uuid) -> Result<Seat<Uuid>, Problem> {
        self.admit_within(company, WAIT).await
    }

    async fn admit_within(&self, company: Uuid, wait: Duration) -> Result<Seat<Uuid>, Problem> {
        let _waiting = WaitingRead::new();
        self.0.take(company, wait).await.map_err(|_| {
            metrics::counter!("stoa_heavy_reads_refused_total").increment(1);
            Problem::new("UNAVAILABLE")
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_read_without_a_seat_waits_and_is_refused() {
        let (reads, company) = (HeavyReads::new(1), Uuid::from_u128(1));
        let seat = reads.admit(company).await.unwrap();
        let refused = reads.admit_within(company, Duration::from_millis(10)).await.err().expect("a rejection");
        assert_eq!((&*refused.code, refused.status, refused.retry_after), ("UNAVAILABLE", 503, Some(1)));
        let (next, ()) = tokio::join!(reads.admit(company), async move { drop(seat) });
        assert!(next.is_ok());
    }

    #[tokio::test]
    async fn one_company_leaves_seats_to_others() {
        let (reads, [greedy, other]) = (HeavyReads::new(4), [1, 2].map(Uuid::from_u128));
        let _held = (reads.admit(greedy).await, reads.admit(greedy).await);
        assert!(reads.admit_within(greedy, Duration::from_millis(10)).await.is_err(), "its half is taken");
        assert!(reads.admit_within(other, Duration::from_millis(10)).await.is_ok());
    }
}
