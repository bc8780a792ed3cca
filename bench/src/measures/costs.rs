//! `cost_*`: the cost of each usual operation by one method: a closed loop on 8 connections, with books. Operations per
//! second, the time of one, and the processor time that the host and PostgreSQL spend on one. SQLite runs in the host.
//! `cost_memory_*` and `cost_start_s` are of the host itself. The rows of the table are notes.
//!
//! An operation may have several requests: an order is drafted, confirmed and delivered. Each connection sells goods of
//! its own, so that orders do not wait for one another's stock. Reports, and writes of a hundred lines, of one company
//! run one after the other on two processors: the host limits heavy work, and its wait is in their times. The work on
//! events that follows a write counts in the loop that runs meanwhile. Loops of reads run first.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use anyhow::Context as _;
use futures_util::future::try_join_all;
use stoa_postgres_proxy::find_bound;

use super::documents::{Till, check_out, issue, open_till};
use crate::attack;
use crate::bench::{Bench, metric};
use crate::child::Server;
use crate::company::{Client, Company};
use crate::load::{Load, NextRequest, Run, repeat, run_flows, take_turns};
use crate::postgres::{Database, processor_seconds};
use crate::report::Target;
use crate::rounds::median;
use crate::sales::Sales;

const CONNECTIONS: usize = 8;
/// The least that a round takes: processor time is known to 20 ms (`child::Server::processor_seconds`).
const ROUND: Duration = Duration::from_millis(1_500);
const STARTS: usize = 3;
/// Orders of ten lines that each connection delivers before anything is measured: the report reads them.
const DELIVERED: usize = 25;
/// Variants of the stock writes: few meet on one.
const VARIANTS: usize = 64;

const LOADED_MIB: f64 = 150.0;
const START_S: f64 = 1.0;
const ORDER_P99_MS: f64 = 60.0;
const ORDER_RATIO: f64 = 6.0;

/// The figures of an operation: name and meaning. The last two are of PostgreSQL.
const FIGURES: [(&str, &str); 6] = [
    ("per_second", "operations per second, 8 connections"),
    ("p50_ms", ""),
    ("p99_ms", ""),
    ("host_ms", "processor time of the host, per operation"),
    ("database_ms", "processor time of PostgreSQL, per operation"),
    ("round_trips", "by the host's own counter, which counts its background work too"),
];
const ON_SQLITE: usize = 4;

/// The values of `FIGURES`.
type Cost = [f64; FIGURES.len()];

struct Operation {
    name: &'static str,
    meaning: &'static str,
    /// The rows of `BOUNDS` that limit its round trips together; none if a request of it has no row.
    bounds: &'static [&'static str],
    work: Work,
}

enum Work {
    Request(Load),
    Flow(Flow),
}

/// An operation of several requests.
enum Flow {
    /// An order of so many lines from draft to delivery.
    Order(usize),
    Checkout,
    /// With a payment on this day.
    Invoice {
        paid_on: String,
    },
}

/// The goods and the till of one connection.
struct Seat {
    sales: Sales,
    till: Till,
}

struct Host {
    service: Server,
    metrics: SocketAddr,
    company: Company,
}

/// `database`: PostgreSQL at this URL; without one the URL is of SQLite.
pub async fn measure(bench: &mut Bench, url: &str, database: Option<&Database>) -> anyhow::Result<()> {
    let suffix = if database.is_some() { "" } else { "_sqlite" };
    let (service, _) = bench.stoa(url, 16).await?;
    let company = Company::create_with_books(service.address, &bench.token).await?;
    service.stop().await?;
    time_starts(bench, url, &company, suffix).await?;
    let (service, metrics) = bench.stoa(url, 16).await?;
    let host = Host { service, metrics, company };
    let mut seats = open_seats(&host).await.context("preparing the goods of the costs")?;
    let operations = prepare(&host, &seats).await.context("preparing the operations of the costs")?;
    if let Some(database) = database {
        database.settle().await?;
    }

    let figures = if database.is_some() { FIGURES.len() } else { ON_SQLITE };
    let (mut rows, mut costs) = (Vec::new(), Vec::new());
    for operation in &operations {
        let cost = run_rounds(bench, &host, &mut seats, &operation.work).await;
        let cost = cost.with_context(|| format!("measuring the cost of {}{suffix}", operation.name))?;
        report(bench, operation, &cost[..figures], suffix);
        rows.push(row(operation, &cost[..figures])?);
        costs.push(cost);
    }
    let loaded = host.service.resident_mib();
    let meaning = "resident memory of the host after these loads";
    bench.report.judge(&format!("cost_memory_loaded_mib{suffix}"), loaded, Target::AtMost(LOADED_MIB), meaning);
    if database.is_some() {
        let of = |name: &str| operations.iter().zip(&costs).find(|(operation, _)| operation.name == name);
        let spent = |name: &str| of(name).map_or(f64::NAN, |(_, cost)| cost[ON_SQLITE]);
        let ratio = spent("order_100") / spent("order_1");
        let meaning = "processor time of PostgreSQL, of an order of 100 lines to that of one line";
        bench.report.judge("cost_order_100_database_ratio", ratio, Target::AtMost(ORDER_RATIO), meaning);
    }
    bench.report.note(format!("costs{suffix}, at 8 connections; times in ms, processor times per operation:"));
    bench.report.note("| operation | a second | p50 / p99 | host | database | round trips | limit |");
    bench.report.note("|---|---|---|---|---|---|---|");
    rows.into_iter().for_each(|row| bench.report.note(row));
    host.service.stop().await
}

