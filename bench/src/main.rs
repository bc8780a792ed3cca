//! The benchmark: ratios, measured in one run, that say what the sandbox and the pipeline cost. `cargo xtask bench` gives it a
//! database server, the host and the modules.
//!
//! It shares the machine with what it measures, the database included; so trust ratios, not rates. Both sides of a ratio are
//! measured in turn, round by round. A missed target is marked and fails nothing.

mod bare;
mod bench;
mod capture;
mod child;
mod company;
mod embedded;
mod load;
mod measures;
mod native;
mod postgres;
mod probe;
mod report;
mod rounds;
mod serve;

use clap::{Parser, Subcommand};

use crate::bench::Bench;
use crate::company::Company;
use crate::measures::{pools, reads, small, statements, tax, writes_postgres, writes_sqlite};
use crate::rounds::Rounds;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

#[derive(Parser)]
struct Arguments {
    /// Fewer and shorter rounds.
    #[arg(long)]
    quick: bool,
    /// Only this part: postgres or sqlite.
    #[arg(long)]
    only: Option<String>,
    #[command(subcommand)]
    role: Option<Role>,
}

/// What this program is to its own children.
#[derive(Subcommand)]
enum Role {
    /// A host, with modules as components or linked in.
    Serve(serve::Flags),
    /// The bare handler of reads.
    Bare(bare::Flags),
}

fn main() -> anyhow::Result<()> {
    let arguments = Arguments::parse();
    match arguments.role {
        Some(Role::Serve(flags)) => server_runtime()?.block_on(serve::serve(flags)),
        Some(Role::Bare(flags)) => server_runtime()?.block_on(bare::serve(flags)),
        None => tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .on_thread_start(native::install_services)
            .build()?
            .block_on(run(arguments.quick, arguments.only.as_deref())),
    }
}

/// As `stoa serve` has it.
fn server_runtime() -> std::io::Result<tokio::runtime::Runtime> {
    tokio::runtime::Builder::new_multi_thread().enable_all().on_thread_start(native::install_services).build()
}

async fn run(quick: bool, only: Option<&str>) -> anyhow::Result<()> {
    let mut bench = Bench::new(if quick { Rounds::quick() } else { Rounds::full() })?;
    if only.is_none_or(|only| only == "postgres") {
        on_postgres(&mut bench).await?;
    }
    if only.is_none_or(|only| only == "sqlite") {
        on_sqlite(&mut bench).await?;
    }
    println!();
    bench.report.print();
    let path = bench.report.write()?;
    println!("\nwritten to {}", path.display());
    Ok(())
}

async fn on_postgres(bench: &mut Bench) -> anyhow::Result<()> {
    let database = postgres::Database::create(Bench::postgres_server()?).await?;
    let measured = measure_postgres(bench, &database).await;
    database.drop().await?;
    measured
}

async fn measure_postgres(bench: &mut Bench, database: &postgres::Database) -> anyhow::Result<()> {
    eprintln!("PostgreSQL, fsync {}, synchronous_commit {}", database.setting("fsync").await?, database.setting("synchronous_commit").await?);
    let (service, _) = bench.stoa(&database.url, 16).await?;
    let company = Company::create(service.address, &bench.token).await?;
    let said = statements::measure(bench, database, &company).await?;
    database.settle().await?;
    reads::measure(bench, "pg", &database.url, &company, &service, &said.read, 0.6).await?;
    writes_postgres::measure(bench, database, &company, &service, &said.write).await?;
    service.stop().await?;
    database.settle().await?;
    tax::measure(bench, &database.url, &company).await?;
    small::measure(bench, "_pg", &database.url, &company).await
}

async fn on_sqlite(bench: &mut Bench) -> anyhow::Result<()> {
    eprintln!("SQLite, synchronous=FULL");
    let (path, copy) = (bench.file("stoa.sqlite"), bench.file("copy.sqlite"));
    let url = Bench::sqlite_url(&path);
    let embedded::Embedded { company, prices, read, write } = embedded::create(bench, &path).await?;
    std::fs::copy(&path, &copy)?;
    let (service, metrics) = bench.stoa(&url, 16).await?;
    reads::measure(bench, "sqlite", &url, &company, &service, &read, 0.4).await?;
    let sides = writes_sqlite::Sides { service: &service, metrics, prices, copy: &copy };
    writes_sqlite::measure(bench, &company, &write, sides).await?;
    service.stop().await?;
    small::measure(bench, "", &url, &company).await?;
    pools::measure(bench, &url, &company).await
}
