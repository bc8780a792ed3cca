//! `neighbour_*`: how long quiet companies wait on a host with the default limits, by themselves and while one user of
//! other companies attacks it by lawful requests.
//!
//! The quiet ones read and write at a fixed rate, and an attack is a process of its own. The latencies of all rounds of
//! an attack are judged together, and so are those of the quiet time before each.

use std::process::Stdio;
use std::time::Duration;

use anyhow::Context as _;
use serde_json::{Value as Json, json};
use tokio::process::{Child, Command};
use uuid::Uuid;

use crate::attack::{self, Attack, IMPORTED};
use crate::bench::Bench;
use crate::child::Server;
use crate::company::{Client, Company, id};
use crate::load::{Latencies, NextRequest, Paced};
use crate::parts::Parts;
use crate::report::Target;

/// The longest wait of others, relative to the quiet time.
const MOST: f64 = 3.0;
/// Each of the quiet ones has a user, so that no user reaches a limit.
const QUIET: usize = 3;
/// A read and a write of the quiet companies.
const EVERY: Duration = Duration::from_millis(100);
/// Companies of an attacker, and the products of each: a search reads at most 10,000.
const COMPANIES: usize = 3;
const PRODUCTS: usize = 10_000;
const QUICK: usize = 2_000;
/// Products of the pages that are read slowly, and the characters of each.
const LARGE: usize = 100;
const CHARACTERS: usize = 9_000;
const INVOICES: usize = 50;
/// As many as a company may have.
const ENDPOINTS: usize = 50;
/// An attack begins before the measuring, and ends after it.
const LEAD: Duration = Duration::from_millis(500);
/// The longest wait for the last delivery of an attack.
const PATIENCE: Duration = Duration::from_secs(300);

const ATTACKS: [Attack; 6] =
    [Attack::Searches, Attack::Imports, Attack::Reports, Attack::Answers, Attack::Webhooks, Attack::Everything];

/// The user of one attack, and the companies.
struct Attacker {
    attack: Attack,
    token: String,
    tenants: Vec<Uuid>,
    entities: Vec<Uuid>,
}

/// Reads and writes of the quiet companies.
#[derive(Default)]
struct Waits {
    reads: Latencies,
    writes: Latencies,
}

impl Waits {
    fn add(&mut self, other: Waits) {
        self.reads.add(other.reads);
        self.writes.add(other.writes);
    }

    fn failure(&self) -> Option<&String> {
        self.reads.first_failure.as_ref().or(self.writes.first_failure.as_ref())
    }
}

/// The attacks that a run measures: each is a part.
pub fn choose(parts: &Parts, group: &str) -> Vec<Attack> {
    ATTACKS.into_iter().filter(|attack| parts.has(&format!("{group}/neighbours-{}", attack.name()))).collect()
}

/// `suffix`: the end of the figures' names; empty, or `_sqlite`.
pub async fn measure(bench: &mut Bench, database: &str, suffix: &str, attacks: Vec<Attack>) -> anyhow::Result<()> {
    if attacks.is_empty() {
        return Ok(());
    }
    let limits = [
        ("STOA_USER_REQUESTS_PER_MINUTE", "600"),
        ("STOA_USER_REQUESTS_PER_MINUTE_TOTAL", "1800"),
        ("STOA_TENANT_REQUESTS_PER_MINUTE", "6000"),
    ];
    let (service, _) = bench.stoa_with(database, 16, &limits).await?;
    bench.receivers.open()?;
    let (reads, writes) = quiet(bench, &service).await?;
    let mut attackers = Vec::new();
    for attack in attacks {
        attackers.push(prepare(bench, &service, attack).await?);
    }
    let time = bench.rounds.time * 4;
    measure_quiet(&reads, &writes, time).await?;
    bench.report.note(format!("neighbours{suffix}, others' p50 / p99 in ms:"));
    bench.report.note("| attack | others | quiet | attacked | p99 to quiet |");
    bench.report.note("|---|---|---|---|---|");
    for attacker in &attackers {
        let (mut before, mut during) = (Waits::default(), Waits::default());
        let mut succeeded = 0;
        for _ in 0..bench.rounds.count {
            before.add(measure_quiet(&reads, &writes, time).await?);
            let attack = start(attacker, &service, time + LEAD * 2)?;
            tokio::time::sleep(LEAD).await;
            during.add(measure_quiet(&reads, &writes, time).await?);
            let output = attack.wait_with_output().await?;
            let printed = String::from_utf8_lossy(&output.stdout);
            succeeded += printed.trim().parse::<usize>().with_context(|| format!("the attack failed: {printed}"))?;
            settle(bench, attacker.attack).await;
        }
        // An attack that was rejected as a whole measures nothing.
        anyhow::ensure!(succeeded > 0, "no request of the attack {} succeeded", attacker.attack.name());
        report(bench, attacker.attack, succeeded, &before, &during, suffix);
    }
    service.stop().await
}

