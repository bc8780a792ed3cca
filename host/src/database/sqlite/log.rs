//! The write-ahead log's size. SQLite begins the log anew only when no reader looks into it: readers that overlap, each of them lawful,
//! would have it grow without end. When it has grown too large, the writer holds new readers back for the moment that takes.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rusqlite::Connection;

use super::queue::{Hold, Queue};

/// Largest log in bytes: beyond it readers are held back, and a log begun anew is cut to it.
pub const LARGEST: u64 = 64 << 20;
/// How often the writer looks.
const LOOK: Duration = Duration::from_millis(100);
/// Longest wait for readers that run, and the pause after one in vain.
const WAIT: Duration = Duration::from_millis(250);
const PAUSE: Duration = Duration::from_millis(500);

pub struct Log {
    path: PathBuf,
    largest: u64,
    next_look: Instant,
}

impl Log {
    /// The log of the database at this path.
    pub fn new(database: &Path, largest: u64) -> Log {
        let mut path = database.as_os_str().to_owned();
        path.push("-wal");
        Log { path: path.into(), largest, next_look: Instant::now() }
    }

    /// Between two groups of writes: empties the log where it is too large. Reads that may take long begin no more until that is done,
    /// others stand still for a moment; where one runs too long even for that, the writer goes on and tries again.
    pub fn keep_small<J>(&mut self, writer: &Connection, readers: &Queue<J>) {
        let now = Instant::now();
        if now < self.next_look {
            return;
        }
        self.next_look = now + LOOK;
        let size = std::fs::metadata(&self.path).map_or(0, |log| log.len());
        if size <= self.largest {
            readers.hold(Hold::Nothing);
            return;
        }
        readers.hold(Hold::Everything);
        let emptied = readers.wait_idle(WAIT) && self.empty(writer);
        if emptied {
            readers.hold(Hold::Nothing);
            metrics::counter!("stoa_wal_emptied_total").increment(1);
        } else {
            readers.hold(Hold::Long);
            self.next_look = Instant::now() + PAUSE;
            tracing::debug!(size, "the write-ahead log is large, and a reader still looks into it");
        }
    }

    /// Whether everything of the log is in the database and the log begins anew.
    fn empty(&self, writer: &Connection) -> bool {
        // A reader of another process must not make the writer wait.
        let _ = writer.busy_timeout(Duration::ZERO);
        let busy = writer.query_row("pragma wal_checkpoint(truncate)", [], |row| row.get::<_, i64>(0));
        let _ = writer.busy_timeout(super::BUSY);
        busy.is_ok_and(|busy| busy == 0)
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::QueueKey;
    use super::super::super::fair_queue::Capacity;
    use super::*;

    #[test]
    fn a_large_log_is_emptied_behind_readers_who_are_held_back() {
        let folder = std::env::temp_dir().join(format!("stoa-log-{}", uuid::Uuid::new_v4().simple()));
        std::fs::create_dir_all(&folder).unwrap();
        let path = folder.join("stoa.sqlite");
        let open = || Connection::open(&path).unwrap();
        let (writer, reader) = (open(), open());
        let wal: String = writer.query_row("pragma journal_mode = wal", [], |row| row.get(0)).unwrap();
        assert_eq!(wal, "wal");
        writer.execute_batch("create table t (a blob); insert into t values (zeroblob(1000))").unwrap();
        let readers: Queue<bool> = Queue::new(Capacity { slots: 2, queue: 9 }, |long| *long);
        readers.push(QueueKey::Global, false).unwrap();
        let (place, _) = readers.pop().unwrap();
        reader.execute_batch("begin; select count(*) from t").unwrap();
        for _ in 0..50 {
            writer.execute_batch("insert into t values (zeroblob(100000))").unwrap();
        }
        let mut log = Log::new(&path, 1 << 20);
        let size = || std::fs::metadata(log_path(&path)).unwrap().len();
        assert!(size() > 4 << 20);
        // One still reads: the writer goes on, and only what may take long waits.
        log.keep_small(&writer, &readers);
        assert!(size() > 4 << 20);
        readers.push(QueueKey::Global, true).unwrap();
        assert!(readers.try_pop().is_none());
        readers.push(QueueKey::Company(uuid::Uuid::from_u128(1)), false).unwrap();
        let (other, _) = readers.try_pop().unwrap();
        readers.end(other);
        // It has ended: the log begins anew, and everybody reads on.
        reader.execute_batch("commit").unwrap();
        readers.end(place);
        std::thread::sleep(PAUSE);
        log.keep_small(&writer, &readers);
        assert_eq!(size(), 0);
        assert!(readers.try_pop().is_some());
        let rows: i64 = reader.query_row("select count(*) from t", [], |row| row.get(0)).unwrap();
        assert_eq!(rows, 51);
        std::fs::remove_dir_all(&folder).unwrap();
    }

    fn log_path(database: &Path) -> PathBuf {
        Log::new(database, 0).path
    }
}
