//! Limits of one request, all its modules together: guest time, memory, host calls, rows, output. The limits grow with the
//! work: with the lines that the caller sent, and with the rows that a module goes through.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

use super::failure::Failure;
use super::module::Module;
use crate::observe::trace::Attributes;
use crate::store::CallTime;

/// Settings; operations.md has the defaults.
#[derive(Debug, Clone, Copy, serde::Serialize)]
pub struct Limits {
    /// Guest time: host calls are not counted.
    #[serde(with = "millis")]
    pub deadline: Duration,
    /// Time in host calls, where it is the request's own (SQLite's thread; on PostgreSQL it is others' as well).
    #[serde(with = "millis")]
    pub host: Duration,
    /// Time all in all, host calls counted: what bounds work that grows with the data.
    #[serde(with = "millis")]
    pub whole: Duration,
    /// The same of a heavy read.
    #[serde(with = "millis")]
    pub heavy: Duration,
    pub memory: usize,
    /// Memory on a route whose body limit is above 1 MiB.
    pub large_memory: usize,
    pub store_calls: u32,
    pub rows: u32,
    pub output: usize,
    /// Bytes that the modules of a request report in addition to the response, as events.
    pub reported: usize,
    /// Largest argument list of one host call.
    pub hostcall: usize,
}

/// An extension has this part of the request's limits, with the services that it calls: so no extension leaves the
/// others of a request with nothing.
const SHARE: u32 = 4;

/// The use of one request's limits by one extension.
pub struct LimitShare {
    pub module: Arc<Module>,
    /// In its calls that have ended.
    pub used: ShareUse,
}

/// A call of an extension that has not ended.
pub struct OpenShare {
    /// The index of its share.
    pub index: usize,
    /// The request's use at its beginning.
    pub entry: ShareUse,
    /// The request's memory beyond which the share is used up.
    pub until: usize,
}

/// Amounts that are compared with an extension's share.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ShareUse {
    pub time: Duration,
    pub memory: usize,
    pub calls: usize,
    /// Read and written.
    pub rows: usize,
}

impl ShareUse {
    /// The amounts that came after `entry`.
    pub fn since(self, entry: ShareUse) -> ShareUse {
        ShareUse {
            time: self.time.saturating_sub(entry.time),
            memory: self.memory.saturating_sub(entry.memory),
            calls: self.calls.saturating_sub(entry.calls),
            rows: self.rows.saturating_sub(entry.rows),
        }
    }

    /// Both together.
    pub fn with(self, other: ShareUse) -> ShareUse {
        ShareUse {
            time: self.time.saturating_add(other.time),
            memory: self.memory.saturating_add(other.memory),
            calls: self.calls.saturating_add(other.calls),
            rows: self.rows.saturating_add(other.rows),
        }
    }
}

/// One request's use of its limits.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Used {
    pub guest_time: Duration,
    pub memory: usize,
    pub store_calls: usize,
    /// Read and written.
    pub rows: usize,
    /// Bytes reported in addition to the response.
    pub reported: usize,
}

impl Used {
    /// The same for a trace.
    pub fn describe(&self) -> Attributes {
        let micros = usize::try_from(self.guest_time.as_micros()).unwrap_or(usize::MAX);
        vec![
            ("stoa.guest_us", micros.into()),
            ("stoa.memory", self.memory.into()),
            ("stoa.store_calls", self.store_calls.into()),
            ("stoa.rows", self.rows.into()),
        ]
    }
}

mod millis {
    use std::time::Duration;
    pub fn serialize<S: serde::Serializer>(time: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u64(u64::try_from(time.as_millis()).unwrap_or(u64::MAX))
    }
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            deadline: Duration::from_millis(500),
            host: Duration::from_secs(2),
            whole: Duration::from_secs(10),
            heavy: Duration::from_secs(30),
            memory: 64 << 20,
            large_memory: 256 << 20,
            store_calls: 10_000,
            rows: 100_000,
            output: 8 << 20,
            reported: 1 << 20,
            hostcall: 4 << 20,
        }
    }
}

