//! `neighbour_p99_ratio`: how much longer a quiet company's reads take at their slowest while one user of another company searches a
//! large catalogue as often as a minute's limits of a user allow, on many connections at once.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::Duration;

use serde_json::{Value as Json, json};

use crate::bench::Bench;
use crate::child::Server;
use crate::company::{Client, Company, id};
use crate::load::Load;
use crate::report::Target;
use crate::rounds::median;

/// Products of the noisy company's catalogue, and how many go in at once.
const PRODUCTS: usize = 60_000;
const QUICK: usize = 20_000;
const AT_ONCE: usize = 500;
/// Requests of a user in a minute, of all companies together.
const REQUESTS: usize = 1_800;
const NOISY_CONNECTIONS: usize = 16;

/// `suffix`: of the figures' names; empty, or `_sqlite`.
pub async fn measure(bench: &mut Bench, company: &Company, service: &Server, suffix: &str) -> anyhow::Result<()> {
    let noisy = Company { token: bench.token_of("noisy@example.test")?, ..company.clone() };
    let mut client = Client::new(service.address, &noisy.token).await?;
    let made = json!({ "name": "Noisy", "currencyCode": "EUR", "withDefaults": true });
    let made = client.post("/v1/onboarding/companies", &made).await?;
    let noisy = Company { tenant: id(&made["tenantId"])?, ..noisy };
    let products = if bench.rounds.count < 5 { QUICK } else { PRODUCTS };
    for batch in 0..products / AT_ONCE {
        let product = |nth: usize| {
            let number = batch * AT_ONCE + nth;
            let variants = [json!({ "sku": format!("NOISE-{number}") })];
            json!({ "name": format!("Article {number}"), "productType": "GOOD", "unitOfMeasure": "UNIT", "variants": variants })
        };
        let products: Vec<Json> = (0..AT_ONCE).map(product).collect();
        client.post(&noisy.path("catalog/imports"), &json!({ "products": products })).await?;
    }
    let quiet = Load { address: service.address, connections: 1, request: company.reads(), statuses: &[200] };
    let (mut before, mut during, mut rates) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..bench.rounds.count {
        before.push(quiet.run(bench.rounds.time * 2).await?.percentile(0.99));
        let sent = AtomicUsize::new(0);
        let path = noisy.path("catalog/products?text=zzzz");
        let searches = Load {
            address: service.address,
            connections: NOISY_CONNECTIONS,
            // A caller with no permits left asks for a path that costs nothing.
            request: {
                let (search, rest) = (noisy.get_request(&path), noisy.get_request("/v1/health"));
                Arc::new(move |buffer| {
                    let is_search = sent.fetch_add(1, Relaxed) < REQUESTS;
                    buffer.extend_from_slice(if is_search { &search } else { &rest });
                })
            },
            statuses: &[200],
        };
        let time = bench.rounds.time * 2;
        let begin = async {
            // They are all there when the quiet one begins.
            tokio::time::sleep(Duration::from_millis(100)).await;
            quiet.run(time - Duration::from_millis(200)).await
        };
        let (noise, run) = tokio::join!(searches.run(time), begin);
        rates.push(noise?.per_second);
        during.push(run?.percentile(0.99));
    }
    let (before, during) = (median(before), median(during));
    let report = &mut bench.report;
    report.add(format!("neighbour_quiet_p99_us{suffix}"), before, "reads of one company alone on the host");
    report.add(
        format!("neighbour_noisy_p99_us{suffix}"),
        during,
        "the same beside one user who searches another's catalogue",
    );
    report.add(
        format!("neighbour_searches_per_s{suffix}"),
        median(rates),
        format!("over {products} products, 16 connections"),
    );
    report.judge(
        &format!("neighbour_p99_ratio{suffix}"),
        during / before,
        Target::AtMost(3.0),
        "p99 of a quiet company's reads beside one user at the limit of the limits, to that without",
    );
    Ok(())
}
