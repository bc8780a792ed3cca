//! `statements_*`: round trips that one request costs on PostgreSQL, seen from outside: messages that the host sends when
//! everything before them has been answered. BEGIN and COMMIT count; so does a COMMIT that a read's answer does not wait for.
//!
//! The statements are recorded too: the limits of reads and writes run them again.

use std::collections::BTreeSet;
use std::time::Duration;

use crate::bench::{Bench, metric};
use crate::capture::{Exchange, Pattern, Proxy, short};
use crate::company::{Client, Company, Prices};
use crate::postgres::Database;
use crate::report::Target;

/// Requests that the counts are taken over.
const COUNTED: u32 = 100;
/// Connections of the watched host; each has to prepare every statement before anything is counted.
const CONNECTIONS: u32 = 3;
/// How long an answer of the database is held back where it is asked which of them a request waits for.
const DELAY: Duration = Duration::from_millis(300);
/// Reads of which the least counts: work of the host's own comes in between.
const AWAITED: usize = 6;
/// Longer than the relay rests between two looks for events, and how many such times the benchmark waits at most.
const LOOK: Duration = Duration::from_millis(1_500);
const LOOKS: usize = 10;
/// Recordings that may differ before the benchmark gives up.
const TRIES: i64 = 5;

pub struct Said {
    pub read: Pattern,
    pub write: Pattern,
}

pub async fn measure(bench: &mut Bench, database: &Database, company: &Company) -> anyhow::Result<Said> {
    let proxy = Proxy::start(database.address.clone()).await?;
    let (server, metrics) = bench.stoa(&database.through(proxy.address), CONNECTIONS).await?;
    let prices = company.prices(server.address).await?;
    let mut client = Client::new(server.address, &company.token).await?;
    let mut watch = Watch { proxy, client: &mut client, company, prices: &prices };
    for _ in 0..COUNTED {
        watch.read(0).await?;
        let price = prices.next();
        watch.write(price).await?;
    }
    watch.settle().await;

    watch.proxy.record();
    for number in 0..COUNTED as usize {
        watch.read(number).await?;
    }
    watch.settle().await;
    let reads = watch.proxy.stop_recording();
    let counted = metric(metrics, "stoa_database_round_trips_total").await?;
    watch.proxy.record();
    for _ in 0..COUNTED {
        let price = prices.next();
        watch.write(price).await?;
    }
    watch.settle().await;
    let writes = watch.proxy.stop_recording();
    let counted = metric(metrics, "stoa_database_round_trips_total").await? - counted;

    // With answers held back, the relay's work on the events of these writes would last for seconds and count with each read.
    watch.wait_for_relay().await;
    let mut awaited = usize::MAX;
    for number in 0..AWAITED {
        awaited = awaited.min(watch.awaited_by_read(number).await?);
    }
    // The host's own work comes between the requests of a recording too: recordings then differ.
    let (mut read, mut write) = (watch.pattern_of_reads().await?, watch.pattern_of_writes(0).await?);
    for attempt in 1..TRIES {
        if read.is_err() {
            read = watch.pattern_of_reads().await?;
        }
        if write.is_err() {
            write = watch.pattern_of_writes(attempt).await?;
        }
    }
    let (read, write) = (read?, write?);
    server.stop().await?;
    if let Some(options) = watch.proxy.options() {
        database.set_options(options);
    }

    let each = |count: usize| count as f64 / f64::from(COUNTED);
    let statements = |exchanges: &[Exchange]| exchanges.iter().map(Vec::len).sum::<usize>();
    let report = &mut bench.report;
    let trips = each(reads.len());
    report.judge_bound("statements_read", trips)?;
    report.judge_bound("statements_read_awaited", awaited as f64)?;
    let host = write.exchanges.iter().filter(|shapes| shapes.iter().all(|shape| is_hosts(&shape.sql))).count();
    report.judge("statements_write_host", host as f64, Target::AtMost(4.0), "of a price write, those of the host");
    let trips = each(writes.len());
    report.judge_bound("statements_write", trips)?;
    report.add(
        "statements_write_counter",
        counted / f64::from(COUNTED),
        "the same by the host's own counter, which counts its looks for a new generation too",
    );
    report.add("sql_read", each(statements(&reads)), "statements that PostgreSQL received");
    report.add("sql_write", each(statements(&writes)), "");
    for (name, pattern, exchanges) in [("read", &read, &reads), ("write", &write, &writes)] {
        for (number, line) in pattern.outline().iter().enumerate() {
            report.note(format!("{name} {}: {line}", number + 1));
        }
        let own_statements: BTreeSet<&str> = pattern.shapes().map(|shape| shape.sql.as_str()).collect();
        let others = exchanges.iter().flatten().filter(|statement| !own_statements.contains(statement.sql.as_str()));
        for other in others.map(|statement| short(&statement.sql)).collect::<BTreeSet<_>>() {
            report.note(format!("together with a {name}: {other}"));
        }
    }
    Ok(Said { read, write })
}

