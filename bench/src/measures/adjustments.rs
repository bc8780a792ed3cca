//! `adjustment_vs_limit_pg`: adjustments per second at 8 connections over those of pgbench, which runs the same statements in
//! the same messages and so writes the same rows; and `hot_stock_row_per_s`: all writers on one row of stock and one pool. The
//! same, `_books`, in a company that keeps books.

use std::time::Duration;

use super::rates;
use crate::bench::Bench;
use crate::capture::{Exchange, Pattern, Proxy};
use crate::child::Server;
use crate::company::{Client, Company, Goods};
use crate::limit::Limit;
use crate::load::{Load, Side};
use crate::postgres::Database;
use crate::rounds::{median, ratio};

const CONNECTIONS: usize = 8;
/// Variants that the adjustments go to in turn: few meet on one.
const VARIANTS: usize = 64;
/// Adjustments before anything is taken down: every connection has prepared its statements then.
const WARM: usize = 200;

/// `suffix`: the end of the figures' names; empty, or `_books`.
pub async fn measure(
    bench: &mut Bench,
    database: &Database,
    company: &Company,
    service: &Server,
    suffix: &str,
) -> anyhow::Result<()> {
    let pattern = record_pattern(bench, database, company).await?;
    bench.report.judge_bound(&format!("statements_adjustment{suffix}"), pattern.exchanges.len() as f64)?;
    for (number, line) in pattern.outline().iter().enumerate() {
        bench.report.note(format!("adjustment{suffix} {}: {line}", number + 1));
    }

    let goods = company.goods(service.address, VARIANTS).await?;
    let limited = company.goods(service.address, VARIANTS).await?;
    let limit = Limit::write(bench, database, &format!("adjustment{suffix}"), &pattern, limited.picks())?;
    let load = |goods| Load {
        address: service.address,
        connections: CONNECTIONS,
        request: company.adjustments(goods),
        statuses: &[201],
    };
    let (spread, hot) = (load(goods), load(company.goods(service.address, 1).await?));
    spread.run(bench.rounds.time).await?;
    limit.run(CONNECTIONS, bench.rounds.time).await?;

    let (mut real, mut one_row, mut limits) = (Side::default(), Side::default(), Vec::new());
    for _ in 0..bench.rounds.count {
        real.push(spread.run(bench.rounds.time).await?);
        limits.push(limit.run(CONNECTIONS, bench.rounds.time).await?);
        one_row.push(hot.run(bench.rounds.time).await?);
    }
    let report = &mut bench.report;
    let value = ratio(&real.per_second(), &limits);
    let figure = |name: &str| format!("{name}{suffix}");
    report.add(figure("adjustment_vs_limit_pg"), value, "adjustments/s over pgbench with the same statements");
    report.add(figure("adjustment_per_s"), median(real.per_second()), "64 variants, 8 connections");
    report.add(figure("adjustment_limit_pg_per_second"), median(limits), "pgbench, 8 clients");
    let what = "adjustments of one variant, 8 connections";
    report.add(figure("hot_stock_row_per_s"), median(one_row.per_second()), what);
    rates::measure(bench, &format!("adjustment{suffix}_pg"), spread, Some(&limit)).await
}

/// Records the statements of an adjustment.
async fn record_pattern(bench: &Bench, database: &Database, company: &Company) -> anyhow::Result<Pattern> {
    let proxy = Proxy::start(database.address.clone()).await?;
    let (server, _) = bench.stoa(&database.through(proxy.address), 1).await?;
    let goods = company.goods(server.address, 2).await?;
    let mut client = Client::new(server.address, &company.token).await?;
    for number in 0..WARM {
        adjust(&mut client, company, &goods, number % 2).await?;
    }
    let mut recordings: Vec<Vec<Exchange>> = Vec::new();
    for variant in [0, 0, 1] {
        tokio::time::sleep(Duration::from_millis(100)).await;
        proxy.record();
        adjust(&mut client, company, &goods, variant).await?;
        tokio::time::sleep(Duration::from_millis(100)).await;
        recordings.push(proxy.stop_recording());
    }
    server.stop().await?;
    let recordings: [Vec<Exchange>; 3] =
        recordings.try_into().map_err(|_| anyhow::anyhow!("three adjustments were recorded"))?;
    Pattern::of_adjustments(goods.variants[0], recordings)
}

async fn adjust(client: &mut Client, company: &Company, goods: &Goods, variant: usize) -> anyhow::Result<()> {
    let (path, body) = company.adjustment_request(goods, goods.variants[variant]);
    client.post(&path, &body).await.map(drop)
}
