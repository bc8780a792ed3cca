//! The write-ahead log's size. SQLite begins the log again only when no reader looks into it: readers that overlap, each of them lawful,
//! would have it grow without end.
//!
//! When the log has grown too large, keys whose reads run long begin no more of them until the log is empty: they
//! wait for themselves. Once no read runs long any more, all reads are held back for a moment, and the writer empties
//! the log. A key whose read outlasts that moment is held back too, so that one of the next attempts succeeds. Where
//! the log grows on all the same, reads that have run for a second end.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rusqlite::Connection;

use super::super::QueueKey;
use super::queue::{Hold, Queue};
use super::stopwatch::Stopwatch;

/// Largest log in bytes: beyond it readers are held back, and a log begun again is cut to it.
pub const LARGEST: u64 = 64 << 20;
/// So many times that size, and reads of an age end before their time.
const FAR: u64 = 4;
const AGE: Duration = Duration::from_secs(1);
/// A read that has run this long is a long one.
const LONG: Duration = Duration::from_millis(100);
/// How often the writer looks.
const LOOK: Duration = Duration::from_millis(100);
/// The moment for which all reads are held back, and the pause after one in which a reader of another process was in
/// the way.
const WAIT: Duration = Duration::from_millis(10);
const PAUSE: Duration = Duration::from_millis(500);

pub struct Log {
    path: PathBuf,
    largest: u64,
    next_look: Instant,
    /// True if the queue holds reads back.
    holds: bool,
    long: HashSet<QueueKey>,
}

/// The file of the log of the database at this path.
pub fn path_of(database: &Path) -> PathBuf {
    let mut path = database.as_os_str().to_owned();
    path.push("-wal");
    path.into()
}

impl Log {
    /// The log of the database at this path.
    pub fn new(database: &Path, largest: u64) -> Log {
        Log { path: path_of(database), largest, next_look: Instant::now(), holds: false, long: HashSet::new() }
    }

    /// The time until the writer must look again, though nothing is written: readers are held back until then.
    pub fn next_look(&self) -> Option<Duration> {
        self.holds.then(|| self.next_look.saturating_duration_since(Instant::now()))
    }

    /// Between two groups of writes: empties the log where it is too large, as soon as no reader is in the way.
    pub fn keep_small<J>(&mut self, writer: &Connection, readers: &Queue<J>, clock: &Stopwatch) {
        let now = Instant::now();
        if now < self.next_look {
            return;
        }
        self.next_look = now + LOOK;
        let size = std::fs::metadata(&self.path).map_or(0, |log| log.len());
        if size <= self.largest {
            if self.holds {
                self.let_go(readers);
            }
            return;
        }
        if size > self.largest.saturating_mul(FAR) {
            clock.end_jobs(AGE);
        }
        let long = clock.find_running(LONG);
        if !long.is_empty() {
            tracing::debug!(size, "the write-ahead log is large, and a reader still looks into it");
            self.hold_back(readers, long);
            return;
        }
        // Most of the work is done while reads go on.
        self.checkpoint(writer, "pragma wal_checkpoint(passive)");
        readers.hold(Hold::Everything);
        if !readers.wait_idle(WAIT) {
            self.hold_back(readers, clock.find_running(Duration::ZERO));
        } else if self.checkpoint(writer, "pragma wal_checkpoint(truncate)") {
            self.let_go(readers);
            metrics::counter!("stoa_wal_emptied_total").increment(1);
        } else {
            self.hold_back(readers, Vec::new());
            self.next_look = Instant::now() + PAUSE;
        }
    }

    /// These keys begin no more reads until the log is empty. The host's own rows are read by all.
    fn hold_back<J>(&mut self, readers: &Queue<J>, long: Vec<QueueKey>) {
        self.long.extend(long.into_iter().filter(|key| *key != QueueKey::Global));
        self.holds = true;
        readers.hold(Hold::Keys(self.long.clone()));
    }

    fn let_go<J>(&mut self, readers: &Queue<J>) {
        self.long.clear();
        self.holds = false;
        readers.hold(Hold::Nothing);
    }