/// The loads of the quiet companies: reads of a product, writes of a price.
async fn quiet(bench: &Bench, service: &Server) -> anyhow::Result<(Paced, Paced)> {
    let (mut reads, mut writes): (Vec<NextRequest>, Vec<NextRequest>) = (Vec::new(), Vec::new());
    for number in 0..QUIET {
        let token = bench.token_of(&format!("quiet-{number}@example.test"))?;
        let company = Company::create(service.address, &token).await?;
        reads.push(company.reads());
        writes.push(company.writes(company.prices(service.address).await?));
    }
    let paced = |requests, status| Paced { address: service.address, every: EVERY, requests, status };
    Ok((paced(reads, 200), paced(writes, 201)))
}

async fn measure_quiet(reads: &Paced, writes: &Paced, time: Duration) -> anyhow::Result<Waits> {
    let (reads, writes) = tokio::try_join!(reads.run(time), writes.run(time))?;
    Ok(Waits { reads, writes })
}

/// A user with the companies that the attack uses.
async fn prepare(bench: &Bench, service: &Server, attack: Attack) -> anyhow::Result<Attacker> {
    let token = bench.token_of(&format!("{}@example.test", attack.name()))?;
    let mut attacker = Attacker { attack, token, tenants: Vec::new(), entities: Vec::new() };
    let products = if bench.rounds.count < 5 { QUICK } else { PRODUCTS };
    for number in 0..COMPANIES {
        let company = Company::create_with_books(service.address, &attacker.token).await?;
        let mut client = Client::new(service.address, &attacker.token).await?;
        let imports = company.path("catalog/imports");
        if Attack::Searches.is_in(attack) {
            for _ in 0..products / IMPORTED {
                client.post(&imports, &attack::import(IMPORTED, 0)).await?;
            }
        }
        if Attack::Answers.is_in(attack) {
            client.post(&imports, &attack::import(LARGE, CHARACTERS)).await?;
            let page = client.get(&company.path(attack::LARGE_PAGE)).await?;
            let size = page.to_string().len();
            anyhow::ensure!(size > LARGE * CHARACTERS / 2, "a page of large products has {size} bytes");
        }
        let entities = client.get(&company.path("ledger/legal-entities")).await?;
        let entity = id(&entities["items"][0]["id"])?;
        if Attack::Reports.is_in(attack) {
            issue_invoices(&company, service).await?;
            // The host closes a connection that was silent for long.
            client = Client::new(service.address, &attacker.token).await?;
            for path in attack::report_paths(entity)? {
                client.get(&company.path(&path)).await?;
            }
        }
        if Attack::Webhooks.is_in(attack) && number == 0 {
            add_endpoints(bench, &company, &mut client).await?;
        }
        attacker.tenants.push(company.tenant);
        attacker.entities.push(entity);
    }
    Ok(attacker)
}

/// Something for the reports to sum up.
async fn issue_invoices(company: &Company, service: &Server) -> anyhow::Result<()> {
    let sales = company.sales(service.address).await?;
    let mut client = Client::new(service.address, &company.token).await?;
    for _ in 0..INVOICES {
        let draft = client.post(&company.path("sales/invoices"), &sales.next_invoice()).await?;
        let path = company.path(&format!("sales/invoices/{}/issue", id(&draft["id"])?));
        client.post(&path, &json!({ "expectedVersion": 1 })).await?;
    }
    Ok(())
}

