//! `write_vs_limit_sqlite`: price writes per second at 16 connections over those of a bare loop: one connection, no server, the
//! same statements in the same savepoints, committed in groups of the size that the service was seen to form, synchronous=FULL.
//!
//! The loop works on a copy of the file, so that neither side's cache and log meet the other's writes.

use std::net::SocketAddr;
use std::path::Path;
use std::rc::Rc;
use std::time::{Duration, Instant};

use rusqlite::Connection;
use rusqlite::types::Value as Bound;
use uuid::Uuid;

use super::rates;
use crate::bench::{Bench, metric};
use crate::capture::{Part, Pattern, Shape, Value};
use crate::child::Server;
use crate::company::{Company, Price, Prices};
use crate::load::{Load, Side};
use crate::report::Target;
use crate::rounds::{median, ratio};

const CONNECTIONS: usize = 16;

/// Statements around the requests of a group, which the loop runs itself.
const CONTROL: [&str; 6] =
    ["begin immediate", "savepoint request", "release request", "rollback to request", "commit", "rollback"];

pub struct Sides<'a> {
    pub service: &'a Server,
    pub metrics: SocketAddr,
    pub prices: std::sync::Arc<Prices>,
    /// The copy that the loop writes into.
    pub copy: &'a Path,
}

pub async fn measure(bench: &mut Bench, company: &Company, pattern: &Pattern, sides: Sides<'_>) -> anyhow::Result<()> {
    let load = Load {
        address: sides.service.address,
        connections: CONNECTIONS,
        request: company.writes(sides.prices.clone()),
        statuses: &[201],
    };
    load.run(bench.rounds.time).await?;
    let mut bare = Bare::open(sides.copy, pattern, &sides.prices)?;
    bare.run(bench.rounds.time, 8)?;
    let (mut real, mut limits, mut groups) = (Side::default(), Vec::new(), Vec::new());
    let mut processor = Vec::new();
    for _ in 0..bench.rounds.count {
        let before = (groups_so_far(sides.metrics).await?, sides.service.processor_seconds());
        let run = load.run(bench.rounds.time).await?;
        let after = groups_so_far(sides.metrics).await?;
        processor.push((sides.service.processor_seconds() - before.1) * 1e6 / run.count() as f64);
        real.push(run);
        let group = (after.0 - before.0.0) / (after.1 - before.0.1).max(1.0);
        groups.push(group);
        limits.push(bare.run(bench.rounds.time, group.round().max(1.0) as usize)?);
    }
    let report = &mut bench.report;
    let value = ratio(&real.per_second(), &limits);
    report.judge("write_vs_limit_sqlite", value, Target::AtLeast(0.4), "price writes/s over a bare loop, groups alike");
    real.tell(report, "write_sqlite", "price writes, 16 connections");
    report.add("write_limit_sqlite_per_second", median(limits), "the bare loop");
    report.add("write_sqlite_group", median(groups), "requests per commit");
    report.add("write_sqlite_processor_us", median(processor), "of the service's process, per request");
    rates::measure(bench, "write_sqlite", load, None).await
}

/// Requests and commits of groups so far.
async fn groups_so_far(metrics: SocketAddr) -> anyhow::Result<(f64, f64)> {
    Ok((metric(metrics, "stoa_commit_group_size_sum").await?, metric(metrics, "stoa_commit_group_size_count").await?))
}

struct Bare<'a> {
    connection: Connection,
    shapes: Vec<&'a Shape>,
    prices: &'a Prices,
    /// Its own way through the same lists: no other program writes to its file.
    written: usize,
    fresh: usize,
}