    /// Returns whether everything of the log is in the database.
    fn checkpoint(&self, writer: &Connection, sql: &str) -> bool {
        // A reader of another process must not make the writer wait.
        let _ = writer.busy_timeout(Duration::ZERO);
        let busy = writer.query_row(sql, [], |row| row.get::<_, i64>(0));
        let _ = writer.busy_timeout(super::BUSY);
        busy.is_ok_and(|busy| busy == 0)
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::fair_queue::Capacity;
    use super::super::stopwatch;
    use super::*;

    /// A job of a key, and whether it is a report.
    type Job = (QueueKey, bool);

    struct Ground {
        folder: PathBuf,
        writer: Connection,
        readers: Queue<Job>,
        log: Log,
    }

    impl Ground {
        /// A database whose log has more than four MiB in a moment, of which `largest` are no trouble.
        fn new(largest: u64) -> Ground {
            let folder = std::env::temp_dir().join(format!("stoa-log-{}", uuid::Uuid::new_v4().simple()));
            std::fs::create_dir_all(&folder).unwrap();
            let writer = Connection::open(folder.join("stoa.sqlite")).unwrap();
            let wal: String = writer.query_row("pragma journal_mode = wal", [], |row| row.get(0)).unwrap();
            assert_eq!(wal, "wal");
            writer.execute_batch("pragma wal_autocheckpoint = 0").unwrap();
            writer.execute_batch("create table t (a blob); insert into t values (zeroblob(1000))").unwrap();
            let is_held = |(key, report): &Job, keys: &HashSet<QueueKey>| *report || keys.contains(key);
            let readers = Queue::new(Capacity { slots: 4, queue: 20 }, is_held);
            let log = Log::new(&folder.join("stoa.sqlite"), largest);
            Ground { folder, writer, readers, log }
        }

        fn reader(&self) -> Connection {
            Connection::open(self.folder.join("stoa.sqlite")).unwrap()
        }

        fn write(&self) {
            for _ in 0..50 {
                self.writer.execute_batch("insert into t values (zeroblob(100000))").unwrap();
            }
            assert!(self.size() > 4 << 20);
        }

        fn size(&self) -> u64 {
            std::fs::metadata(&self.log.path).unwrap().len()
        }

        fn push(&self, key: QueueKey, report: bool) {
            self.readers.push(key, (key, report)).unwrap();
        }

        /// A read of this key begins.
        fn begin(&self, key: QueueKey) {
            self.push(key, false);
            assert_eq!(self.readers.try_pop(), Some((key, (key, false))));
        }

        fn look(&mut self, clock: &Stopwatch) {
            std::thread::sleep(self.log.next_look.saturating_duration_since(Instant::now()));
            self.log.keep_small(&self.writer, &self.readers, clock);
        }
    }

    impl Drop for Ground {
        fn drop(&mut self) {
            let _ = std::fs::remove_dir_all(&self.folder);
        }
    }

    fn company(number: u128) -> QueueKey {
        QueueKey::Company(uuid::Uuid::from_u128(number))
    }

    fn far() -> Instant {
        Instant::now() + Duration::from_secs(600)
    }

    #[test]
    fn a_large_log_holds_back_who_reads_long_and_nobody_else() {
        let mut ground = Ground::new(2 << 20);
        let (clock, _thread) = Stopwatch::start().unwrap();
        clock.watch_this_thread();
        let reader = ground.reader();
        ground.begin(company(1));
        stopwatch::begin(&reader, company(1), far());
        reader.execute_batch("begin; select count(*) from t").unwrap();
        ground.write();
        std::thread::sleep(LONG);
        ground.look(&clock);
        assert!(ground.size() > 4 << 20 && ground.log.next_look().is_some());
        for (key, report) in [(company(1), false), (company(2), true), (company(3), false), (QueueKey::Global, false)] {
            ground.push(key, report);
        }
        for key in [company(3), QueueKey::Global] {
            assert_eq!(ground.readers.try_pop(), Some((key, (key, false))));
            ground.readers.end(key);
        }
        assert_eq!(ground.readers.try_pop(), None, "it reads long, or may");
        // It has ended: the log begins again, and everybody reads on.
        reader.execute_batch("commit").unwrap();
        stopwatch::end();
        ground.readers.end(company(1));
        ground.look(&clock);
        assert_eq!((ground.size(), ground.log.next_look()), (0, None));
        assert!(ground.readers.try_pop().is_some() && ground.readers.try_pop().is_some());
        let rows: i64 = reader.query_row("select count(*) from t", [], |row| row.get(0)).unwrap();
        assert_eq!(rows, 51);
    }

    #[test]
    fn who_is_in_the_way_for_a_moment_is_held_back_until_the_next() {
        let mut ground = Ground::new(2 << 20);
        let (clock, _thread) = Stopwatch::start().unwrap();
        clock.watch_this_thread();
        let reader = ground.reader();
        ground.write();
        ground.begin(company(1));
        stopwatch::begin(&reader, company(1), far());
        ground.look(&clock);
        ground.push(company(1), false);
        ground.begin(company(2));
        ground.readers.end(company(2));
        assert_eq!(ground.readers.try_pop(), None);
        stopwatch::end();
        ground.readers.end(company(1));
        ground.look(&clock);
        assert_eq!(ground.size(), 0);
        assert!(ground.readers.try_pop().is_some());
    }

    #[test]
    fn a_log_that_is_far_too_large_ends_the_reads_that_keep_it() {
        let mut ground = Ground::new(1 << 20);
        let (clock, _thread) = Stopwatch::start().unwrap();
        let (reader, thread_clock) = (ground.reader(), clock.clone());
        ground.begin(company(1));
        reader.execute_batch("begin; select count(*) from t").unwrap();
        ground.write();
        let thread = std::thread::spawn(move || {
            thread_clock.watch_this_thread();
            stopwatch::begin(&reader, company(1), far());
            let endless =
                "with recursive n(n) as (select 1 union all select n + 1 from n) select count(*) from n where n < 0";
            let ended = reader.query_row(endless, [], |row| row.get::<_, i64>(0));
            stopwatch::end();
            ended.unwrap_err().sqlite_error_code()
        });
        let begin = Instant::now();
        while !thread.is_finished() {
            assert!(begin.elapsed() < Duration::from_secs(60), "the read goes on");
            ground.look(&clock);
        }
        assert_eq!(thread.join().unwrap(), Some(rusqlite::ErrorCode::OperationInterrupted));
        ground.readers.end(company(1));
        ground.look(&clock);
        assert_eq!(ground.size(), 0);
    }
}