async fn add_endpoints(bench: &Bench, company: &Company, client: &mut Client) -> anyhow::Result<()> {
    let addresses = bench.receivers.addresses()?;
    for number in 0..ENDPOINTS {
        let url = format!("http://{}/{number}", addresses[number % addresses.len()]);
        let name = format!("Bench {number}");
        let body: Json = json!({ "name": name, "url": url, "subscriptions": ["catalog.product.created"] });
        client.post(&company.path("webhooks"), &body).await?;
    }
    Ok(())
}

/// This program as the attacker.
fn start(attacker: &Attacker, service: &Server, time: Duration) -> anyhow::Result<Child> {
    let mut command = Command::new(std::env::current_exe()?);
    command.arg("attack").args(["--address", &service.address.to_string()]);
    command.args(["--attack", attacker.attack.name(), "--token", &attacker.token]);
    command.args(["--seconds", &time.as_secs_f64().to_string()]);
    for (tenant, entity) in attacker.tenants.iter().zip(&attacker.entities) {
        command.args(["--tenants", &tenant.to_string(), "--entities", &entity.to_string()]);
    }
    command.stdin(Stdio::null()).stdout(Stdio::piped()).kill_on_drop(true);
    command.spawn().context("cannot start the attack")
}

/// Waits until no delivery has come for a while: the next quiet time is quiet.
async fn settle(bench: &mut Bench, attack: Attack) {
    // The host sends in batches, between which it may pause.
    let pause = Duration::from_secs(if Attack::Webhooks.is_in(attack) { 10 } else { 1 });
    let begin = tokio::time::Instant::now();
    let mut received = bench.receivers.count();
    loop {
        tokio::time::sleep(pause).await;
        let now = bench.receivers.count();
        if now == received {
            return;
        }
        if begin.elapsed() > PATIENCE {
            let name = attack.name();
            bench.report.note(format!("deliveries of the attack {name} still came after {PATIENCE:?}"));
            return;
        }
        received = now;
    }
}

fn report(bench: &mut Bench, attack: Attack, succeeded: usize, before: &Waits, during: &Waits, suffix: &str) {
    let (name, report) = (attack.name(), &mut bench.report);
    report.add(
        format!("neighbour_{name}_requests{suffix}"),
        succeeded as f64,
        "requests of the attacker that succeeded",
    );
    let sides = [("reads", &before.reads, &during.reads), ("writes", &before.writes, &during.writes)];
    let mut rows = Vec::new();
    for (side, quiet, attacked) in sides {
        let mut figures = Vec::new();
        for (state, latencies) in [("quiet", quiet), ("attacked", attacked)] {
            let (p50, p99) = (latencies.percentile(0.5), latencies.percentile(0.99));
            report.add(format!("neighbour_{name}_{side}_{state}_p50_ms{suffix}"), p50, "");
            report.add(format!("neighbour_{name}_{side}_{state}_p99_ms{suffix}"), p99, "");
            figures.push((p50, p99));
        }
        let [(quiet_p50, quiet_p99), (p50, p99)] = figures[..] else { continue };
        let ratio = p99 / quiet_p99;
        let meaning = format!("p99 of others' {side} during the attack, to that of the quiet time before");
        report.judge(&format!("neighbour_{name}_{side}_p99_ratio{suffix}"), ratio, Target::AtMost(MOST), meaning);
        let mark = if ratio > MOST { " (above 3)" } else { "" };
        rows.push(format!(
            "| {name} | {side} | {quiet_p50:.1} / {quiet_p99:.1} | {p50:.1} / {p99:.1} | {ratio:.1}{mark} |"
        ));
    }
    let failed = during.reads.failed + during.writes.failed;
    let meaning = "requests of others that failed during the attack";
    report.judge(&format!("neighbour_{name}_failed{suffix}"), failed as f64, Target::AtMost(0.0), meaning);
    rows.into_iter().for_each(|row| report.note(row));
    if let Some(failure) = during.failure().or(before.failure()) {
        report.note(format!("the first failure around {name}: {failure}"));
    }
}
