//! `places_*`: what a second database server costs a request, and what its loss costs the companies of the first one.
//!
//! The same load goes to a host with one server and to a host with two of the same kind, whose companies are half at each. The
//! processor time of the database is that of every server of the machine.

use std::time::{Duration, Instant};

use stoa_cluster::{Cluster, find_or_install};

use crate::bench::Bench;
use crate::child::Server;
use crate::company::Company;
use crate::load::{Latencies, Load, NextRequest, Paced, take_turns};
use crate::postgres::{Database, processor_seconds};
use crate::report::Target;
use crate::rounds::{median, ratio};

/// Companies at each server.
const COMPANIES: usize = 4;
const CONNECTIONS: usize = 8;
/// The highest cost of a request on two servers, relative to one.
const DEAREST: f64 = 1.05;
/// A read and a write of the companies at home, and a read of those at the lost server.
const EVERY: Duration = Duration::from_millis(20);
/// The longest wait of others while a server is lost, relative to the time before.
const LONGEST: f64 = 1.2;
/// Milliseconds after which the companies of the lost server have their rejection.
const REJECTED: f64 = 1_000.0;
/// How long a server may take to start and to be in service.
const PATIENCE: Duration = Duration::from_secs(60);

/// Reads of products and writes of prices, in turn by company.
struct Requests {
    reads: Vec<NextRequest>,
    writes: Vec<NextRequest>,
}

pub async fn measure(bench: &mut Bench) -> anyhow::Result<()> {
    let (programs, folder) = (find_or_install()?, std::env::temp_dir());
    let (first, second) = (Cluster::start(&programs, &folder)?, Cluster::start(&programs, &folder)?);
    let (database, place) = (Database::create(first.url()).await?, Database::create(second.url()).await?);
    let (one, _) = bench.stoa(&database.url, 16).await?;
    let two = start_with(bench, &database, &place).await?;
    let home = make_companies(bench, &one, COMPANIES).await?;
    let both = make_companies(bench, &one, COMPANIES).await?;
    // The home server has more companies by now: new ones are made at the other.
    let away = make_companies(bench, &two, COMPANIES).await?;
    let count = place.count("stoa_tenant").await?;
    anyhow::ensure!(count == i64::try_from(COMPANIES)?, "{count} companies are at the second server");
    let sides = [(&one, [&home, &both]), (&two, [&home, &away])];
    compare(bench, sides).await?;
    one.stop().await?;
    lose(bench, &two, &second, &home, &away).await?;
    two.stop().await
}

/// A host with a second server, which `stoa.toml` names while the host starts.
async fn start_with(bench: &Bench, database: &Database, place: &Database) -> anyhow::Result<Server> {
    let file = bench.file("stoa.toml");
    std::fs::write(&file, format!("[[places]]\nname = \"second\"\nurl = \"{}\"\n", place.url))?;
    let started = bench.stoa(&database.url, 16).await;
    std::fs::remove_file(&file)?;
    Ok(started?.0)
}

async fn make_companies(bench: &Bench, host: &Server, count: usize) -> anyhow::Result<Requests> {
    let mut requests = Requests { reads: Vec::new(), writes: Vec::new() };
    for _ in 0..count {
        let company = Company::create(host.address, &bench.token).await?;
        requests.reads.push(company.reads());
        requests.writes.push(company.writes(company.prices(host.address).await?));
    }
    Ok(requests)
}

