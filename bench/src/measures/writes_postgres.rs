//! `write_vs_limit_pg`: price writes per second at 8 connections over those of pgbench with 8 clients, which runs the same
//! statements in the same messages on the same server and does nothing with what they answer.

use anyhow::Context as _;
use tokio::process::Command;

use crate::bench::Bench;
use crate::capture::{Pattern, pgbench};
use crate::child::Server;
use crate::company::Company;
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
    let script = bench.file("price-write.sql");
    std::fs::write(&script, pgbench::script(pattern, &limit_prices, CONNECTIONS)?)?;
    let prices = company.prices(service.address).await?;
    let load =
        Load { address: service.address, connections: CONNECTIONS, request: company.writes(prices), statuses: &[201] };
    let seconds = bench.rounds.time.as_secs_f64().ceil().max(1.0) as u64;
    load.run(bench.rounds.time).await?;
    limit(database, &script, seconds, 0).await?;

    let (mut real, mut limits) = (Side::default(), Vec::new());
    for round in 1..=bench.rounds.count {
        real.push(load.run(bench.rounds.time).await?);
        limits.push(limit(database, &script, seconds, round).await?);
    }
    let report = &mut bench.report;
    let value = ratio(&real.per_second(), &limits);
    report.judge(
        "write_vs_limit_pg",
        value,
        Target::AtLeast(0.5),
        "price writes/s over pgbench with the same statements",
    );
    real.tell(report, "write_pg", "price writes, 8 connections");
    report.add("write_limit_pg_per_second", median(limits), "pgbench, 8 clients");
    Ok(())
}

/// Transactions per second. Every run numbers its transactions from a place of its own.
pub async fn limit(database: &Database, script: &std::path::Path, seconds: u64, round: usize) -> anyhow::Result<f64> {
    let mut command = Command::new("pgbench");
    command.args(["-n", "-M", "prepared", "-j", "1", "-c", &CONNECTIONS.to_string(), "-T", &seconds.to_string()]);
    command.arg("-D").arg(format!("n={}", round * 100_000)).arg("-f").arg(script).arg(&database.url);
    let output = command.output().await.context("cannot start pgbench")?;
    let said = String::from_utf8_lossy(&output.stdout);
    let tps = said.lines().find_map(|line| line.strip_prefix("tps = ")?.split_whitespace().next()?.parse().ok());
    match tps {
        Some(tps) if output.status.success() => Ok(tps),
        _ => anyhow::bail!("pgbench failed: {said}{}", String::from_utf8_lossy(&output.stderr)),
    }
}
