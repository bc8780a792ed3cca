//! `write_vs_limit_pg`: price writes per second at 8 connections over those of pgbench with 8 clients, which runs the same
//! statements in the same messages on the same server and does nothing with what they answer.

use super::rates;
use crate::bench::Bench;
use crate::capture::Pattern;
use crate::child::Server;
use crate::company::Company;
use crate::limit::Limit;
use crate::load::{Load, Side};
use crate::postgres::Database;
use crate::report::Target;
use crate::rounds::{median, ratio};

const CONNECTIONS: usize = 8;

pub async fn measure(
    bench: &mut Bench,
    database: &Database,
    company: &Company,
    service: &Server,
    pattern: &Pattern,
) -> anyhow::Result<()> {
    let limit_prices = company.prices(service.address).await?;
    let limit = Limit::write(bench, database, "price-write", pattern, limit_prices.picks())?;
    let prices = company.prices(service.address).await?;
    let load =
        Load { address: service.address, connections: CONNECTIONS, request: company.writes(prices), statuses: &[201] };
    load.run(bench.rounds.time).await?;
    limit.run(CONNECTIONS, bench.rounds.time).await?;

    let (mut real, mut limits) = (Side::default(), Vec::new());
    for _ in 0..bench.rounds.count {
        real.push(load.run(bench.rounds.time).await?);
        limits.push(limit.run(CONNECTIONS, bench.rounds.time).await?);
    }
    let report = &mut bench.report;
    let value = ratio(&real.per_second(), &limits);
    report.judge(
        "write_vs_limit_pg",
        value,
        Target::AtLeast(0.8),
        "price writes/s over pgbench with the same statements",
    );
    real.tell(report, "write_pg", "price writes, 8 connections");
    report.add("write_limit_pg_per_second", median(limits), "pgbench, 8 clients");
    rates::measure(bench, "write_pg", load, Some(&limit)).await
}