/// A host, the companies at home and the others.
type Side<'a> = (&'a Server, [&'a Requests; 2]);

/// Processor time of a request of one server and of two, round by round.
async fn compare(bench: &mut Bench, sides: [Side<'_>; 2]) -> anyhow::Result<()> {
    type Choose = fn(&Requests) -> &Vec<NextRequest>;
    let kinds: [(&str, Choose, &'static [u16]); 2] =
        [("read", |requests| &requests.reads, &[200]), ("write", |requests| &requests.writes, &[201])];
    for (kind, choose, statuses) in kinds {
        let loads = sides.map(|(host, companies)| Load {
            address: host.address,
            connections: CONNECTIONS,
            request: take_turns(companies.iter().flat_map(|requests| choose(requests)).cloned()),
            statuses,
        });
        for load in &loads {
            load.run(bench.rounds.time).await?;
        }
        let (mut databases, mut processes): ([Vec<f64>; 2], [Vec<f64>; 2]) = Default::default();
        for _ in 0..bench.rounds.count {
            for (side, load) in loads.iter().enumerate() {
                let host = sides[side].0;
                let before = (processor_seconds(), host.processor_seconds());
                let count = load.run(bench.rounds.time).await?.count() as f64;
                databases[side].push((processor_seconds() - before.0) * 1e6 / count);
                processes[side].push((host.processor_seconds() - before.1) * 1e6 / count);
            }
        }
        for (name, [one, two]) in [("database", databases), ("host", processes)] {
            let meaning = format!("microseconds of processor time of the {name}, of a {kind} with one server");
            bench.report.add(format!("places_{kind}_{name}_us"), median(one.iter().copied()), meaning);
            let meaning = format!("processor time of the {name}, of a {kind} with two servers to that with one");
            let figure = format!("places_{kind}_{name}_ratio");
            bench.report.judge(&figure, ratio(&two, &one), Target::AtMost(DEAREST), meaning);
        }
    }
    Ok(())
}

/// Kills the second server, round by round: the waits of the companies at home before and meanwhile, and the rejections of the others.
async fn lose(
    bench: &mut Bench,
    host: &Server,
    cluster: &Cluster,
    home: &Requests,
    away: &Requests,
) -> anyhow::Result<()> {
    let paced = |requests: &[NextRequest], status| Paced {
        address: host.address,
        every: EVERY,
        requests: requests.to_vec(),
        status,
    };
    let (reads, writes) = (paced(&home.reads, 200), paced(&home.writes, 201));
    let (served, rejected) = (paced(&away.reads, 200), paced(&away.reads, 503));
    let time = bench.rounds.time * 2;
    let mut quiet = [Latencies::default(), Latencies::default()];
    let mut lost = [Latencies::default(), Latencies::default()];
    let mut rejections = Latencies::default();
    for _ in 0..bench.rounds.count {
        let (read, written, _) = tokio::try_join!(reads.run(time), writes.run(time), served.run(time))?;
        quiet[0].add(read);
        quiet[1].add(written);
        cluster.kill9()?;
        let (read, written, refused) = tokio::try_join!(reads.run(time), writes.run(time), rejected.run(time))?;
        lost[0].add(read);
        lost[1].add(written);
        rejections.add(refused);
        cluster.start_again()?;
        wait_for(&served).await?;
    }
    for (nth, kind) in ["reads", "writes"].into_iter().enumerate() {
        let (before, during) = (quiet[nth].percentile(0.99), lost[nth].percentile(0.99));
        bench.report.add(format!("places_others_{kind}_p99_ms"), during, "while the other server is lost");
        let meaning = format!("p99 of {kind} while the other server is lost, to that of the time before");
        let figure = format!("places_others_{kind}_p99_ratio");
        bench.report.judge(&figure, during / before, Target::AtMost(LONGEST), meaning);
    }
    let failed = (lost[0].failed + lost[1].failed) as f64;
    let meaning = "requests of others that failed while a server was lost";
    bench.report.judge("places_others_failed", failed, Target::AtMost(0.0), meaning);
    let meaning = "the longest wait for an answer of a company whose server is lost";
    bench.report.judge("places_rejected_max_ms", rejections.percentile(1.0), Target::AtMost(REJECTED), meaning);
    let meaning = "requests of companies of the lost server that were answered otherwise than by 503";
    bench.report.add("places_not_rejected", rejections.failed as f64, meaning);
    Ok(())
}

/// Waits until the companies of the second server are served again.
async fn wait_for(served: &Paced) -> anyhow::Result<()> {
    let begun = Instant::now();
    while served.run(EVERY * 10).await?.failed > 0 {
        anyhow::ensure!(begun.elapsed() < PATIENCE, "the second server is not in service after {PATIENCE:?}");
    }
    Ok(())
}