impl Limits {
    /// The limits of one request: they grow with the route's body limit and with the lines of the list that the route names.
    pub fn for_request(&self, body_limit: u64, lines: usize) -> Limits {
        let shares = u32::try_from(1 + lines / 100).unwrap_or(u32::MAX).min(16);
        let body = usize::try_from(body_limit).unwrap_or(usize::MAX);
        Limits {
            deadline: self.deadline.saturating_mul(shares),
            host: self.host.saturating_mul(shares),
            // Events repeat the content of a large body.
            reported: self
                .reported
                .saturating_mul(usize::try_from(shares).unwrap_or(1))
                .saturating_add(if body_limit > 1 << 20 { body } else { 0 }),
            memory: if body_limit > 1 << 20 { self.large_memory } else { self.memory },
            store_calls: self.store_calls.saturating_mul(shares),
            rows: self.rows.saturating_mul(shares),
            hostcall: self.hostcall.max(body.saturating_mul(4)),
            ..*self
        }
    }

    /// The limits of a read that may take as long as a report does.
    pub fn for_heavy_read(self) -> Limits {
        Limits { whole: self.heavy, host: self.heavy, ..self }
    }

    /// Guest time of a request whose store gave and took so many rows: where the data is large and not what the caller sent, the
    /// time grows with it.
    pub fn deadline_after(&self, rows: usize) -> Duration {
        self.deadline.saturating_add(TIME_OF_A_ROW.saturating_mul(u32::try_from(rows).unwrap_or(u32::MAX)))
    }

    /// Time left for the store calls of a request of this age whose store took so many rows. The rows add time for
    /// calls that write: a module that writes thousands of rows buys no time to read with.
    pub fn call_time_left(&self, spent: HostTime, age: Duration, written: usize) -> CallTime {
        let rows = u32::try_from(written).unwrap_or(u32::MAX);
        let left = self.host.saturating_add(STORE_TIME_OF_A_ROW.saturating_mul(rows)).saturating_sub(spent.all);
        let all = left.min(self.whole.saturating_sub(age));
        CallTime { all, reads: all.min(self.host.saturating_sub(spent.reads)), read: Duration::ZERO }
    }

    /// Memory of an extension.
    pub fn share_of_memory(&self) -> usize {
        self.memory / SHARE as usize
    }

    /// The part of an extension that is used up. Its guest time grows with its rows, as the request's does.
    pub fn find_excess_of_share(&self, used: &ShareUse) -> Option<Failure> {
        let rows = TIME_OF_A_ROW.saturating_mul(u32::try_from(used.rows).unwrap_or(u32::MAX));
        let time = (self.deadline / SHARE).saturating_add(rows);
        let (most_calls, most_rows) = (self.store_calls / SHARE, self.rows / SHARE);
        let is_above = |count: usize, most: u32| u32::try_from(count).map_or(true, |count| count > most);
        if used.time >= time {
            return Some(Failure::from_time("guest time of an extension", time));
        }
        if is_above(used.calls, most_calls) {
            return Some(Failure::from_limit("store calls of an extension", most_calls));
        }
        is_above(used.rows, most_rows).then(|| Failure::from_limit("rows of an extension", most_rows))
    }

    /// Memory of a request that has read so many full pages.
    pub fn memory_after(&self, full_pages: usize) -> usize {
        if full_pages > 0 { self.memory.max(self.large_memory) } else { self.memory }
    }
}

/// Guest time that a row adds which the store gave or took.
const TIME_OF_A_ROW: Duration = Duration::from_micros(50);

/// Time of the store that a written row adds: it is in several indexes. A read row adds none.
const STORE_TIME_OF_A_ROW: Duration = Duration::from_micros(200);

/// Time that one request has spent in host calls that have ended.
#[derive(Debug, Clone, Copy)]
pub struct HostTime {
    pub all: Duration,
    /// Time of store calls that write nothing.
    pub reads: Duration,
}

/// Guest time of one request: runs while the guest's future is polled and no host call is under way.
#[derive(Debug, Clone)]
pub struct GuestClock(Arc<Ticks>);

#[derive(Debug)]
struct Ticks {
    start: Instant,
    spent: AtomicU64,
    /// Nanoseconds after `start`, plus one; 0 while paused.
    since: AtomicU64,
    in_host: AtomicBool,
    /// Nanoseconds in host calls that have ended, and when the one under way began.
    host_spent: AtomicU64,
    host_since: AtomicU64,
    /// Nanoseconds in store calls that write nothing.
    read_spent: AtomicU64,
}

