//! `idle_p99_ratio`: how much longer `/v1/health` takes at its slowest while ten thousand connections are open that say nothing.

use std::sync::Arc;

use tokio::net::TcpStream;

use crate::bench::Bench;
use crate::load::Load;
use crate::report::Target;
use crate::rounds::median;

const CONNECTIONS: usize = 10_000;
/// Descriptors that this program needs besides.
const KEPT: usize = 1_000;

/// `suffix`: the end of the figures' names; empty, or `_sqlite`.
pub async fn measure(bench: &mut Bench, database: &str, suffix: &str) -> anyhow::Result<()> {
    let most = stoa::http::open_files::raise_limit().saturating_sub(KEPT);
    let wanted = CONNECTIONS.min(most);
    // Behind a trusted proxy one address has no limit of its own; no caller is hurried while the rounds last.
    let variables =
        [("STOA_TRUSTED_PROXIES", "127.0.0.1"), ("STOA_CONNECTIONS", "15000"), ("STOA_CONNECTION_TIMEOUT", "10m")];
    let (service, _) = bench.stoa_with(database, 16, &variables).await?;
    let request = b"GET /v1/health HTTP/1.1\r\nhost: stoa\r\n\r\n";
    let request = Arc::new(|buffer: &mut Vec<u8>| buffer.extend_from_slice(request));
    let load = Load { address: service.address, connections: 1, request, statuses: &[200] };
    let (mut before, mut during) = (Vec::new(), Vec::new());
    for _ in 0..bench.rounds.count {
        before.push(load.run(bench.rounds.time).await?.percentile(0.99));
        let mut idle = Vec::with_capacity(wanted);
        for _ in 0..wanted {
            idle.push(TcpStream::connect(service.address).await?);
        }
        during.push(load.run(bench.rounds.time).await?.percentile(0.99));
    }
    let (before, during) = (median(before), median(during));
    let what = format!("p99 of /v1/health with {wanted} idle connections, to that without");
    bench.report.add(format!("idle_health_p99_us{suffix}"), during, "");
    bench.report.judge(&format!("idle_p99_ratio{suffix}"), during / before, Target::AtMost(3.0), what);
    service.stop().await
}
