//! A load of operations of several requests: a closed loop on every connection, as of single requests.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use super::Run;
use crate::company::Client;

/// Runs for this long, a connection for each of the states. The operation has the connection and its state.
pub async fn run_flows<S, F>(
    address: SocketAddr,
    token: &str,
    states: &mut [S],
    time: Duration,
    operation: F,
) -> anyhow::Result<Run>
where
    F: AsyncFn(&mut Client, &mut S) -> anyhow::Result<()>,
{
    let mut clients = Vec::with_capacity(states.len());
    for _ in 0..states.len() {
        clients.push(Client::new(address, token).await?);
    }
    let (begin, operation) = (Instant::now(), &operation);
    let loops = clients.into_iter().zip(states).map(|(mut client, state)| async move {
        let mut latencies = Vec::new();
        while begin.elapsed() < time {
            let started = Instant::now();
            operation(&mut client, state).await?;
            latencies.push(started.elapsed());
        }
        anyhow::Ok(latencies)
    });
    let latencies = futures_util::future::try_join_all(loops).await?.concat();
    Ok(Run::new(latencies, begin.elapsed()))
}