impl Default for GuestClock {
    fn default() -> GuestClock {
        GuestClock(Arc::new(Ticks {
            start: Instant::now(),
            spent: AtomicU64::new(0),
            since: AtomicU64::new(0),
            in_host: AtomicBool::new(false),
            host_spent: AtomicU64::new(0),
            host_since: AtomicU64::new(0),
            read_spent: AtomicU64::new(0),
        }))
    }
}

impl GuestClock {
    fn elapsed(&self) -> u64 {
        u64::try_from(self.0.start.elapsed().as_nanos()).unwrap_or(u64::MAX - 1)
    }

    fn run(&self) {
        if !self.0.in_host.load(Relaxed) {
            self.0.since.store(self.elapsed() + 1, Relaxed);
        }
    }

    fn pause(&self) {
        let since = self.0.since.swap(0, Relaxed);
        if since > 0 {
            self.0.spent.fetch_add((self.elapsed() + 1).saturating_sub(since), Relaxed);
        }
    }

    pub fn enter_host(&self) {
        self.pause();
        self.0.in_host.store(true, Relaxed);
        self.0.host_since.store(self.elapsed(), Relaxed);
    }

    pub fn leave_host(&self) {
        self.0.in_host.store(false, Relaxed);
        self.0.host_spent.fetch_add(self.elapsed().saturating_sub(self.0.host_since.load(Relaxed)), Relaxed);
        self.run();
    }

    /// Counts a store call that wrote nothing. The call is part of the time in host calls as well.
    pub fn add_read_time(&self, time: Duration) {
        self.0.read_spent.fetch_add(u64::try_from(time.as_nanos()).unwrap_or(u64::MAX), Relaxed);
    }

    /// Time in host calls that have ended.
    pub fn host_time_spent(&self) -> HostTime {
        HostTime {
            all: Duration::from_nanos(self.0.host_spent.load(Relaxed)),
            reads: Duration::from_nanos(self.0.read_spent.load(Relaxed)),
        }
    }

    /// How long ago the request's first guest was called.
    pub fn age(&self) -> Duration {
        self.0.start.elapsed()
    }

    /// How long the guest has run since it was last resumed or came back from the host.
    pub fn stretch(&self) -> Duration {
        let since = self.0.since.load(Relaxed);
        let nanos = if since > 0 { (self.elapsed() + 1).saturating_sub(since) } else { 0 };
        Duration::from_nanos(nanos)
    }

    pub fn time_spent(&self) -> Duration {
        Duration::from_nanos(self.0.spent.load(Relaxed)) + self.stretch()
    }

    /// Counts only the time inside `poll`: a guest that waits for a processor of a busy host is not charged for it.
    pub async fn measure<F: Future>(&self, future: F) -> F::Output {
        let mut future = std::pin::pin!(future);
        std::future::poll_fn(|context| {
            self.run();
            let polled = future.as_mut().poll(context);
            self.pause();
            polled
        })
        .await
    }
}

/// Linear memory and tables of every instance of one request.
#[derive(Debug)]
pub struct MemoryLimit {
    pub limit: usize,
    pub used: usize,
    /// Use beyond which the share of the extension that runs is used up.
    pub until: usize,
    /// Set when the limit was passed: distinguishes a limit from any other trap.
    pub exceeded: bool,
    /// Set when only the share of an extension was passed.
    pub share_exceeded: bool,
}

impl MemoryLimit {
    pub fn new(limit: usize) -> MemoryLimit {
        MemoryLimit { limit, used: 0, until: usize::MAX, exceeded: false, share_exceeded: false }
    }
}

impl wasmtime::ResourceLimiter for MemoryLimit {
    fn memory_growing(&mut self, current: usize, desired: usize, _maximum: Option<usize>) -> wasmtime::Result<bool> {
        let used = self.used.saturating_add(desired.saturating_sub(current));
        if used > self.limit {
            self.exceeded = true;
            // A trap, not a failed allocation: the guest must not go on with half its work.
            wasmtime::bail!("memory limit of {} bytes", self.limit);
        }
        if used > self.until {
            self.share_exceeded = true;
            wasmtime::bail!("memory limit of an extension");
        }
        self.used = used;
        Ok(true)
    }