/// Starts hosts that find their compiled modules in the cache: the time to the first answer, the memory before any
/// request.
async fn time_starts(bench: &mut Bench, url: &str, company: &Company, suffix: &str) -> anyhow::Result<()> {
    let (mut idle, mut seconds) = (Vec::new(), Vec::new());
    for _ in 0..STARTS {
        let begun = Instant::now();
        let (service, _) = bench.stoa(url, 16).await?;
        idle.push(service.resident_mib());
        let mut client = Client::new(service.address, &company.token).await?;
        client.get(&company.product_path(0)).await.context("the first request after a start")?;
        seconds.push(begun.elapsed().as_secs_f64());
        service.stop().await?;
    }
    let meaning = "from the start of a host to its first answer, a product, with the module cache there";
    bench.report.judge(&format!("cost_start_s{suffix}"), median(seconds), Target::AtMost(START_S), meaning);
    let meaning = "resident memory of a host before any request";
    bench.report.add(format!("cost_memory_idle_mib{suffix}"), median(idle), meaning);
    Ok(())
}

async fn open_seats(host: &Host) -> anyhow::Result<Vec<Seat>> {
    let (company, address) = (&host.company, host.service.address);
    let seats = (0..CONNECTIONS).map(|_| async move {
        let sales = company.sales(address).await?;
        let mut client = Client::new(address, &company.token).await?;
        let till = open_till(company, &mut client, &sales).await?;
        for _ in 0..DELIVERED {
            company.deliver(&mut client, &sales.next()).await?;
        }
        anyhow::Ok(Seat { sales, till })
    });
    try_join_all(seats).await
}

/// All operations, reads first.
async fn prepare(host: &Host, seats: &[Seat]) -> anyhow::Result<Vec<Operation>> {
    let (company, address) = (&host.company, host.service.address);
    let mut client = Client::new(address, &company.token).await?;
    let entity = seats.first().context("no connection")?.sales.entity;
    let read = client.get(&company.path(&format!("ledger/legal-entities/{entity}"))).await?;
    let paid_on = read["booksStartOn"].as_str().context("the entity keeps no books")?.to_owned();
    let list = company.price(&mut client, address, &company.variants).await?;
    let pages = company.products.iter().map(|product| format!("pricing/price-lists/{list}/products/{product}"));
    let pages = take_turns(pages.map(|page| repeat(attack::get(company, &format!("{page}?expand=media")))));
    let [report, ..] = attack::report_paths(entity)?;
    let load = |request: NextRequest, statuses: &'static [u16]| {
        Work::Request(Load { address, connections: CONNECTIONS, request, statuses })
    };
    let get = |path: &str| load(repeat(attack::get(company, path)), &[200]);
    let operation = |name, meaning, bounds, work| Operation { name, meaning, bounds, work };
    Ok(vec![
        operation("read", "read a product", &["statements_read"], load(company.reads(), &[200])),
        operation("page", "read a shop's page: a product with its prices", &["statements_page"], load(pages, &[200])),
        operation("list", "list 50 products", &[], get("catalog/products?limit=50")),
        operation("report", "sales report of a month with 200 orders", &[], get(&report)),
        operation(
            "price_write",
            "write a price",
            &["statements_write"],
            load(company.writes(company.prices(address).await?), &[201]),
        ),
        operation(
            "stock_write",
            "adjust stock",
            &["statements_adjustment_books"],
            load(company.adjustments(company.goods(address, VARIANTS).await?), &[201]),
        ),
        operation("order_1", "order of 1 line, draft to delivery", &[], Work::Flow(Flow::Order(1))),
        operation(
            "order_10",
            "order of 10 lines, draft to delivery",
            &["statements_order_create", "statements_order_confirm", "statements_order_complete"],
            Work::Flow(Flow::Order(10)),
        ),
        operation(
            "order_100",
            "order of 100 lines, draft to delivery",
            &["statements_order_create_100", "statements_order_confirm_100", "statements_order_complete_100"],
            Work::Flow(Flow::Order(100)),
        ),
        operation(
            "checkout",
            "order of 10 lines, drafted, confirmed and checked out",
            &["statements_order_create", "statements_order_confirm", "statements_checkout"],
            Work::Flow(Flow::Checkout),
        ),
        operation(
            "invoice",
            "invoice of 10 lines, drafted, issued and paid",
            &[],
            Work::Flow(Flow::Invoice { paid_on }),
        ),
    ])
}

