//! `feed_*`: a shop's nightly file, which `stoa import` brings in: the first time, again as it is, and with another
//! name and another price on one line of a hundred.

use std::net::SocketAddr;
use std::path::Path;
use std::time::Instant;

use anyhow::Context as _;
use serde_json::{Value as Json, json};
use uuid::Uuid;

use crate::bench::{Bench, clean, metric, read_metrics};
use crate::child::Server;
use crate::company::{Client, id};

/// Products of the file, each with one variant and one price.
const PRODUCTS: usize = 20_000;
const CHANGED: usize = 100;
/// The operations that write products and prices.
const WRITES: &[&str] = &["importProducts", "schedulePrices", "replaceProduct", "replaceVariant", "createVariant"];

/// The imports: name, the night of the file, and what is imported.
const RUNS: [(&str, usize, &str); 3] = [
    ("first", 0, "a file of products with a variant and a price each, into an empty company"),
    ("unchanged", 0, "the same file again"),
    ("changed", 1, "the file with another name and another price on one line of a hundred"),
];

/// `operators`: the private listener. `suffix`: the end of the figures' names; empty, or `_sqlite`.
pub async fn measure(bench: &mut Bench, service: &Server, operators: SocketAddr, suffix: &str) -> anyhow::Result<()> {
    let products = bench.rounds.repeats(PRODUCTS);
    let mut client = Client::new(service.address, &bench.token).await?;
    let company = json!({ "name": "Feed", "currencyCode": "EUR", "withDefaults": true });
    let tenant = id(&client.post("/v1/onboarding/companies", &company).await?["tenantId"])?;
    let file = bench.file(&format!("feed{suffix}.csv"));
    for (run, night, meaning) in RUNS {
        std::fs::write(&file, write_feed(products, night))?;
        let (writes, requests) = (count_writes(operators).await?, metric(operators, "stoa_requests_total").await?);
        let began = Instant::now();
        let outcome = import(bench, service.address, tenant, &file).await?;
        let seconds = began.elapsed().as_secs_f64();
        let writes = count_writes(operators).await? - writes;
        let requests = metric(operators, "stoa_requests_total").await? - requests;
        let count = |name: &str| outcome[name].as_u64().and_then(|count| usize::try_from(count).ok());
        let found = ["products", "prices", "changed", "unchanged"].map(count);
        let part = products / CHANGED;
        let expected = match run {
            "first" => [products, products, 0, 0],
            "unchanged" => [0, 0, 0, 2 * products],
            _ => [0, part, part, 2 * (products - part)],
        };
        anyhow::ensure!(found == expected.map(Some), "the {run} import ended with {outcome}");
        let report = &mut bench.report;
        report.add(format!("feed_{run}_s{suffix}"), seconds, format!("{products} lines: {meaning}"));
        report.add(
            format!("feed_{run}_writes{suffix}"),
            writes,
            format!("writes of that import, of {requests} requests"),
        );
    }
    Ok(())
}

/// A file whose names and prices change with the night on one line of a hundred.
fn write_feed(products: usize, night: usize) -> String {
    let mut csv = String::from("name,sku,publicationStatus,price:BASE\n");
    for n in 0..products {
        let night = if n % CHANGED == 0 { night } else { 0 };
        csv.push_str(&format!("Product {n} of night {night},FEED-{n},PUBLISHED,{}.50\n", night + 1));
    }
    csv
}

/// The outcome of `stoa import`.
async fn import(bench: &Bench, service: SocketAddr, tenant: Uuid, file: &Path) -> anyhow::Result<Json> {
    let mut command = clean(&bench.binary);
    command.arg("import").arg(file).args(["--json", "--url", &format!("http://{service}")]);
    command.args(["--token", &bench.token, "--tenant", &tenant.to_string()]).kill_on_drop(true);
    let output = command.output().await.with_context(|| format!("cannot start {command:?}"))?;
    anyhow::ensure!(output.status.success(), "the import ended: {}", String::from_utf8_lossy(&output.stderr));
    Ok(serde_json::from_slice(&output.stdout)?)
}

/// How many writes of products and prices the host has answered.
async fn count_writes(operators: SocketAddr) -> anyhow::Result<f64> {
    Ok(sum_writes(&read_metrics(operators).await?))
}

fn sum_writes(metrics: &str) -> f64 {
    let lines = metrics.lines().filter_map(|line| line.strip_prefix("stoa_requests_total{"));
    let writes = lines.filter(|line| WRITES.iter().any(|write| line.contains(&format!("operation=\"{write}\""))));
    writes.filter_map(|line| line.rsplit(' ').next()?.parse::<f64>().ok()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_line_of_a_hundred_changes() {
        let [before, after] = [0, 1].map(|night| write_feed(1_000, night));
        let changed = before.lines().zip(after.lines()).filter(|(before, after)| before != after).count();
        assert_eq!((before.lines().count(), changed), (1_001, 10));
    }

    #[test]
    fn writes_are_counted_and_reads_are_not() {
        let metrics = "stoa_requests_total{operation=\"importProducts\",status=\"201\"} 40\n\
            stoa_requests_total{operation=\"listVariants\",status=\"200\"} 200\n\
            stoa_requests_total{operation=\"schedulePrices\",status=\"409\"} 2\n\
            stoa_request_seconds_count{operation=\"importProducts\"} 7\n";
        assert_eq!(sum_writes(metrics) as u64, 42);
    }
}
