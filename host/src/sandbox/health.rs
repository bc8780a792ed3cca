//! How a module fares on this host: calls, failures by kind, how long calls take. One of these lives as long as the module does
//! here, whichever generations have it.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use hdrhistogram::Histogram;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::failure::Failure;

/// Longest call that is distinguished, in microseconds.
const LONGEST: u64 = 60_000_000;
/// Failed requests that are remembered: those under way are looked up at once.
const REMEMBERED: usize = 256;

type Times = Mutex<Option<Histogram<u64>>>;

pub struct Health {
    calls: AtomicU64,
    traps: AtomicU64,
    timeouts: AtomicU64,
    limits: AtomicU64,
    /// Requests whose failure it was, the youngest last, and whether it was a trap or a breach of the contract.
    failed: Mutex<VecDeque<(Uuid, bool)>>,
    /// Microseconds, to two digits.
    times: Times,
    metrics: Metrics,
    /// The same of each point that the module extends.
    points: BTreeMap<String, PointCounts>,
}

/// The result of one call of an extension.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PointOutcome {
    Answered,
    Rejected,
    Failed,
}

/// Calls of an extension at one point.
struct PointCounts {
    calls: AtomicU64,
    rejections: AtomicU64,
    failures: AtomicU64,
    /// Microseconds, to two digits.
    times: Times,
    answered: metrics::Counter,
    rejected: metrics::Counter,
    failed: metrics::Counter,
    seconds: metrics::Histogram,
}

/// The same for a program that scrapes: labels are module, version and outcome, and nothing that a caller could invent.
struct Metrics {
    calls: metrics::Counter,
    traps: metrics::Counter,
    timeouts: metrics::Counter,
    limits: metrics::Counter,
    seconds: metrics::Histogram,
}

/// The operators' view of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Report {
    pub calls: u64,
    /// Traps, and answers that break the contract.
    pub traps: u64,
    pub timeouts: u64,
    /// Calls stopped at a limit: memory, rows, store calls, output.
    pub limits: u64,
    /// Microseconds that the faster half of the calls took at most.
    pub p50_us: u64,
    /// Microseconds, likewise of 99 in 100 calls.
    pub p99_us: u64,
}

/// The operators' view of an extension at one point.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PointReport {
    pub calls: u64,
    /// Calls that rejected the request.
    pub rejections: u64,
    pub failures: u64,
    /// Microseconds that the faster half of the calls took at most.
    pub p50_us: u64,
    /// Microseconds, likewise of 99 in 100 calls.
    pub p99_us: u64,
}

impl Report {
    pub fn failures(&self) -> u64 {
        self.traps + self.timeouts + self.limits
    }
}

