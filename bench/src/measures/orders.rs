//! `order_10_lines_per_s`: orders of ten lines drafted and confirmed per second at 8 connections, in a company that keeps books;
//! `order_10_lines_vs_limit_pg`: over those of pgbench, which runs the statements of both requests in the same messages and so
//! writes the same rows. `order_100_lines_ms`: the time to draft and confirm one of a hundred lines, with no other load.

use std::time::{Duration, Instant};

use anyhow::Context as _;

use crate::bench::Bench;
use crate::capture::{Exchange, Pattern, Proxy};
use crate::child::Server;
use crate::company::{Client, Company};
use crate::limit::Limit;
use crate::load::run_flows;
use crate::postgres::Database;
use crate::rounds::{median, ratio};
use crate::sales::{Sales, VARIANTS};

const CONNECTIONS: usize = 8;
/// The least that a round takes: pgbench prepares some sixty statements for each of its clients in it.
const ROUND: Duration = Duration::from_secs(4);
/// Orders before anything is taken down: every connection has prepared its statements then.
const WARM: usize = 100;
/// Large orders of a round, and those before any is timed.
const LARGE: usize = 10;
const LARGE_WARM: usize = 5;

pub async fn measure_against_pgbench(
    bench: &mut Bench,
    database: &Database,
    company: &Company,
    service: &Server,
) -> anyhow::Result<()> {
    let pattern = record_pattern(bench, database, company).await?;
    for (number, line) in pattern.outline().iter().enumerate() {
        bench.report.note(format!("order {}: {line}", number + 1));
    }
    let limited = company.sales(service.address).await?;
    let limit = Limit::write(bench, database, "order", &pattern, limited.picks())?;
    let sales = company.sales(service.address).await?;
    let time = bench.rounds.time.max(ROUND);
    sell_for(company, service, &sales, time).await?;
    limit.run(CONNECTIONS, time).await?;
    let (mut real, mut limits) = (Vec::new(), Vec::new());
    for _ in 0..bench.rounds.count {
        real.push(sell_for(company, service, &sales, time).await?);
        limits.push(limit.run(CONNECTIONS, time).await?);
    }
    let report = &mut bench.report;
    let what = "orders drafted and confirmed over pgbench with the same statements";
    report.add("order_10_lines_vs_limit_pg", ratio(&real, &limits), what);
    report.add("order_10_lines_per_s", median(real), "8 connections, with books");
    report.add("order_10_lines_limit_pg_per_s", median(limits), "pgbench, 8 clients");
    Ok(())
}

/// `suffix`: the end of the figure's name.
pub async fn measure(bench: &mut Bench, company: &Company, service: &Server, suffix: &str) -> anyhow::Result<()> {
    let sales = company.sales(service.address).await?;
    let time = bench.rounds.time;
    sell_for(company, service, &sales, time).await?;
    let mut real = Vec::new();
    for _ in 0..bench.rounds.count {
        real.push(sell_for(company, service, &sales, time).await?);
    }
    bench.report.add(format!("order_10_lines_per_s{suffix}"), median(real), "8 connections, with books");
    Ok(())
}

/// `suffix`: the end of the figure's name; empty, or `_sqlite`.
pub async fn measure_large(bench: &mut Bench, company: &Company, service: &Server, suffix: &str) -> anyhow::Result<()> {
    let sales = company.sales(service.address).await?;
    let order = sales.order(&sales.variants[..VARIANTS]);
    let mut client = Client::new(service.address, &company.token).await?;
    for _ in 0..LARGE_WARM {
        company.sell(&mut client, &order).await?;
    }
    let mut times = Vec::new();
    for _ in 0..bench.rounds.count * LARGE {
        let begin = Instant::now();
        company.sell(&mut client, &order).await?;
        times.push(begin.elapsed().as_secs_f64() * 1e3);
    }
    let what = "an order of 100 lines drafted and confirmed, with books";
    bench.report.add(format!("order_100_lines_ms{suffix}"), median(times), what);
    Ok(())
}

/// Orders per second of a closed loop on every connection.
async fn sell_for(company: &Company, service: &Server, sales: &Sales, time: Duration) -> anyhow::Result<f64> {
    let sell = async |client: &mut Client, _: &mut ()| company.sell(client, &sales.next()).await.map(drop);
    Ok(run_flows(service.address, &company.token, &mut [(); CONNECTIONS], time, sell).await?.per_second)
}

/// Records the statements of drafting and confirming an order.
async fn record_pattern(bench: &Bench, database: &Database, company: &Company) -> anyhow::Result<Pattern> {
    let proxy = Proxy::start(database.address.clone()).await?;
    let (server, _) = bench.stoa(&database.through(proxy.address), 1).await?;
    let sales = company.sales(server.address).await?;
    let mut client = Client::new(server.address, &company.token).await?;
    for _ in 0..WARM {
        company.sell(&mut client, &sales.next()).await?;
    }
    let mut recordings: Vec<Vec<Exchange>> = Vec::new();
    let mut numbers = Vec::new();
    for group in [0, 0, 1] {
        tokio::time::sleep(Duration::from_millis(100)).await;
        let order = sales.order(sales.lines_of(group));
        proxy.record();
        numbers.push(company.sell(&mut client, &order).await?);
        tokio::time::sleep(Duration::from_millis(100)).await;
        recordings.push(proxy.stop_recording());
    }
    server.stop().await?;
    let recordings: [Vec<Exchange>; 3] =
        recordings.try_into().map_err(|_| anyhow::anyhow!("three orders were recorded"))?;
    Pattern::of_orders(sales.lines_of(0), numbers.get(1).context("a number")?, recordings)
}
