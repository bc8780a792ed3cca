//! The load generator: a closed loop over keep-alive connections, each sending its next request when it has the answer.
//!
//! It runs on the one thread of the benchmark's own process and costs about 5 us per request; like the database, it shares the
//! machine with what it measures.

mod connection;
mod flows;
mod paced;

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::{Duration, Instant};

use anyhow::Context as _;
pub use connection::Connection;
pub use flows::run_flows;
pub use paced::{Latencies, Paced};

use crate::report::Report;
use crate::rounds::median;

/// Writes the next request of a load into the buffer.
pub type NextRequest = Arc<dyn Fn(&mut Vec<u8>) + Send + Sync>;

/// One request, over and over.
pub fn repeat(request: Vec<u8>) -> NextRequest {
    Arc::new(move |buffer| buffer.extend_from_slice(&request))
}

/// These requests in turn.
pub fn take_turns(requests: impl IntoIterator<Item = NextRequest>) -> NextRequest {
    let (requests, next): (Vec<NextRequest>, _) = (requests.into_iter().collect(), AtomicUsize::new(0));
    Arc::new(move |buffer: &mut Vec<u8>| requests[next.fetch_add(1, Relaxed) % requests.len()](buffer))
}

#[derive(Clone)]
pub struct Load {
    pub address: SocketAddr,
    pub connections: usize,
    pub request: NextRequest,
    /// Every answer must have one of them.
    pub statuses: &'static [u16],
}

/// The measurements of one run.
pub struct Run {
    /// The latency of each request, ascending.
    latencies: Vec<Duration>,
    pub per_second: f64,
}

impl Run {
    /// `time`: from the first request to the last answer.
    fn new(mut latencies: Vec<Duration>, time: Duration) -> Run {
        latencies.sort_unstable();
        Run { per_second: latencies.len() as f64 / time.as_secs_f64(), latencies }
    }

    /// Microseconds that this share of the requests stayed below.
    pub fn percentile(&self, share: f64) -> f64 {
        let last = self.latencies.len().saturating_sub(1);
        let index = (last as f64 * share).round() as usize;
        self.latencies.get(index).map_or(0.0, |latency| latency.as_secs_f64() * 1e6)
    }

    pub fn count(&self) -> usize {
        self.latencies.len()
    }
}

impl Load {
    /// Runs for this long; any answer of another status ends the benchmark.
    pub async fn run(&self, time: Duration) -> anyhow::Result<Run> {
        let mut connections = Vec::with_capacity(self.connections);
        for _ in 0..self.connections {
            connections.push(Connection::open(self.address).await?);
        }
        let begin = Instant::now();
        let tasks: Vec<_> = connections
            .into_iter()
            .map(|connection| tokio::spawn(closed_loop(connection, self.request.clone(), self.statuses, begin + time)))
            .collect();
        let mut latencies = Vec::new();
        for task in tasks {
            latencies.extend(task.await.context("a client task ended")??);
        }
        Ok(Run::new(latencies, begin.elapsed()))
    }
}

async fn closed_loop(
    mut connection: Connection,
    request: NextRequest,
    statuses: &'static [u16],
    end: Instant,
) -> anyhow::Result<Vec<Duration>> {
    let mut latencies = Vec::with_capacity(4096);
    let mut buffer = Vec::with_capacity(4096);
    loop {
        buffer.clear();
        request(&mut buffer);
        let sent = Instant::now();
        if sent >= end {
            return Ok(latencies);
        }
        let answered = connection.exchange(&buffer).await?;
        latencies.push(sent.elapsed());
        anyhow::ensure!(statuses.contains(&answered), "answered {answered}: {}", connection.body());
    }
}

/// Rounds of one side, and what is reported of them.
#[derive(Default)]
pub struct Side {
    runs: Vec<Run>,
}

impl Side {
    pub fn push(&mut self, run: Run) {
        self.runs.push(run);
    }

    pub fn per_second(&self) -> Vec<f64> {
        self.runs.iter().map(|run| run.per_second).collect()
    }

    pub fn p50(&self) -> Vec<f64> {
        self.percentiles(0.5)
    }

    /// Microseconds that this share of the requests of each round stayed below.
    pub fn percentiles(&self, share: f64) -> Vec<f64> {
        self.runs.iter().map(|run| run.percentile(share)).collect()
    }

    /// Microseconds that this share of the requests of all rounds together stayed below.
    pub fn percentile_of_all(&self, share: f64) -> f64 {
        let mut latencies: Vec<Duration> = self.runs.iter().flat_map(|run| &run.latencies).copied().collect();
        latencies.sort_unstable();
        Run { latencies, per_second: 0.0 }.percentile(share)
    }

    /// Requests per second and percentiles, medians of the rounds.
    pub fn tell(&self, report: &mut Report, name: &str, what: &str) {
        report.add(format!("{name}_per_second"), median(self.per_second()), what);
        for (share, label) in [(0.5, "p50"), (0.95, "p95"), (0.99, "p99")] {
            let value = median(self.percentiles(share));
            report.add(format!("{name}_{label}_us"), value, "");
        }
    }
}