/// The medians of the rounds.
async fn run_rounds(bench: &Bench, host: &Host, seats: &mut [Seat], work: &Work) -> anyhow::Result<Cost> {
    run(host, seats, work, bench.rounds.time).await?;
    let time = ROUND.max(bench.rounds.time * 2);
    let mut rounds: Vec<Cost> = Vec::new();
    for _ in 0..bench.rounds.count.div_ceil(3) {
        let trips = metric(host.metrics, "stoa_database_round_trips_total").await?;
        let before = (host.service.processor_seconds(), processor_seconds());
        let run = run(host, seats, work, time).await?;
        let spent = (host.service.processor_seconds() - before.0, processor_seconds() - before.1);
        let trips = metric(host.metrics, "stoa_database_round_trips_total").await? - trips;
        anyhow::ensure!(run.count() > 0, "no operation ended in {time:?}");
        let (count, milliseconds) = (run.count() as f64, 1e3 / run.count() as f64);
        rounds.push([
            run.per_second,
            run.percentile(0.5) / 1e3,
            run.percentile(0.99) / 1e3,
            spent.0 * milliseconds,
            spent.1 * milliseconds,
            trips / count,
        ]);
    }
    Ok(std::array::from_fn(|figure| median(rounds.iter().map(|round| round[figure]))))
}

async fn run(host: &Host, seats: &mut [Seat], work: &Work, time: Duration) -> anyhow::Result<Run> {
    let (company, address) = (&host.company, host.service.address);
    let flow = match work {
        Work::Request(load) => return load.run(time).await,
        Work::Flow(flow) => flow,
    };
    let operation = async |client: &mut Client, seat: &mut Seat| match flow {
        Flow::Order(lines) => company.deliver(client, &seat.sales.next_of(*lines)).await,
        Flow::Checkout => check_out(company, client, &seat.sales, &mut seat.till).await,
        Flow::Invoice { paid_on } => {
            let invoice = issue(company, client, &seat.sales).await?;
            client.post(&company.path("sales/payments"), &seat.sales.payment(invoice, paid_on)).await.map(drop)
        }
    };
    run_flows(address, &company.token, seats, time, operation).await
}

fn report(bench: &mut Bench, operation: &Operation, cost: &[f64], suffix: &str) {
    for ((figure, meaning), value) in FIGURES.iter().zip(cost) {
        let name = format!("cost_{}_{figure}{suffix}", operation.name);
        if (operation.name, *figure) == ("order_10", "p99_ms") {
            bench.report.judge(&name, *value, Target::AtMost(ORDER_P99_MS), operation.meaning);
        } else if *figure == "per_second" {
            bench.report.add(name, *value, format!("{}: {meaning}", operation.meaning));
        } else {
            bench.report.add(name, *value, *meaning);
        }
    }
}

/// The row of the table: `-` where there is no figure.
fn row(operation: &Operation, cost: &[f64]) -> anyhow::Result<String> {
    let value = |figure: usize| cost.get(figure).map_or("-".to_owned(), |value| format!("{value:.2}"));
    let mut limit = 0;
    for figure in operation.bounds {
        limit += find_bound(figure).with_context(|| format!("{figure} has no bound"))?.most;
    }
    let limit = if cost.len() > ON_SQLITE && limit > 0 { limit.to_string() } else { "-".to_owned() };
    let [rate, p50, p99, host, database, trips] = std::array::from_fn(value);
    Ok(format!("| {} | {rate} | {p50} / {p99} | {host} | {database} | {trips} | {limit} |", operation.meaning))
}
