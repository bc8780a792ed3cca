//! A load at a fixed rate: each request has its instant, however long the earlier ones wait. Its latency counts from
//! that instant, so that a server that stops for a second is measured by all who wait, and not by one.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::time::{Instant, sleep_until, timeout_at};

use super::{Connection, NextRequest};

/// The longest wait for one answer. A host's own limit is 10 s.
const PATIENCE: Duration = Duration::from_secs(60);

pub struct Paced {
    pub address: SocketAddr,
    pub every: Duration,
    /// Sent one after the other, round by round.
    pub requests: Vec<NextRequest>,
    pub status: u16,
}

/// The latencies of several runs together.
#[derive(Default)]
pub struct Latencies {
    all: Vec<Duration>,
    /// Requests whose answer had another status, or that had none. They count as long as they took.
    pub failed: usize,
    pub first_failure: Option<String>,
}

impl Latencies {
    pub fn add(&mut self, other: Latencies) {
        self.all.extend(other.all);
        self.all.sort_unstable();
        self.failed += other.failed;
        self.first_failure = self.first_failure.take().or(other.first_failure);
    }

    /// Milliseconds that this share of the requests stayed below.
    pub fn percentile(&self, share: f64) -> f64 {
        let last = self.all.len().saturating_sub(1);
        let index = (last as f64 * share).round() as usize;
        self.all.get(index).map_or(0.0, |latency| latency.as_secs_f64() * 1e3)
    }
}

impl Paced {
    /// Sends for this long, and waits for every answer.
    pub async fn run(&self, time: Duration) -> anyhow::Result<Latencies> {
        let idle: Arc<Mutex<Vec<Connection>>> = Arc::default();
        let begin = Instant::now();
        let count = u32::try_from(time.as_millis() / self.every.as_millis().max(1))?;
        let mut tasks = Vec::with_capacity(count as usize);
        for number in 0..count {
            let due = begin + self.every * number;
            sleep_until(due).await;
            let mut request = Vec::with_capacity(1024);
            self.requests[number as usize % self.requests.len()](&mut request);
            let (address, idle, status) = (self.address, idle.clone(), self.status);
            tasks.push(tokio::spawn(async move {
                let answered = timeout_at(due + PATIENCE, exchange(address, &idle, &request, status)).await;
                (due.elapsed(), answered.unwrap_or_else(|_| Err(anyhow::anyhow!("no answer in {PATIENCE:?}"))))
            }));
        }
        let mut latencies = Latencies::default();
        for task in tasks {
            let (latency, answered) = task.await?;
            latencies.all.push(latency);
            if let Err(error) = answered {
                latencies.failed += 1;
                latencies.first_failure.get_or_insert_with(|| format!("{error:#}"));
            }
        }
        latencies.all.sort_unstable();
        Ok(latencies)
    }
}

/// One request on a free connection, or on a new one.
async fn exchange(
    address: SocketAddr,
    idle: &Mutex<Vec<Connection>>,
    request: &[u8],
    status: u16,
) -> anyhow::Result<()> {
    let free = idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
    let mut connection = match free {
        Some(connection) => connection,
        None => Connection::open(address).await?,
    };
    let answered = connection.exchange(request).await?;
    anyhow::ensure!(answered == status, "answered {answered}: {}", connection.body());
    idle.lock().unwrap_or_else(PoisonError::into_inner).push(connection);
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::io::{Read as _, Write as _};
    use std::net::TcpListener;

    use super::*;

    #[tokio::test]
    async fn requests_that_wait_behind_another_have_waited() {
        const STOP: Duration = Duration::from_millis(500);
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        // It serves one connection after the other, and stops at the first.
        std::thread::spawn(move || {
            for (number, stream) in listener.incoming().flatten().enumerate() {
                let mut stream = stream;
                let _ = stream.read(&mut [0; 64]);
                std::thread::sleep(if number == 0 { STOP } else { Duration::ZERO });
                let _ = stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n");
            }
        });
        let request: NextRequest = Arc::new(|buffer| buffer.extend_from_slice(b"GET / HTTP/1.1\r\n\r\n"));
        let paced = Paced { address, every: Duration::from_millis(100), requests: vec![request], status: 200 };
        let latencies = paced.run(Duration::from_millis(300)).await.unwrap();
        assert_eq!(latencies.all.len(), 3);
        // The last was due 200 ms after the first: it waited for the rest of the stop.
        assert!(
            latencies.all.iter().all(|latency| *latency >= STOP - Duration::from_millis(200)),
            "{:?}",
            latencies.all
        );
    }
}