impl Health {
    /// `points`: those that the module extends.
    pub fn new<'a>(module: &str, version: &str, points: impl Iterator<Item = &'a str>) -> Health {
        let counter = |outcome: &'static str| {
            let labels =
                [("module", module.to_string()), ("version", version.to_string()), ("outcome", outcome.into())];
            metrics::counter!("stoa_module_calls_total", &labels)
        };
        let labels = [("module", module.to_string()), ("version", version.to_string())];
        Health {
            calls: AtomicU64::new(0),
            traps: AtomicU64::new(0),
            timeouts: AtomicU64::new(0),
            limits: AtomicU64::new(0),
            failed: Mutex::default(),
            times: make_histogram(),
            points: points.map(|point| (point.to_owned(), PointCounts::new(module, point))).collect(),
            metrics: Metrics {
                calls: counter("answered"),
                traps: counter("trap"),
                timeouts: counter("timeout"),
                limits: counter("limit"),
                seconds: metrics::histogram!("stoa_module_seconds", &labels),
            },
        }
    }

    /// A call that a request, a company's founding or an operator's verb made, with everything it called in turn.
    pub fn count_call(&self, took: Duration) {
        self.calls.fetch_add(1, Relaxed);
        self.metrics.calls.increment(1);
        self.metrics.seconds.record(took.as_secs_f64());
        record_time(&self.times, took);
    }

    /// A call of the module as an extension. It is a call of the module too: failures are compared with the number of calls.
    pub fn count_point(&self, point: &str, took: Duration, outcome: PointOutcome) {
        self.count_call(took);
        self.count_at_point(point, took, outcome);
    }

    /// The same of a call that is counted as one of the module already.
    pub fn count_at_point(&self, point: &str, took: Duration, outcome: PointOutcome) {
        let Some(counts) = self.points.get(point) else { return };
        counts.calls.fetch_add(1, Relaxed);
        counts.seconds.record(took.as_secs_f64());
        record_time(&counts.times, took);
        match outcome {
            PointOutcome::Answered => counts.answered.increment(1),
            PointOutcome::Rejected => {
                counts.rejections.fetch_add(1, Relaxed);
                counts.rejected.increment(1);
            }
            PointOutcome::Failed => {
                counts.failures.fetch_add(1, Relaxed);
                counts.failed.increment(1);
            }
        }
    }

    /// A failure that is this module's own. The database's troubles and an exhausted pool are not.
    pub fn count_failure(&self, failure: &Failure) {
        let (count, metric) = match failure {
            Failure::Fault(_) => (&self.traps, &self.metrics.traps),
            Failure::Deadline(_) => (&self.timeouts, &self.metrics.timeouts),
            Failure::Limit(_) => (&self.limits, &self.metrics.limits),
            Failure::Database(_) | Failure::Exhausted | Failure::Denied(_) => return,
        };
        count.fetch_add(1, Relaxed);
        metric.increment(1);
    }

    /// Records the request of a failure, for those who look into it.
    pub fn note_request(&self, failure: &Failure, request: Uuid) {
        if let (Some(_), Ok(mut failed)) = (failure.kind(), self.failed.lock()) {
            failed.push_back((request, matches!(failure, Failure::Fault(_))));
            if failed.len() > REMEMBERED {
                failed.pop_front();
            }
        }
    }

    pub fn has_failed(&self, request: Uuid) -> bool {
        self.failed.lock().is_ok_and(|failed| failed.iter().any(|(id, _)| *id == request))
    }

    /// Returns whether it failed in this request by a trap or by what it said, and not by a limit of time or work.
    pub fn has_trapped(&self, request: Uuid) -> bool {
        self.failed.lock().is_ok_and(|failed| failed.contains(&(request, true)))
    }

    pub fn report(&self) -> Report {
        Report {
            calls: self.calls.load(Relaxed),
            traps: self.traps.load(Relaxed),
            timeouts: self.timeouts.load(Relaxed),
            limits: self.limits.load(Relaxed),
            p50_us: read_quantile(&self.times, 0.5),
            p99_us: read_quantile(&self.times, 0.99),
        }
    }

    /// The report of a point; all is 0 where the module does not extend it.
    pub fn report_point(&self, point: &str) -> PointReport {
        let Some(counts) = self.points.get(point) else { return PointReport::default() };
        PointReport {
            calls: counts.calls.load(Relaxed),
            rejections: counts.rejections.load(Relaxed),
            failures: counts.failures.load(Relaxed),
            p50_us: read_quantile(&counts.times, 0.5),
            p99_us: read_quantile(&counts.times, 0.99),
        }
    }
}

impl PointCounts {
    fn new(module: &str, point: &str) -> PointCounts {
        let counter = |outcome: &'static str| {
            let labels = [("module", module.to_string()), ("point", point.to_string()), ("outcome", outcome.into())];
            metrics::counter!("stoa_extension_calls_total", &labels)
        };
        let labels = [("module", module.to_string()), ("point", point.to_string())];
        let [calls, rejections, failures] = Default::default();
        PointCounts {
            calls,
            rejections,
            failures,
            times: make_histogram(),
            answered: counter("answered"),
            rejected: counter("rejected"),
            failed: counter("failed"),
            seconds: metrics::histogram!("stoa_extension_seconds", &labels),
        }
    }
}

fn make_histogram() -> Times {
    Mutex::new(Histogram::new_with_bounds(1, LONGEST, 2).ok())
}

fn record_time(times: &Times, took: Duration) {
    if let Ok(mut times) = times.lock()
        && let Some(times) = times.as_mut()
    {
        times.saturating_record(u64::try_from(took.as_micros()).unwrap_or(LONGEST));
    }
}

fn read_quantile(times: &Times, share: f64) -> u64 {
    let times = times.lock().ok();
    times.as_ref().and_then(|times| times.as_ref()).map_or(0, |times| times.value_at_quantile(share))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_of_an_extension_counts_at_its_point_and_as_a_call_of_the_module() {
        let health = Health::new("acme", "1.0.0", ["checkout", "listener"].into_iter());
        let took = Duration::from_micros(40);
        health.count_point("checkout", took, PointOutcome::Answered);
        health.count_point("checkout", took, PointOutcome::Rejected);
        health.count_point("checkout", took, PointOutcome::Failed);
        health.count_point("elsewhere", took, PointOutcome::Failed);
        let report = health.report_point("checkout");
        assert_eq!((report.calls, report.rejections, report.failures, report.p50_us), (3, 1, 1, 40));
        assert_eq!(health.report_point("listener"), PointReport::default());
        assert_eq!(health.report().calls, 4);
    }
}
