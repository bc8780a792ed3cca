//! `swap_p99_ratio`: the slowest hundredth of a mixed load at 32 connections while modules swap, over the same load in quiet;
//! `activation_ms` and `rollback_ms`: how long an operator waits for one. A request that fails ends the benchmark.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::{Duration, Instant};

use anyhow::Context as _;
use serde_json::json;
use tokio::process::Command;

use crate::bench::Bench;
use crate::child::Server;
use crate::company::{Client, Company};
use crate::load::{Load, NextRequest, Run};
use crate::report::Target;
use crate::rounds::{median, ratio};

const CONNECTIONS: usize = 32;
/// The module that is swapped: writes go through it, and it calls another.
const MODULE: &str = "pricing";
/// Between two swaps.
const PAUSE: Duration = Duration::from_millis(100);

/// `name`: "pg" or "sqlite". `operators`: the private listener.
pub async fn measure(
    bench: &mut Bench,
    name: &str,
    company: &Company,
    service: &Server,
    operators: SocketAddr,
) -> anyhow::Result<()> {
    let token = std::fs::read_to_string(bench.data().join("operator.token")).context("no operator's token")?;
    let mut console = Client::new(operators, token.trim()).await?;
    let original = bench.modules.join(format!("{MODULE}.wasm"));
    let twin = bench.file("twin.wasm");
    std::fs::write(&twin, with_other_bytes(std::fs::read(&original)?))?;
    let twin = push(bench, &twin, operators).await?;

    let prices = company.prices(service.address).await?;
    let load = Load {
        address: service.address,
        connections: CONNECTIONS,
        request: mix(company.reads(), company.writes(prices)),
        statuses: &[200, 201],
    };
    load.run(bench.rounds.time).await?;
    let (mut quiet, mut swapping, mut activations, mut rollbacks) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for _ in 0..bench.rounds.count {
        quiet.push(load.run(bench.rounds.time).await?);
        let end = Instant::now() + bench.rounds.time;
        let swaps = async {
            while Instant::now() + PAUSE < end {
                let begin = Instant::now();
                let path = format!("/operator/modules/{twin}/activate");
                let activated = console.post(&path, &json!({ "again": true })).await?;
                activations.push(begin.elapsed().as_secs_f64() * 1e3);
                tokio::time::sleep(PAUSE).await;
                let begin = Instant::now();
                let before = activated["generation"].as_u64().context("a generation")? - 1;
                console.post(&format!("/operator/generations/{before}/activate"), &json!({})).await?;
                rollbacks.push(begin.elapsed().as_secs_f64() * 1e3);
                tokio::time::sleep(PAUSE).await;
            }
            Ok::<(), anyhow::Error>(())
        };
        let (run, swapped) = tokio::join!(load.run(bench.rounds.time), swaps);
        swapped?;
        swapping.push(run?);
    }
    let p99 = |runs: &[Run]| runs.iter().map(|run| run.percentile(0.99)).collect::<Vec<_>>();
    let swaps = activations.len() + rollbacks.len();
    let report = &mut bench.report;
    let (before, during) = (p99(&quiet), p99(&swapping));
    report.judge(
        &format!("swap_p99_ratio_{name}"),
        ratio(&during, &before),
        Target::AtMost(2.0),
        format!("p99 of a mixed load at {CONNECTIONS} connections during {swaps} swaps over quiet"),
    );
    report.add(format!("swap_failed_{name}"), 0.0, "requests that failed: one would have ended the benchmark");
    report.add(format!("swap_quiet_p99_us_{name}"), median(before), "without swaps");
    report.add(format!("swap_p99_us_{name}"), median(during), "with a swap every 100 ms");
    report.judge(&format!("activation_ms_{name}"), median(activations), Target::AtMost(1000.0), "under that load");
    report.judge(&format!("rollback_ms_{name}"), median(rollbacks), Target::AtMost(1000.0), "under that load");
    Ok(())
}

/// Three reads to a write.
fn mix(reads: NextRequest, writes: NextRequest) -> NextRequest {
    let requests = AtomicUsize::new(0);
    Arc::new(move |buffer| match requests.fetch_add(1, Relaxed) % 4 {
        0 => writes(buffer),
        _ => reads(buffer),
    })
}

/// The same component under another digest: a custom section that says nothing.
fn with_other_bytes(mut component: Vec<u8>) -> Vec<u8> {
    component.extend([0, 5, 4, b't', b'w', b'i', b'n']);
    component
}

pub(super) async fn push(bench: &Bench, file: &std::path::Path, operators: SocketAddr) -> anyhow::Result<String> {
    let output = Command::new(&bench.binary)
        .args(["module", "push", "--json", "--key"])
        .arg(bench.data().join("dev-signer.key"))
        .arg("--data-dir")
        .arg(bench.data())
        .args(["--operator-url", &format!("http://{operators}")])
        .arg(file)
        .output()
        .await?;
    anyhow::ensure!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let reported: serde_json::Value = serde_json::from_slice(&output.stdout)?;
    Ok(reported["digest"].as_str().context("a digest")?.to_string())
}
