//! The benchmark: ratios, measured in one run, that say what the sandbox and the pipeline cost. `cargo xtask bench` gives it a
//! database server, the host and the modules.
//!
//! It shares the machine with what it measures, the database included; so trust ratios, not rates. Both sides of a ratio are
//! measured in turn, round by round. A missed target is marked and fails nothing.

mod attack;
mod bare;
mod bench;
mod capture;
mod child;
mod company;
mod embedded;
mod limit;
mod load;
mod measures;
mod native;
mod parts;
mod postgres;
mod probe;
mod report;
mod rounds;
mod sales;
mod serve;

use std::time::Duration;

use clap::{Parser, Subcommand};

use crate::bench::Bench;
use crate::company::Company;
use crate::limit::Limit;
use crate::load::Load;
use crate::measures::{
    adjustments, checkouts, costs, documents, extensions, feed, idle, neighbours, orders, places, pools, rates, reads,
    receipts, reports, scale, small, statements, swaps, tax, traces, webhooks, writes_postgres, writes_sqlite,
};
use crate::parts::Parts;
use crate::rounds::Rounds;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

#[derive(Parser)]
struct Arguments {
    /// Fewer and shorter rounds.
    #[arg(long)]
    quick: bool,
    /// Only the parts whose names begin so: `sqlite`, `postgres/reads`, `neighbours-imports`. The part `postgres/scale`
    /// needs its whole name, or `scale`.
    #[arg(long, default_value = "")]
    only: String,
    /// Other rounds than usual, such as one long one for a profiler to look at.
    #[arg(long)]
    rounds: Option<usize>,
    /// Seconds of a round.
    #[arg(long)]
    seconds: Option<f64>,
    #[command(subcommand)]
    role: Option<Role>,
}

/// The role of a child process of this program.
#[derive(Subcommand)]
enum Role {
    /// A host, with modules as components or linked in.
    Serve(serve::Flags),
    /// The bare handler of reads.
    Bare(bare::Flags),
    /// One user who costs others.
    Attack(attack::Flags),
}

fn main() {
    if let Err(error) = role(Arguments::parse()) {
        eprintln!("stoa-bench: {error:#}");
        std::process::exit(1);
    }
}

fn role(arguments: Arguments) -> anyhow::Result<()> {
    match &arguments.role {
        Some(Role::Serve(flags)) => server_runtime()?.block_on(serve::serve(flags.clone())),
        Some(Role::Bare(flags)) => server_runtime()?.block_on(bare::serve(flags.clone())),
        Some(Role::Attack(flags)) => server_runtime()?.block_on(attack::run(flags.clone())),
        None => tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .on_thread_start(native::install_services)
            .build()?
            .block_on(run(&arguments)),
    }
}

/// As `stoa serve` has it.
fn server_runtime() -> std::io::Result<tokio::runtime::Runtime> {
    tokio::runtime::Builder::new_multi_thread().enable_all().on_thread_start(native::install_services).build()
}

async fn run(arguments: &Arguments) -> anyhow::Result<()> {
    let mut rounds = if arguments.quick { Rounds::quick() } else { Rounds::full() };
    rounds.count = arguments.rounds.unwrap_or(rounds.count);
    rounds.time = arguments.seconds.map_or(rounds.time, Duration::from_secs_f64);
    let mut bench = Bench::new(rounds)?;
    let parts = Parts::new(&arguments.only);
    let database = match parts.any_of("postgres/") {
        true => Some(postgres::Database::create(Bench::postgres_server()?).await?),
        false => None,
    };
    let measured = measure(&mut bench, database.as_ref(), &parts).await;
    // The results are reported even if a later step fails or the run itself ended early.
    println!();
    bench.report.print();
    match bench.report.write() {
        Ok(path) => println!("\nwritten to {}", path.display()),
        Err(error) => eprintln!("warning: the figures cannot be written: {error:#}"),
    }
    if let Some(database) = database
        && let Err(error) = database.drop().await
    {
        eprintln!("warning: the benchmark's database stays behind: {error:#}");
    }
    measured?;
    anyhow::ensure!(parts.are_found(), "no part of the benchmark is called {:?}", arguments.only);
    Ok(())
}

async fn measure(bench: &mut Bench, database: Option<&postgres::Database>, parts: &Parts) -> anyhow::Result<()> {
    if parts.names("postgres/scale")
        && let Some(database) = database
    {
        return scale::measure(bench, database).await;
    }
    if let Some(database) = database {
        measure_postgres(bench, database, parts).await?;
    }
    if parts.any_of("sqlite/") {
        on_sqlite(bench, parts).await?;
    }
    Ok(())
}

