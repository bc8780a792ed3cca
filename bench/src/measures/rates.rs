//! `rate_*`: requests per second at 1, 8 and 32 connections; on PostgreSQL also over the transactions per second of
//! pgbench with as many clients, which says the same to the same server.

use crate::bench::Bench;
use crate::limit::Limit;
use crate::load::Load;
use crate::rounds::{median, ratio};

const CONNECTIONS: [usize; 3] = [1, 8, 32];

/// `name`: the operation and the database, as in `read_pg`.
pub async fn measure(bench: &mut Bench, name: &str, load: Load, limit: Option<&Limit<'_>>) -> anyhow::Result<()> {
    for connections in CONNECTIONS {
        let load = Load { connections, ..load.clone() };
        load.run(bench.rounds.time / 2).await?;
        let (mut real, mut limits) = (Vec::new(), Vec::new());
        for _ in 0..bench.rounds.count.div_ceil(3) {
            real.push(load.run(bench.rounds.time).await?.per_second);
            if let Some(limit) = limit {
                limits.push(limit.run(connections, bench.rounds.time).await?);
            }
        }
        let report = &mut bench.report;
        let figure = format!("rate_{name}_{connections}");
        report.add(&figure, median(real.iter().copied()), format!("requests/s at {connections} connections"));
        if limit.is_some() {
            report.add(format!("{figure}_vs_pgbench"), ratio(&real, &limits), "over pgbench with as many clients");
        }
    }
    Ok(())
}