impl<'a> Bare<'a> {
    fn open(path: &Path, pattern: &'a Pattern, prices: &'a Prices) -> anyhow::Result<Bare<'a>> {
        let connection = Connection::open(path)?;
        connection.set_prepared_statement_cache_capacity(512);
        connection.pragma_update(None, "foreign_keys", true)?;
        connection.pragma_update(None, "synchronous", "full")?;
        connection.pragma_update(None, "cache_size", -65_536)?;
        stoa::store::register_sqlite(&connection)?;
        let mode: String = connection.query_row("pragma journal_mode", [], |row| row.get(0))?;
        anyhow::ensure!(mode == "wal", "the copy is not in WAL mode");
        let shapes: Vec<&Shape> = pattern.shapes().filter(|shape| !CONTROL.contains(&shape.sql.as_str())).collect();
        let fresh = shapes.iter().flat_map(|shape| &shape.parts).map(fresh_ids).max().unwrap_or(0);
        Ok(Bare { connection, shapes, prices, written: 0, fresh })
    }

    /// Writes per second.
    fn run(&mut self, time: Duration, group: usize) -> anyhow::Result<f64> {
        let (begin, before) = (Instant::now(), self.written);
        while begin.elapsed() < time {
            self.execute("begin immediate")?;
            for _ in 0..group {
                self.execute("savepoint request")?;
                self.write()?;
                self.execute("release request")?;
            }
            self.execute("commit")?;
        }
        Ok((self.written - before) as f64 / begin.elapsed().as_secs_f64())
    }

    fn execute(&self, sql: &str) -> anyhow::Result<()> {
        self.connection.prepare_cached(sql)?.raw_execute()?;
        Ok(())
    }

    fn write(&mut self) -> anyhow::Result<()> {
        let (lists, variants) = (self.prices.lists.len(), self.prices.variants.len());
        let number = self.written;
        self.written += 1;
        let period = (number / variants / lists) as i64;
        let price = self.prices.at(number / variants % lists, number % variants, period);
        let fresh: Vec<Uuid> = (0..self.fresh).map(|_| Uuid::now_v7()).collect();
        for shape in &self.shapes {
            let mut statement = self.connection.prepare_cached(&shape.sql)?;
            for (nth, part) in shape.parts.iter().enumerate() {
                if let Part::Many(_, parts) = part {
                    let list: Vec<Bound> = parts.iter().map(|part| bind(part, &price, &fresh)).collect();
                    statement.raw_bind_parameter(nth + 1, Rc::new(list))?;
                } else {
                    statement.raw_bind_parameter(nth + 1, bind(part, &price, &fresh))?;
                }
            }
            let mut rows = statement.raw_query();
            while rows.next()?.is_some() {}
        }
        Ok(())
    }
}

/// How many new ids a request needs for this part.
fn fresh_ids(part: &Part) -> usize {
    match part {
        Part::Fresh(nth) => nth + 1,
        Part::Many(_, parts) => parts.iter().map(fresh_ids).max().unwrap_or(0),
        _ => 0,
    }
}

fn bind(part: &Part, price: &Price, fresh: &[Uuid]) -> Bound {
    let id = |id: &Uuid| Bound::Blob(id.as_bytes().to_vec());
    match part {
        Part::Fresh(nth) => fresh.get(*nth).map_or(Bound::Null, id),
        Part::List => id(&price.list),
        Part::Variant => id(&price.variant),
        Part::From => Bound::Integer(price.from),
        Part::To => Bound::Integer(price.to),
        Part::Constant(value) => match value {
            Value::Id(value) => id(value),
            Value::Text(text) => Bound::Text(text.clone()),
            Value::Integer(number) | Value::Instant(number) => Bound::Integer(*number),
            Value::Boolean(flag) => Bound::Integer(i64::from(*flag)),
            Value::Bytes(bytes) => Bound::Blob(bytes.clone()),
            Value::Null(_) | Value::List(..) | Value::Written(..) | Value::Raw(_) => Bound::Null,
        },
        Part::Product
        | Part::Pair
        | Part::Ordered(_)
        | Part::Number { .. }
        | Part::Naming { .. }
        | Part::SessionVersion(_)
        | Part::Many(..) => Bound::Null,
    }
}
