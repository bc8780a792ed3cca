//! `wasm_tax_write_pg`: median latency of a price write at 8 connections with modules as components, over that with the same
//! crates linked into the host (see `native`). Both are this program, with the same pools, on the same database.

use crate::bench::Bench;
use crate::company::Company;
use crate::load::{Load, Side};
use crate::report::Target;
use crate::rounds::{median, ratio};

const CONNECTIONS: usize = 8;

pub async fn measure(bench: &mut Bench, url: &str, company: &Company) -> anyhow::Result<()> {
    let servers = [bench.own_host(url, &[]).await?, bench.own_host(url, &["--native"]).await?];
    let mut loads = Vec::new();
    for server in &servers {
        let prices = company.prices(server.address).await?;
        loads.push(Load {
            address: server.address,
            connections: CONNECTIONS,
            request: company.writes(prices),
            statuses: &[201],
        });
    }
    for load in &loads {
        load.run(bench.rounds.time).await?;
    }
    let (mut sides, mut processor) = ([Side::default(), Side::default()], [Vec::new(), Vec::new()]);
    for _ in 0..bench.rounds.count {
        for (nth, load) in loads.iter().enumerate() {
            let before = servers[nth].processor_seconds();
            let run = load.run(bench.rounds.time).await?;
            processor[nth].push((servers[nth].processor_seconds() - before) * 1e6 / run.count() as f64);
            sides[nth].push(run);
        }
    }
    let [components, native] = &sides;
    let report = &mut bench.report;
    let value = ratio(&components.p50(), &native.p50());
    report.judge(
        "wasm_tax_write_pg",
        value,
        Target::AtMost(1.15),
        "median latency of a price write, component over native",
    );
    components.tell(report, "write_component_pg", "price writes, 8 connections, modules as components");
    native.tell(report, "write_native_pg", "the same crates linked in");
    let [components, native] = processor.map(median);
    report.add("write_component_pg_processor_us", components, "of the host's process, per request");
    report.add("write_native_pg_processor_us", native, "");
    for server in servers {
        server.stop().await?;
    }
    Ok(())
}
