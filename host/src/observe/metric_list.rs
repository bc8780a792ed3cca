//! The list of the host's metrics. `/metrics` prints each help text, and docs/operate/metrics.md has the same table.

/// The type of a metric. A histogram has these upper bounds.
#[derive(Debug, Clone, Copy)]
pub enum MetricKind {
    Counter,
    Gauge,
    Histogram(&'static [f64]),
}

/// One metric. Label values come from code, from modules or from settings, and never from a caller.
#[derive(Debug)]
pub struct Metric {
    pub name: &'static str,
    pub kind: MetricKind,
    pub labels: &'static [&'static str],
    pub help: &'static str,
}

const REQUEST: MetricKind = MetricKind::Histogram(&[0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0]);
const CALL: MetricKind =
    MetricKind::Histogram(&[0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5]);
const WAIT: MetricKind = MetricKind::Histogram(&[0.0001, 0.001, 0.005, 0.025, 0.1, 0.25, 0.5, 1.0, 2.0, 4.0]);
const LAG: MetricKind = MetricKind::Histogram(&[0.1, 0.5, 1.0, 5.0, 30.0, 60.0, 300.0, 1_800.0, 14_400.0, 86_400.0]);
const GROUP: MetricKind = MetricKind::Histogram(&[1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0]);

const fn counter(name: &'static str, labels: &'static [&'static str], help: &'static str) -> Metric {
    Metric { name, kind: MetricKind::Counter, labels, help }
}

const fn gauge(name: &'static str, labels: &'static [&'static str], help: &'static str) -> Metric {
    Metric { name, kind: MetricKind::Gauge, labels, help }
}

const fn histogram(
    name: &'static str,
    kind: MetricKind,
    labels: &'static [&'static str],
    help: &'static str,
) -> Metric {
    Metric { name, kind, labels, help }
}

pub const METRICS: &[Metric] = &[
    gauge("stoa_build_info", &["version", "commit"], "Always 1. The labels name the build."),
    gauge(
        "stoa_ready",
        &[],
        "1 if the host serves: its database answers and has room, and every background task is on time.",
    ),
    histogram(
        "stoa_request_seconds",
        REQUEST,
        &["operation", "module", "status"],
        "Time from a request's head to its response's head. `status` is a class, for example `2xx`.",
    ),
    counter("stoa_requests_total", &["operation", "status"], "Responses by exact status."),
    counter(
        "stoa_rate_limited_total",
        &["limit"],
        "Requests rejected by a limit: `minute`, `month`, `user_total` or `peer`.",
    ),
    counter("stoa_admissions_timed_out_total", &[], "Admissions that the database did not decide in time."),
    counter("stoa_bodies_refused_total", &[], "Bodies for which `STOA_BODY_MEMORY` had no room."),
    counter("stoa_responses_refused_total", &[], "Responses for which `STOA_RESPONSE_MEMORY` had no room."),
    gauge("stoa_body_memory_bytes", &["state"], "Memory of request bodies: `held` and `limit`."),
    gauge("stoa_response_memory_bytes", &["state"], "Memory of unread responses: `held` and `limit`."),
    gauge("stoa_connections", &["state"], "Connections of the public listener: `open` and `limit`."),
    counter("stoa_connections_refused_total", &[], "Connections closed because a limit was reached."),
    gauge("stoa_heavy_reads_waiting", &[], "Reports that wait for a seat."),
    counter("stoa_heavy_reads_refused_total", &[], "Reports rejected because no seat became free in time."),
    gauge("stoa_database_up", &[], "1 if the database responded within the last 20 seconds or so."),
    gauge("stoa_database_has_room", &[], "0 if the last write of this host found the database's disk full."),
    gauge(
        "stoa_database_slots",
        &["place", "kind", "state"],
        "Requests at the database: `running`, `waiting` and `limit`, of `connection`, or of `reader` and `writer`.",
    ),
    gauge("stoa_place_serves", &["place"], "1 while a PostgreSQL server serves its companies, else 0."),
    gauge("stoa_database_idle_connections", &["place"], "Open PostgreSQL connections that no request uses."),
    histogram("stoa_database_wait_seconds", WAIT, &[], "Wait of a transaction for a connection or a database thread."),
    counter("stoa_database_transactions_total", &["kind", "place"], "Transactions: `read`, `write` and `heavy`."),
    counter(
        "stoa_standby_reads_total",
        &["outcome"],
        "Heavy reads of servers with a standby: `standby` ran it, or the server did because the standby was `behind` or `failed`.",
    ),
    counter("stoa_database_round_trips_total", &["place"], "Messages to PostgreSQL that a transaction waited for."),
    counter("stoa_transaction_retries_total", &[], "Transactions that ran again after a conflict."),
    histogram("stoa_commit_group_size", GROUP, &[], "Requests that SQLite committed together."),
    counter(
        "stoa_paced_writes_total",
        &[],
        "Waits of heavy work for other companies. Large writes wait on SQLite, and work without a time slice on PostgreSQL.",
    ),
    counter(
        "stoa_drafts_total",
        &["outcome"],
        "Large writes that ran on a snapshot before they had SQLite's writer: the draft was `kept`, `discarded`, or `unforeseeable` and is not tried again.",
    ),
    gauge("stoa_sqlite_wal_bytes", &[], "Size of SQLite's write-ahead log."),
    counter("stoa_wal_emptied_total", &[], "Times that a large write-ahead log was emptied."),
    counter("stoa_module_calls_total", &["module", "version", "outcome"], "Calls of modules, and their failures."),
    histogram(
        "stoa_module_seconds",
        CALL,
        &["module", "version"],
        "Time of a module's call, including the calls that it makes.",
    ),
    counter(
        "stoa_extension_calls_total",
        &["module", "point", "outcome"],
        "Calls of extensions at points: `answered`, `rejected` and `failed`.",
    ),
    histogram(
        "stoa_extension_seconds",
        CALL,
        &["module", "point"],
        "Time of an extension's call at a point, including the calls that it makes.",
    ),
    counter("stoa_modules_loaded_total", &["from"], "Modules loaded from `cache`, `release` or `compiler`."),
    counter("stoa_contract_samples_total", &["outcome"], "Responses and events compared with their schema."),
    counter("stoa_contract_breaches_total", &["module", "what"], "Responses and events that broke their schema."),
    gauge("stoa_generation", &[], "Number of the generation that this host serves."),
    gauge("stoa_backfills_pending", &[], "Backfills of the active modules that are not done."),
    gauge("stoa_backfills_in_trouble", &[], "Pending backfills whose last batch failed."),
    gauge(
        "stoa_listeners_behind",
        &[],
        "Companies with committed events that a module has not received, at most 1000 of each module.",
    ),
    gauge("stoa_listeners_in_trouble", &[], "Companies with a committed event that a module rejected or failed at."),
    gauge("stoa_timers_late", &[], "Rounds of timers that have been due for more than ten minutes."),
    gauge("stoa_timers_in_trouble", &[], "Companies in which a timer failed."),
    gauge("stoa_webhook_lanes_due", &[], "Endpoints with a delivery that is due and not taken, at most 1000."),
    gauge("stoa_webhook_oldest_due_seconds", &[], "Time since the oldest of these deliveries became due."),
    counter("stoa_webhook_attempts_total", &["outcome"], "Attempts to deliver, by outcome."),
    histogram("stoa_webhook_lag_seconds", LAG, &[], "Time from an event to its first attempt."),
    gauge("stoa_outbox_companies_behind", &[], "Companies with events that are not yet deliveries, at most 1000."),
    gauge("stoa_outbox_oldest_seconds", &[], "Age of the oldest of these events."),
    counter("stoa_jwks_fetches_total", &["issuer", "outcome"], "Requests for an issuer's keys."),
    gauge(
        "stoa_jwks_confirmed_timestamp_seconds",
        &["issuer"],
        "Unix time at which the issuer last confirmed its keys.",
    ),
    counter("stoa_userinfo_total", &["issuer", "outcome"], "Requests for an address at an issuer."),
    counter("stoa_audit_lost_total", &[], "Audit entries that could not be written."),
    counter("stoa_audit_capped_total", &[], "Audit entries of rejections that exceeded the limit of their caller."),
    counter("stoa_log_lines_lost_total", &[], "Log lines that could not be written to stderr."),
    counter(
        "stoa_traces_dropped_total",
        &["reason"],
        "Traces that were not delivered: the queue was full, or the collector failed.",
    ),
    gauge("stoa_background_task_late", &["task"], "1 if the task has not finished its round in 30 seconds."),
    counter("stoa_background_restarts_total", &["task"], "Restarts of a task that failed or made no progress."),
    gauge("stoa_process_start_time_seconds", &[], "Unix time at which the host started."),
    counter("stoa_process_cpu_seconds_total", &[], "Processor time of the host, in whole seconds (Linux)."),
    gauge("stoa_process_resident_bytes", &[], "Resident memory of the host (Linux)."),
    gauge("stoa_process_threads", &[], "Threads of the host (Linux)."),
    gauge("stoa_process_open_fds", &[], "Open file descriptors of the host (Linux)."),
];

/// Passes every help text to the installed recorder. Counters without labels begin at 0, so that their first increase is one.
pub fn describe_all() {
    for metric in METRICS {
        match metric.kind {
            MetricKind::Counter => {
                metrics::describe_counter!(metric.name, metric.help);
                if metric.labels.is_empty() {
                    metrics::counter!(metric.name).increment(0);
                }
            }
            MetricKind::Gauge => metrics::describe_gauge!(metric.name, metric.help),
            MetricKind::Histogram(_) => metrics::describe_histogram!(metric.name, metric.help),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::path::{Path, PathBuf};

    use super::*;

    fn names() -> BTreeSet<&'static str> {
        METRICS.iter().map(|metric| metric.name).collect()
    }

    /// Every Rust file below a folder but this one.
    fn sources(folder: &Path) -> Vec<PathBuf> {
        let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        let of_entry = |path: PathBuf| if path.is_dir() { sources(&path) } else { vec![path] };
        entries.flat_map(of_entry).filter(|path| !path.ends_with("observe/metric_list.rs")).collect()
    }

    /// Names of the metrics that a source sets: literals, and constants of the same file.
    fn list_names(text: &str) -> Vec<String> {
        let calls = ["metrics::counter!(", "metrics::gauge!(", "metrics::histogram!("];
        let after = calls.iter().flat_map(|call| text.split(call).skip(1));
        let literal = |text: &str| text.trim_start().strip_prefix('"')?.split('"').next().map(str::to_owned);
        after
            .map(|after| {
                literal(after).unwrap_or_else(|| {
                    let constant = after.trim_start().split([',', ')']).next().unwrap_or_default();
                    let declaration = format!("const {constant}: &str = ");
                    let value = text.split_once(&declaration).and_then(|(_, value)| literal(value));
                    value.unwrap_or_else(|| panic!("the name of a metric is no literal: {constant}"))
                })
            })
            .collect()
    }

    #[test]
    fn the_list_has_every_metric_and_no_other() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
        let texts = sources(&folder).into_iter().map(|path| std::fs::read_to_string(path).unwrap());
        let set: BTreeSet<String> = texts.flat_map(|text| list_names(&text)).collect();
        assert_eq!(set.iter().map(String::as_str).collect::<BTreeSet<_>>(), names());
        assert_eq!(names().len(), METRICS.len(), "one name is listed twice");
    }

    #[test]
    fn the_page_has_the_same_table() {
        let row = |metric: &Metric| {
            let kind = match metric.kind {
                MetricKind::Counter => "counter",
                MetricKind::Gauge => "gauge",
                MetricKind::Histogram(_) => "histogram",
            };
            let labels: Vec<String> = metric.labels.iter().map(|label| format!("`{label}`")).collect();
            format!("| `{}` | {kind} | {} | {} |", metric.name, labels.join(", "), metric.help)
        };
        let page = include_str!("../../../docs/operate/metrics.md");
        let listed: Vec<&str> = page.lines().filter(|line| line.starts_with("| `stoa_")).collect();
        let expected: Vec<String> = METRICS.iter().map(row).collect();
        assert_eq!(listed, expected);
    }

    /// The metrics that a text names, without the suffixes of a histogram's series.
    fn find_names(text: &str) -> BTreeSet<String> {
        let is_part = |letter: char| letter.is_ascii_lowercase() || letter == '_';
        let words = text.split(|letter: char| !is_part(letter)).filter(|word| word.starts_with("stoa_"));
        let base = |word: &str| {
            let parts = ["_bucket", "_sum", "_count"].iter().find_map(|part| word.strip_suffix(part));
            parts.unwrap_or(word).to_owned()
        };
        words.map(base).collect()
    }

    #[test]
    fn rules_and_dashboard_name_only_metrics_of_the_list() {
        for text in [
            include_str!("../../../deploy/prometheus/stoa.rules.yml"),
            include_str!("../../../deploy/prometheus/stoa.test.yml"),
            include_str!("../../../deploy/grafana/stoa.json"),
        ] {
            let named = find_names(text);
            let unknown: Vec<&String> = named.iter().filter(|name| !names().contains(name.as_str())).collect();
            assert!(!named.is_empty() && unknown.is_empty(), "{unknown:?}");
        }
    }

    #[test]
    fn each_alert_has_its_runbook() {
        let rules = include_str!("../../../deploy/prometheus/stoa.rules.yml");
        let alerts: BTreeSet<&str> = rules.lines().filter_map(|line| line.trim().strip_prefix("- alert: ")).collect();
        let page = include_str!("../../../docs/operate/incidents.md");
        let headings = page.lines().filter_map(|line| line.strip_prefix("## "));
        assert_eq!(alerts, headings.filter(|heading| heading.starts_with("Stoa")).collect());
        for alert in &alerts {
            let address = format!("docs/operate/incidents.md#{}", alert.to_lowercase());
            assert!(rules.contains(&address), "{alert} has no runbook");
        }
    }
}
