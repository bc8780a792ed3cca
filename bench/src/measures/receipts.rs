//! `receipt_100_units_ms`: what a goods receipt takes that creates a hundred serial units, in a company that keeps
//! books: the most that one receipt may bring. On one connection, each receipt on an order of its own that is made and
//! approved untimed.

use std::time::Instant;

use crate::bench::Bench;
use crate::child::Server;
use crate::company::{Client, Company, Purchases};
use crate::rounds::median;

/// Receipts of a round, and those before anything is timed.
const RECEIPTS: usize = 10;
const WARM: usize = 5;

/// `suffix`: the end of the figure's name; empty, or `_sqlite`.
pub async fn measure(bench: &mut Bench, company: &Company, service: &Server, suffix: &str) -> anyhow::Result<()> {
    let purchases = company.purchases(service.address).await?;
    let mut client = Client::new(service.address, &company.token).await?;
    for _ in 0..WARM {
        receive(&mut client, company, &purchases).await?;
    }
    let mut times = Vec::new();
    for _ in 0..bench.rounds.count * RECEIPTS {
        times.push(receive(&mut client, company, &purchases).await?);
    }
    bench.report.add(
        format!("receipt_100_units_ms{suffix}"),
        median(times),
        "a goods receipt of 100 serial units, with books",
    );
    Ok(())
}

/// Milliseconds of one receipt.
async fn receive(client: &mut Client, company: &Company, purchases: &Purchases) -> anyhow::Result<f64> {
    let (path, body) = company.place_order(client, purchases).await?;
    let begin = Instant::now();
    client.post(&path, &body).await?;
    Ok(begin.elapsed().as_secs_f64() * 1e3)
}
