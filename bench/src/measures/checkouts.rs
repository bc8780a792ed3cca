//! `checkout_vs_limit_pg`: orders of ten lines drafted, confirmed and checked out in cash at one register, over those of pgbench,
//! which runs the statements of the three requests in the same messages and so writes the same rows. One after the
//! other on both sides: each checkout raises the version of its session, and a script can count for only one client.

use std::time::{Duration, Instant};

use anyhow::Context as _;
use serde_json::Value as Json;

use super::documents::{Till, collect, open_till};
use crate::bench::Bench;
use crate::capture::{Exchange, Pattern, Proxy};
use crate::child::Server;
use crate::company::{Client, Company, id};
use crate::limit::Limit;
use crate::postgres::Database;
use crate::rounds::{median, ratio};
use crate::sales::Sales;

/// The least that a round takes: pgbench prepares some hundred statements in it.
const ROUND: Duration = Duration::from_secs(4);
/// Checkouts before anything is taken down: the connection has prepared its statements then.
const WARM: usize = 50;
/// Recordings that may differ before the benchmark gives up.
const TRIES: usize = 5;

pub async fn measure_against_pgbench(
    bench: &mut Bench,
    database: &Database,
    company: &Company,
    service: &Server,
) -> anyhow::Result<()> {
    let (pattern, recorded) = record_pattern(bench, database, company).await?;
    for (number, line) in pattern.outline().iter().enumerate() {
        bench.report.note(format!("checkout {}: {line}", number + 1));
    }
    let limited = company.sales(service.address).await?;
    let limit = Limit::write(bench, database, "checkout", &pattern, limited.picks())?;
    let sales = company.sales(service.address).await?;
    let mut client = Client::new(service.address, &company.token).await?;
    let mut till = open_till(company, &mut client, &sales).await?;
    let time = bench.rounds.time.max(ROUND);
    let (mut real, mut limits) = (Vec::new(), Vec::new());
    for round in 0..=bench.rounds.count {
        let sold = sell_for(company, &mut client, &sales, &mut till, time).await?;
        let limited = run_limit(company, &mut client, &limit, &recorded, time).await?;
        // In the first every connection prepares its statements.
        if round > 0 {
            real.push(sold);
            limits.push(limited);
        }
    }
    let report = &mut bench.report;
    let what = "orders drafted, confirmed and checked out over pgbench with the same statements, one connection";
    report.add("checkout_vs_limit_pg", ratio(&real, &limits), what);
    report.add("checkout_alone_per_s", median(real), "1 connection, with books");
    report.add("checkout_alone_limit_pg_per_s", median(limits), "pgbench, 1 client");
    Ok(())
}

/// Orders per second of pgbench in the recorded session.
async fn run_limit(
    company: &Company,
    client: &mut Client,
    limit: &Limit<'_>,
    recorded: &Till,
    time: Duration,
) -> anyhow::Result<f64> {
    let path = company.path(&format!("pos/sessions/{}", recorded.session));
    let before = client.get(&path).await?["version"].as_i64().context("a version")?;
    let rate = limit.run_with(&[format!("version={before}")], 1, time).await?;
    let after = client.get(&path).await?["version"].as_i64().context("a version")?;
    // A script whose versions were wrong would find no row, and say nothing.
    let wanted = rate * time.as_secs_f64() / 2.0;
    anyhow::ensure!((after - before) as f64 > wanted, "pgbench raised version {before} to {after} by itself");
    Ok(rate)
}

async fn sell_for(
    company: &Company,
    client: &mut Client,
    sales: &Sales,
    till: &mut Till,
    time: Duration,
) -> anyhow::Result<f64> {
    let (begin, mut count) = (Instant::now(), 0_u32);
    while begin.elapsed() < time {
        sell(company, client, &sales.next(), till).await?;
        count += 1;
    }
    Ok(f64::from(count) / begin.elapsed().as_secs_f64())
}

/// Drafts an order, confirms it and checks it out: its number.
async fn sell(company: &Company, client: &mut Client, order: &Json, till: &mut Till) -> anyhow::Result<String> {
    let draft = company.draft_and_confirm(client, order).await?;
    collect(company, client, id(&draft["id"])?, till).await?;
    Ok(draft["number"].as_str().unwrap_or_default().to_owned())
}

/// Records the statements of the three requests, and the session that they were in.
async fn record_pattern(bench: &Bench, database: &Database, company: &Company) -> anyhow::Result<(Pattern, Till)> {
    let proxy = Proxy::start(database.address.clone()).await?;
    let (server, _) = bench.stoa(&database.through(proxy.address), 1).await?;
    let sales = company.sales(server.address).await?;
    let mut client = Client::new(server.address, &company.token).await?;
    let mut till = open_till(company, &mut client, &sales).await?;
    for _ in 0..WARM {
        sell(company, &mut client, &sales.next(), &mut till).await?;
    }
    let mut pattern = record_three(company, &mut client, &sales, &mut till, &proxy).await?;
    // The host's own statements may come in between; then the recordings differ.
    for _ in 0..TRIES {
        if pattern.is_ok() {
            break;
        }
        pattern = record_three(company, &mut client, &sales, &mut till, &proxy).await?;
    }
    server.stop().await?;
    Ok((pattern?, till))
}

/// Records three checkouts; what they have in common, or how they differ.
async fn record_three(
    company: &Company,
    client: &mut Client,
    sales: &Sales,
    till: &mut Till,
    proxy: &Proxy,
) -> anyhow::Result<anyhow::Result<Pattern>> {
    let first = till.version;
    let mut recordings: Vec<Vec<Exchange>> = Vec::new();
    let mut numbers = Vec::new();
    for group in [0, 0, 1] {
        tokio::time::sleep(Duration::from_millis(100)).await;
        let order = sales.order(sales.lines_of(group));
        proxy.record();
        numbers.push(sell(company, client, &order, till).await?);
        tokio::time::sleep(Duration::from_millis(100)).await;
        recordings.push(proxy.stop_recording());
    }
    let recordings: [Vec<Exchange>; 3] =
        recordings.try_into().map_err(|_| anyhow::anyhow!("three checkouts were recorded"))?;
    let number = numbers.get(1).context("a number")?;
    Ok(Pattern::of_checkouts(sales.lines_of(0), number, first + 1, recordings))
}
