//! The metrics of a host that runs: their recorder, and the figures that nothing counts by itself, read every ten seconds.

use std::sync::Arc;
use std::time::{Duration, Instant};

use metrics_exporter_prometheus::{Matcher, PrometheusBuilder, PrometheusHandle};

use crate::database::{Database, Error, Shard};
use crate::deployment::{backfills, extensions_shown};
use crate::events::backlog::{self, Backlog};
use crate::http::app::App;
use crate::http::connection_limit::ConnectionLimit;
use crate::observe::metric_list::{self, METRICS, MetricKind};
use crate::observe::process;
use crate::watchdog::Pulse;

const PAUSE: Duration = Duration::from_secs(10);
/// Commit of the build, as `cargo xtask release` sets it.
const COMMIT: Option<&str> = option_env!("STOA_COMMIT");

/// Installs the recorder of this process, which has the help texts and the buckets of the list.
pub fn install_recorder() -> anyhow::Result<PrometheusHandle> {
    let mut builder = PrometheusBuilder::new();
    for metric in METRICS {
        if let MetricKind::Histogram(buckets) = metric.kind {
            builder = builder.set_buckets_for_metric(Matcher::Full(metric.name.to_owned()), buckets)?;
        }
    }
    let handle = builder.install_recorder()?;
    metric_list::describe_all();
    let (version, commit) = (env!("CARGO_PKG_VERSION"), COMMIT.unwrap_or("unknown"));
    metrics::gauge!("stoa_build_info", "version" => version, "commit" => commit).set(1);
    metrics::gauge!("stoa_process_start_time_seconds").set(chrono::Utc::now().timestamp() as f64);
    Ok(handle)
}

/// Reads the gauges until it is stopped.
pub async fn keep_gauges(app: Arc<App>, connections: Arc<ConnectionLimit>, pulse: Pulse) {
    loop {
        set_gauges(&app, &connections).await;
        pulse.rest(PAUSE).await;
    }
}

async fn set_gauges(app: &App, connections: &ConnectionLimit) {
    let backlog = read_backlog(app).await;
    if let Err(error) = &backlog {
        tracing::warn!(%error, "the backlogs cannot be read now");
    }
    let generation = app.deployment.current.load().generation.clone();
    match extensions_shown::count_waiting(&app.database, &generation).await {
        Ok(waiting) => {
            metrics::gauge!("stoa_listeners_behind").set(waiting.listeners_behind as f64);
            metrics::gauge!("stoa_listeners_in_trouble").set(waiting.listeners_in_trouble as f64);
            metrics::gauge!("stoa_timers_late").set(waiting.timers_late as f64);
            metrics::gauge!("stoa_timers_in_trouble").set(waiting.timers_in_trouble as f64);
        }
        Err(error) => tracing::warn!(%error, "what extensions have left to do cannot be read now"),
    }
    let (is_up, has_room) = (backlog.is_ok(), app.database.has_room());
    if let Ok((backlog, pending, troubled)) = backlog {
        metrics::gauge!("stoa_webhook_lanes_due").set(backlog.lanes as f64);
        metrics::gauge!("stoa_webhook_oldest_due_seconds").set(seconds(backlog.lanes_ms));
        metrics::gauge!("stoa_outbox_companies_behind").set(backlog.companies as f64);
        metrics::gauge!("stoa_outbox_oldest_seconds").set(seconds(backlog.companies_ms));
        metrics::gauge!("stoa_backfills_pending").set(pending as f64);
        metrics::gauge!("stoa_backfills_in_trouble").set(troubled as f64);
    }
    metrics::gauge!("stoa_database_up").set(u8::from(is_up));
    metrics::gauge!("stoa_database_has_room").set(u8::from(has_room));
    let is_ready = is_up && has_room && app.watchdog.is_well(Instant::now());
    metrics::gauge!("stoa_ready").set(u8::from(is_ready));
    set_database_gauges(&app.database);
    let (held, limit) = app.bodies.load();
    metrics::gauge!("stoa_body_memory_bytes", "state" => "held").set(held as f64);
    metrics::gauge!("stoa_body_memory_bytes", "state" => "limit").set(limit as f64);
    let (held, limit) = app.response_memory.load();
    metrics::gauge!("stoa_response_memory_bytes", "state" => "held").set(held as f64);
    metrics::gauge!("stoa_response_memory_bytes", "state" => "limit").set(limit as f64);
    let (open, limit) = connections.load();
    metrics::gauge!("stoa_connections", "state" => "open").set(open as f64);
    metrics::gauge!("stoa_connections", "state" => "limit").set(limit as f64);
    if let Some(used) = process::read() {
        metrics::counter!("stoa_process_cpu_seconds_total").absolute(used.cpu_seconds);
        metrics::gauge!("stoa_process_resident_bytes").set(used.resident_bytes as f64);
        metrics::gauge!("stoa_process_threads").set(used.threads as f64);
        metrics::gauge!("stoa_process_open_fds").set(used.open_fds as f64);
    }
}

/// The backlog of all shards, and the backfills of the modules that this host has active: all, and those in trouble.
async fn read_backlog(app: &App) -> Result<(Backlog, i64, i64), Error> {
    let mut all = Backlog::default();
    for shard in app.database.shards() {
        let read = app.database.read_plain(shard, (), |session, ()| Box::pin(backlog::read(session)));
        // A place that does not answer has no part in the sums.
        let one = match read.await {
            Err(error) if shard == Shard::Global => return Err(error),
            one => one.unwrap_or_default(),
        };
        all.lanes += one.lanes;
        all.lanes_ms = all.lanes_ms.max(one.lanes_ms);
        all.companies += one.companies;
        all.companies_ms = all.companies_ms.max(one.companies_ms);
    }
    let active = app.deployment.current.load().generation.number;
    let (pending, troubled) = backfills::count_all_pending(&app.database, active).await?;
    Ok((all, pending, troubled))
}

fn set_database_gauges(database: &Database) {
    for (place, kind, load) in database.loads() {
        for (state, count) in [("running", load.running), ("waiting", load.waiting), ("limit", load.limit)] {
            metrics::gauge!("stoa_database_slots", "place" => place.clone(), "kind" => kind, "state" => state)
                .set(count as f64);
        }
    }
    match database {
        Database::Postgres(servers) => {
            for (place, server) in servers.all() {
                metrics::gauge!("stoa_database_idle_connections", "place" => place.to_owned())
                    .set(server.count_idle() as f64);
            }
            for (place, serves) in servers.states() {
                metrics::gauge!("stoa_place_serves", "place" => place.to_owned()).set(f64::from(u8::from(serves)));
            }
        }
        Database::Sqlite(database) => {
            metrics::gauge!("stoa_sqlite_wal_bytes").set(database.count_wal_bytes() as f64);
        }
    }
}

fn seconds(milliseconds: i64) -> f64 {
    milliseconds as f64 / 1000.0
}