fn is_hosts(sql: &str) -> bool {
    let sql = sql.to_ascii_lowercase();
    let begins = ["begin", "commit", "rollback", "set local", "execute stoa_"];
    begins.iter().any(|word| sql.starts_with(word)) || sql.contains("stoa_audit") || sql.contains("stoa_idempotency")
}

struct Watch<'a> {
    proxy: Proxy,
    client: &'a mut Client,
    company: &'a Company,
    prices: &'a Prices,
}

impl Watch<'_> {
    /// A read's transaction ends after its answer.
    async fn settle(&self) {
        tokio::time::sleep(Duration::from_millis(100)).await;
    }

    /// Waits until a whole look of the relay finds no event of earlier writes.
    async fn wait_for_relay(&self) {
        for _ in 0..LOOKS {
            self.proxy.record();
            tokio::time::sleep(LOOK).await;
            if self.proxy.round_trips().all == 0 {
                break;
            }
        }
        self.proxy.stop_recording();
    }

    /// The pattern of two reads, or how they differ.
    async fn pattern_of_reads(&mut self) -> anyhow::Result<anyhow::Result<Pattern>> {
        Ok(Pattern::of_reads([self.said_of_read(0).await?, self.said_of_read(1).await?]))
    }

    /// The same of three writes, on days of this attempt's own.
    async fn pattern_of_writes(&mut self, attempt: i64) -> anyhow::Result<anyhow::Result<Pattern>> {
        let far = 1_000 + 2 * attempt;
        let (first, second) = (self.prices.at(0, 0, far), self.prices.at(0, 0, far + 1));
        let third = self.prices.at(1, 1, far);
        Ok(Pattern::of_writes([
            (first, self.said_of_write(first).await?),
            (second, self.said_of_write(second).await?),
            (third, self.said_of_write(third).await?),
        ]))
    }

    async fn read(&mut self, product: usize) -> anyhow::Result<()> {
        self.client.get(&self.company.product_path(product)).await.map(drop)
    }

    async fn write(&mut self, price: crate::company::Price) -> anyhow::Result<()> {
        let (path, body) = self.company.price_request(&price);
        self.client.post(&path, &body).await.map(drop)
    }

    /// Round trips that were answered before the request was.
    async fn awaited_by_read(&mut self, product: usize) -> anyhow::Result<usize> {
        // No answer is held back now: work that began while they were ends before this read.
        self.settle().await;
        self.proxy.record_slowly(DELAY);
        self.read(product).await?;
        let trips = self.proxy.round_trips();
        tokio::time::sleep(DELAY * 2).await;
        self.proxy.stop_recording();
        Ok(trips.answered)
    }

    async fn said_of_read(&mut self, product: usize) -> anyhow::Result<(uuid::Uuid, Vec<Exchange>)> {
        self.proxy.record();
        self.read(product).await?;
        self.settle().await;
        Ok((self.company.products[product], self.proxy.stop_recording()))
    }

    async fn said_of_write(&mut self, price: crate::company::Price) -> anyhow::Result<Vec<Exchange>> {
        debug_assert!(self.prices.lists.contains(&price.list));
        self.proxy.record();
        self.write(price).await?;
        self.settle().await;
        Ok(self.proxy.stop_recording())
    }
}