async fn measure_postgres(bench: &mut Bench, database: &postgres::Database, parts: &Parts) -> anyhow::Result<()> {
    let (fsync, commit) = (database.setting("fsync").await?, database.setting("synchronous_commit").await?);
    eprintln!("PostgreSQL, fsync {fsync}, synchronous_commit {commit}");
    let (service, operators) = bench.stoa(&database.url, 16).await?;
    let company = Company::create(service.address, &bench.token).await?;
    let said = statements::measure(bench, database, &company).await?;
    database.settle().await?;
    if parts.has("postgres/reads") {
        let limit = Limit::write(bench, database, "read", &said.read, company.picks())?;
        reads::measure(bench, "pg", &database.url, &company, &service, &said.read, 0.65, Some(&limit)).await?;
    }
    if parts.has("postgres/writes") {
        writes_postgres::measure(bench, database, &company, &service, &said.write).await?;
    }
    if parts.has("postgres/adjustments") {
        adjustments::measure(bench, database, &company, &service, "").await?;
    }
    if parts.has("postgres/books") {
        let company = Company::create_with_books(service.address, &bench.token).await?;
        adjustments::measure(bench, database, &company, &service, "_books").await?;
    }
    if parts.has("postgres/receipts") {
        let company = Company::create_with_books(service.address, &bench.token).await?;
        receipts::measure(bench, &company, &service, "").await?;
    }
    if parts.has("postgres/orders") {
        let company = Company::create_with_books(service.address, &bench.token).await?;
        orders::measure_against_pgbench(bench, database, &company, &service).await?;
        orders::measure_large(bench, &company, &service, "").await?;
    }
    if parts.has("postgres/documents") {
        let company = Company::create_with_books(service.address, &bench.token).await?;
        documents::measure(bench, &company, &service, "").await?;
    }
    if parts.has("postgres/checkouts") {
        let company = Company::create_with_books(service.address, &bench.token).await?;
        checkouts::measure_against_pgbench(bench, database, &company, &service).await?;
    }
    if parts.has("postgres/reports") {
        let company = Company::create_with_books(service.address, &bench.token).await?;
        reports::measure(bench, database, &company, &service).await?;
    }
    if parts.has("postgres/feed") {
        feed::measure(bench, &service, operators, "").await?;
    }
    if parts.has("postgres/webhooks") {
        let company = Company::create_with_books(service.address, &bench.token).await?;
        webhooks::measure(bench, &company, &service, "").await?;
    }
    if parts.has("postgres/swaps") {
        swaps::measure(bench, "pg", &company, &service, operators).await?;
    }
    if parts.has("postgres/extensions") {
        extensions::measure(bench, "pg", &company, (&service, operators)).await?;
    }
    service.stop().await?;
    database.settle().await?;
    if parts.has("postgres/costs") {
        costs::measure(bench, &database.url, Some(database)).await?;
    }
    if parts.has("postgres/idle") {
        idle::measure(bench, &database.url, "").await?;
    }
    neighbours::measure(bench, &database.url, "", neighbours::choose(parts, "postgres")).await?;
    if parts.has("postgres/places") {
        places::measure(bench).await?;
    }
    if parts.has("postgres/traces") {
        traces::measure(bench, "_pg", &database.url, &company).await?;
    }
    if parts.has("postgres/tax") {
        tax::measure(bench, &database.url, &company).await?;
    }
    if parts.has("postgres/small") {
        small::measure(bench, "_pg", &database.url, &company).await?;
    }
    Ok(())
}

async fn on_sqlite(bench: &mut Bench, parts: &Parts) -> anyhow::Result<()> {
    eprintln!("SQLite, synchronous=FULL");
    let (path, copy) = (bench.file("stoa.sqlite"), bench.file("copy.sqlite"));
    let url = Bench::sqlite_url(&path);
    let embedded::Embedded { company, prices, read, write } = embedded::create(bench, &path).await?;
    std::fs::copy(&path, &copy)?;
    let (service, metrics) = bench.stoa(&url, 16).await?;
    if parts.has("sqlite/reads") {
        reads::measure(bench, "sqlite", &url, &company, &service, &read, 0.45, None).await?;
    }
    if parts.has("sqlite/writes") {
        let sides = writes_sqlite::Sides { service: &service, metrics, prices, copy: &copy };
        writes_sqlite::measure(bench, &company, &write, sides).await?;
    }
    if parts.has("sqlite/adjustments") {
        let goods = company.goods(service.address, 64).await?;
        let request = company.adjustments(goods);
        let load = Load { address: service.address, connections: 1, request, statuses: &[201] };
        rates::measure(bench, "adjustment_sqlite", load, None).await?;
    }
    if parts.has("sqlite/receipts") {
        let company = Company::create_with_books(service.address, &bench.token).await?;
        receipts::measure(bench, &company, &service, "_sqlite").await?;
    }
    if parts.has("sqlite/orders") {
        let company = Company::create_with_books(service.address, &bench.token).await?;
        orders::measure(bench, &company, &service, "_sqlite").await?;
        orders::measure_large(bench, &company, &service, "_sqlite").await?;
    }
    if parts.has("sqlite/documents") {
        let company = Company::create_with_books(service.address, &bench.token).await?;
        documents::measure(bench, &company, &service, "_sqlite").await?;
    }
    if parts.has("sqlite/feed") {
        feed::measure(bench, &service, metrics, "_sqlite").await?;
    }
    if parts.has("sqlite/webhooks") {
        let company = Company::create_with_books(service.address, &bench.token).await?;
        webhooks::measure(bench, &company, &service, "_sqlite").await?;
    }
    if parts.has("sqlite/swaps") {
        swaps::measure(bench, "sqlite", &company, &service, metrics).await?;
    }
    if parts.has("sqlite/extensions") {
        extensions::measure(bench, "sqlite", &company, (&service, metrics)).await?;
    }
    service.stop().await?;
    if parts.has("sqlite/costs") {
        costs::measure(bench, &url, None).await?;
    }
    if parts.has("sqlite/idle") {
        idle::measure(bench, &url, "_sqlite").await?;
    }
    neighbours::measure(bench, &url, "_sqlite", neighbours::choose(parts, "sqlite")).await?;
    if parts.has("sqlite/small") {
        small::measure(bench, "", &url, &company).await?;
    }
    if parts.has("sqlite/pools") {
        pools::measure(bench, &url, &company).await?;
    }
    Ok(())
}