    fn table_growing(&mut self, _current: usize, desired: usize, _maximum: Option<usize>) -> wasmtime::Result<bool> {
        Ok(desired <= 10_000)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn guest_time_grows_with_the_rows_of_the_store() {
        let limits = Limits::default();
        for (rows, expected) in [(0, 500), (2_000, 600), (100_000, 5_500)] {
            assert_eq!(limits.deadline_after(rows), Duration::from_millis(expected), "{rows}");
        }
        assert!(limits.deadline_after(usize::MAX) > limits.deadline);
    }

    #[test]
    fn written_rows_add_time_for_calls_that_write_and_none_to_read_with() {
        let (limits, second) = (Limits::default(), Duration::from_secs(1));
        let spent = |all: u32, reads: u32| HostTime { all: second * all, reads: second * reads };
        for (spent, written, writing, reading) in [
            (spent(0, 0), 0, 2, 2),
            // Ten thousand rows add two seconds.
            (spent(0, 0), 10_000, 4, 2),
            (spent(2, 0), 10_000, 2, 2),
            (spent(3, 0), 10_000, 1, 1),
            (spent(3, 2), 10_000, 1, 0),
            (spent(5, 1), 10_000, 0, 0),
        ] {
            let left = limits.call_time_left(spent, Duration::ZERO, written);
            assert_eq!([left.all, left.reads], [second * writing, second * reading], "{spent:?} {written}");
        }
        // However much is written, all ends with the time of the whole request.
        for (age, written, writing, reading) in [(9, 10_000, 1, 1), (7, 100_000, 3, 2), (10, 100_000, 0, 0)] {
            let left = limits.call_time_left(spent(0, 0), second * age, written);
            assert_eq!([left.all, left.reads], [second * writing, second * reading], "{age} {written}");
        }
        let clock = GuestClock::default();
        clock.add_read_time(second);
        assert_eq!(clock.host_time_spent().reads, second);
    }

    #[test]
    fn an_extension_has_a_quarter_of_the_limits() {
        let (limits, nothing) = (Limits::default(), ShareUse::default());
        let quarter = Duration::from_millis(125);
        for (used, expected) in [
            (nothing, None),
            (ShareUse { time: quarter - Duration::from_nanos(1), ..nothing }, None),
            (ShareUse { time: quarter, ..nothing }, Some("a time is used up: guest time of an extension: 125 ms")),
            // A thousand rows add 50 ms.
            (ShareUse { time: quarter, rows: 1_000, ..nothing }, None),
            (ShareUse { calls: 2_500, ..nothing }, None),
            (ShareUse { calls: 2_501, ..nothing }, Some("a limit is passed: store calls of an extension: 2500")),
            (ShareUse { rows: 25_000, ..nothing }, None),
            (ShareUse { rows: 25_001, ..nothing }, Some("a limit is passed: rows of an extension: 25000")),
        ] {
            let found = limits.find_excess_of_share(&used).map(|failure| failure.to_string());
            assert_eq!(found.as_deref(), expected, "{used:?}");
        }
        assert_eq!(limits.share_of_memory(), 16 << 20);
    }

    #[test]
    fn a_guest_stays_below_the_limit_and_below_the_share_of_an_extension() {
        use wasmtime::ResourceLimiter as _;

        let mut memory = MemoryLimit { until: 50, ..MemoryLimit::new(100) };
        assert!(memory.memory_growing(0, 50, None).unwrap());
        assert!(memory.memory_growing(50, 51, None).is_err() && memory.share_exceeded && !memory.exceeded);
        memory.until = usize::MAX;
        assert!(memory.memory_growing(50, 100, None).unwrap());
        assert!(memory.memory_growing(100, 101, None).is_err() && memory.exceeded);
    }

    #[test]
    fn limits_grow_with_lines_and_with_full_pages() {
        let limits = Limits::default();
        let many = limits.for_request(1 << 20, 250);
        assert_eq!((many.deadline, many.rows), (limits.deadline * 3, limits.rows * 3));
        assert_eq!((limits.memory_after(0), limits.memory_after(1)), (limits.memory, limits.large_memory));
    }
}
