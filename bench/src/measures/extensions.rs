//! `extension_*`: processor time of a resolved price without an extension, and how much more it takes with one
//! extension of its point and with a second one. The first is the example `group-prices`, which finds one rule of one
//! member; the second is the suite's guest `extender`, which reads one row as well. Without a customer `group-prices`
//! reads nothing: that is the cost of the point itself.

use std::net::SocketAddr;
use std::sync::Arc;

use anyhow::Context as _;
use serde_json::{Value as Json, json};
use uuid::Uuid;

use super::swaps::push;
use crate::bench::Bench;
use crate::child::Server;
use crate::company::{Client, Company, id, write_request};
use crate::load::{Load, NextRequest};
use crate::report::Target;
use crate::rounds::median;

const CONNECTIONS: usize = 16;
/// Microseconds of an extension in a request, at most.
const MOST: f64 = 60.0;
/// Codes of changes that an operator consents to for the two.
const CONSENT: &[&str] = &["POINT_EXTENDED", "EVENT_RECEIVED", "TIMER_ADDED"];

/// `name`: "pg" or "sqlite". `operators`: the private listener.
pub async fn measure(
    bench: &mut Bench,
    name: &str,
    company: &Company,
    (service, operators): (&Server, SocketAddr),
) -> anyhow::Result<()> {
    let token = std::fs::read_to_string(bench.data().join("operator.token")).context("no operator's token")?;
    let mut console = Client::new(operators, token.trim()).await?;
    let extensions = [
        push(bench, &bench.examples.join("group-prices.wasm"), operators).await?,
        push(bench, &bench.guests.join("extender.wasm"), operators).await?,
    ];
    let customer = Uuid::now_v7();
    for digest in &extensions {
        activate(&mut console, digest).await?;
    }
    let mut client = Client::new(service.address, &company.token).await?;
    write_rules(&mut client, company, customer).await?;
    let path = publish_price(&mut client, company).await?;
    check_price(&mut client, &format!("{path}?customerId={customer}")).await?;

    let load = |path: String| Load {
        address: service.address,
        connections: CONNECTIONS,
        request: resolve(company, path),
        statuses: &[200],
    };
    let (anonymous, known) = (load(path.clone()), load(format!("{path}?customerId={customer}")));
    let mut processor = [const { Vec::new() }; 5];
    for _ in 0..bench.rounds.count {
        deactivate(&mut console).await?;
        let phases = [(None, &anonymous), (None, &known), (Some(0), &anonymous), (None, &known), (Some(1), &known)];
        for (times, (activated, load)) in processor.iter_mut().zip(phases) {
            if let Some(digest) = activated.and_then(|number: usize| extensions.get(number)) {
                activate(&mut console, digest).await?;
            }
            // The first requests after a switch prepare their statements on each connection.
            load.run(bench.rounds.time).await?;
            let before = service.processor_seconds();
            let run = load.run(bench.rounds.time).await?;
            times.push((service.processor_seconds() - before) * 1e6 / run.count() as f64);
        }
    }
    // The measures from here on run without extensions.
    deactivate(&mut console).await?;
    let [anonymous, none, point, one, two] = processor.map(median);
    let report = &mut bench.report;
    report.add(format!("extension_none_processor_us_{name}"), none, "GET resolve without an extension, per request");
    let (bare, first, second) = (point - anonymous, one - none, two - one);
    let most = Target::AtMost(MOST);
    report.judge(&format!("extension_point_processor_us_{name}"), bare, most, "more with group-prices and no customer");
    report.judge(&format!("extension_one_processor_us_{name}"), first, most, "more with the example group-prices");
    report.judge(&format!("extension_two_processor_us_{name}"), second, most, "more again with a second extension");
    Ok(())
}

async fn deactivate(console: &mut Client) -> anyhow::Result<()> {
    for module in ["group-prices", "extender-a"] {
        console.post(&format!("/operator/modules/{module}/deactivate"), &json!({})).await?;
    }
    Ok(())
}

async fn activate(console: &mut Client, digest: &str) -> anyhow::Result<()> {
    let path = format!("/operator/modules/{digest}/activate");
    console.post(&path, &json!({ "allow": CONSENT, "again": true })).await.map(drop)
}

/// The customer's group gets a tenth off, and the other extension takes off one.
async fn write_rules(client: &mut Client, company: &Company, customer: Uuid) -> anyhow::Result<()> {
    let member = company.path(&format!("group-prices/members/{customer}"));
    client.put(&member, &json!({ "groupCode": "GOLD" })).await?;
    let rules = json!({ "rules": [{ "percent": "10" }] });
    client.put(&company.path("group-prices/rules/GOLD"), &rules).await?;
    let rule = json!({ "point": "price-adjustment", "rule": "off 1" });
    client.post(&company.path("extender-a/rules"), &rule).await.map(drop)
}

/// A price in effect: the path that resolves it.
async fn publish_price(client: &mut Client, company: &Company) -> anyhow::Result<String> {
    let code = format!("E{}", Uuid::new_v4().simple());
    let code = code.get(..20).unwrap_or_default();
    let list = json!({ "code": code, "name": code, "currencyCode": "EUR", "visibility": "PUBLIC" });
    let list = id(&client.post(&company.path("pricing/price-lists"), &list).await?["id"])?;
    let variant = company.variants.first().context("no variant")?;
    let price = json!({ "variantId": variant, "currencyCode": "EUR", "amount": "100" });
    client.post(&company.path(&format!("pricing/price-lists/{list}/prices")), &price).await?;
    Ok(company.path(&format!("pricing/price-lists/{list}/resolve/{variant}")))
}

/// Both extensions act, each once.
async fn check_price(client: &mut Client, path: &str) -> anyhow::Result<()> {
    let price: Json = client.get(path).await?;
    anyhow::ensure!(price["amount"] == "89.000000", "two extensions make of 100: {price}");
    Ok(())
}

fn resolve(company: &Company, path: String) -> NextRequest {
    let token = company.token.clone();
    Arc::new(move |buffer| write_request(buffer, "GET", &path, &token, None))
}
