//! `read_vs_native_*`: GET product with authorization at 16 connections: requests per second of the real service over those of
//! the bare handler (see `bare`).

use std::net::SocketAddr;
use std::path::Path;

use super::rates;
use crate::bench::Bench;
use crate::capture::Pattern;
use crate::child::Server;
use crate::company::Company;
use crate::limit::Limit;
use crate::load::{Load, Side};
use crate::report::Target;
use crate::rounds::{median, ratio};

const CONNECTIONS: usize = 16;

/// `database`: "pg" or "sqlite". `limit`: pgbench with the same statements.
#[allow(clippy::too_many_arguments, reason = "two sides, and what they are called and held against")]
pub async fn measure(
    bench: &mut Bench,
    database: &str,
    url: &str,
    company: &Company,
    service: &Server,
    pattern: &Pattern,
    target: f64,
    limit: Option<&Limit<'_>>,
) -> anyhow::Result<()> {
    let file = bench.file(&format!("read-{database}.json"));
    std::fs::write(&file, serde_json::to_vec(pattern)?)?;
    let bare = bench.bare(url, Path::new(&file)).await?;
    let load =
        |address: SocketAddr| Load { address, connections: CONNECTIONS, request: company.reads(), statuses: &[200] };
    let loads = [load(service.address), load(bare.address)];
    for load in &loads {
        load.run(bench.rounds.time).await?;
    }
    let (mut sides, mut processor) = ([Side::default(), Side::default()], [Vec::new(), Vec::new()]);
    for _ in 0..bench.rounds.count {
        for (nth, server) in [service, &bare].into_iter().enumerate() {
            let before = server.processor_seconds();
            let run = loads[nth].run(bench.rounds.time).await?;
            processor[nth].push((server.processor_seconds() - before) * 1e6 / run.count() as f64);
            sides[nth].push(run);
        }
    }
    let [real, native] = &sides;
    let value = ratio(&real.per_second(), &native.per_second());
    let report = &mut bench.report;
    report.judge(
        &format!("read_vs_native_{database}"),
        value,
        Target::AtLeast(target),
        "requests/s of GET product over bare axum",
    );
    real.tell(report, &format!("read_{database}"), "GET product, 16 connections");
    native.tell(report, &format!("read_native_{database}"), "the bare handler");
    let [real, native] = processor.map(median);
    report.add(format!("read_{database}_processor_us"), real, "of the service's process, per request");
    report.add(format!("read_native_{database}_processor_us"), native, "of the bare handler's");
    bare.stop().await?;
    let [service, _] = loads;
    rates::measure(bench, &format!("read_{database}"), service, limit).await
}
