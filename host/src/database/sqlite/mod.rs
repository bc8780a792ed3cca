//! SQLite, the embedded default: one file, WAL, synchronous=FULL, one writer that commits in groups, a few readers.
//!
//! A request runs whole on one database thread: a hop per request, not per statement. The writer runs waiting requests one
//! after the other and commits them together: one flush for many. A request that follows a kept one runs in a savepoint.
//! Every answer of a group, refusals too (they may rest on a group-mate's rows), waits for that commit.

pub mod copy;
pub mod damage;
mod group;
mod log;
mod own;
mod pace;
mod queue;
mod stopwatch;
mod watch;

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use futures_util::FutureExt;
use rusqlite::types::{ToSqlOutput, ValueRef};
use rusqlite::{Connection, OpenFlags};
use tokio::sync::oneshot;

use self::log::Log;
use self::pace::Pace;
use self::queue::{Next, Queue};
use self::stopwatch::Stopwatch;
use self::watch::WriteWatches;
use super::fair_queue::{Capacity, Load};
use super::heavy::HeavyWork;
use super::row::Cell;
use super::{DatabaseSettings, Destination, Error, News, QueueKey, Row, Session, Verdict, Work, migrations};
use crate::{secret_file, watchdog};

pub use self::own::open_own;
pub use self::pace::PacePermit;
pub use self::stopwatch::{is_over as is_time_over, lift as lift_time_limit, limit_part as limit_time};
pub use self::watch::WriteWatch;

/// Requests that may wait for the writer, and for the readers; one more is answered 503.
const QUEUE: usize = 1024;
/// The first release without the WAL-reset fault (reliability.md, fact 5).
const OLDEST: i32 = 3_051_003;
/// Shapes of statements kept prepared per connection.
const PREPARED: usize = 512;
/// Longest wait for a lock of another process.
const BUSY: Duration = Duration::from_secs(5);

pub struct Sqlite {
    writes: Arc<Queue<Job>>,
    reads: Arc<Queue<Job>>,
    pace: Arc<Pace>,
    pub heavy_work: Arc<HeavyWork>,
    pub news: News,
    watches: Arc<WriteWatches>,
    threads: Mutex<Vec<JoinHandle<()>>>,
    request_timeout: Duration,
    heavy_read_timeout: Duration,
    file: Arc<File>,
}

/// The file, and what each connection to it registers.
struct File {
    path: PathBuf,
    register: fn(&Connection) -> rusqlite::Result<()>,
    /// The last write found no room.
    full: AtomicBool,
}

/// A request on its way through a database thread. `run` gives the connection back (unless a panic lost it), whether to keep
/// what it did, and how to answer once that is decided. Run with an error it only answers that.
struct Job {
    /// A read may take as long as a report does; a write has many lines.
    heavy: bool,
    key: QueueKey,
    run: Box<dyn FnOnce(Result<Connection, Error>) -> Ran + Send>,
}

struct Ran {
    connection: Option<Connection>,
    keep: bool,
    answer: Reply,
}

impl Job {
    /// Returns whether the job is held where those of these keys are: reports are too.
    fn is_held(&self, keys: &HashSet<QueueKey>) -> bool {
        self.heavy || keys.contains(&self.key)
    }
}

/// Answers a caller once its group's fate is known.
type Reply = Box<dyn FnOnce(Result<(), Error>) + Send>;

impl Sqlite {
    pub async fn open(path: &Path, settings: &DatabaseSettings) -> anyhow::Result<Sqlite> {
        anyhow::ensure!(
            rusqlite::version_number() >= OLDEST,
            "SQLite {} has a fault that corrupts databases; 3.51.3 or newer is needed",
            rusqlite::version()
        );
        if let Some(folder) = path.parent() {
            secret_file::make_folder(folder)?;
        }
        keep_private(path)?;
        migrate(path).await?;

        let readers = settings.sqlite_readers.max(1);
        let writes = Arc::new(Queue::new(Capacity { slots: group::MOST, queue: QUEUE }, Job::is_held));
        let reads = Arc::new(Queue::new(Capacity { slots: readers, queue: QUEUE }, Job::is_held));
        let pace = Arc::new(Pace::default());
        let watches = Arc::new(WriteWatches::default());
        let (clock, thread) = Stopwatch::start()?;
        let mut threads = vec![thread];
        let register = settings.prepare.sqlite;
        let file = Arc::new(File { path: path.to_owned(), register, full: AtomicBool::new(false) });
        let writer = connect(&file, false)?;
        let (thread_file, thread_clock, held) = (file.clone(), clock.clone(), reads.clone());
        let queue = Writes { queue: writes.clone(), pace: pace.clone(), watches: watches.clone(), gather: group::TIME };
        threads.push(watchdog::spawn_vital_thread("stoa-writer", move || {
            thread_clock.watch_this_thread();
            write_loop(&thread_file, writer, &queue, &held, &thread_clock);
        })?);
        for number in 0..readers {
            let (reader, queue, thread_file, thread_clock) =
                (connect(&file, true)?, reads.clone(), file.clone(), clock.clone());
            threads.push(watchdog::spawn_vital_thread(format!("stoa-reader-{number}"), move || {
                thread_clock.watch_this_thread();
                read_loop(&thread_file, reader, &queue);
            })?);
        }
        let (request_timeout, heavy_read_timeout) = (settings.request_timeout, settings.heavy_read_timeout);
        Ok(Sqlite {
            writes,
            reads,
            pace,
            heavy_work: HeavyWork::new(settings.heavy_work),
            news: News::default(),
            watches,
            threads: Mutex::new(threads),
            request_timeout,
            heavy_read_timeout,
            file,
        })
    }

    pub async fn write<T: Send + 'static>(
        &self,
        deadline: Option<tokio::time::Instant>,
        destination: Destination,
        large: bool,
        work: Work<T>,
    ) -> Result<T, Error> {
        let left = deadline.map(|deadline| deadline.saturating_duration_since(tokio::time::Instant::now()));
        let time = left.map_or(self.request_timeout, |left| left.min(self.request_timeout));
        self.submit(&self.writes, destination, time, large, work).await
    }

    /// Waits until a large write of this company may run: see `pace.rs`.
    pub async fn permit_large_write(&self, key: QueueKey) -> Result<Option<PacePermit>, Error> {
        self.pace.take(key, self.request_timeout * 3 / 4).await
    }

    pub async fn read<T: Send + 'static>(&self, destination: Destination, work: Work<T>) -> Result<T, Error> {
        self.submit(&self.reads, destination, self.request_timeout, false, work).await
    }

    /// As `read`, for what may take longer. Its statements end a little before its time, as PostgreSQL's do: a slow database is
    /// no fault of the module whose time it takes.
    pub async fn read_heavy<T: Send + 'static>(&self, destination: Destination, work: Work<T>) -> Result<T, Error> {
        self.submit(&self.reads, destination, self.heavy_read_timeout / 10 * 9, true, work).await
    }

    /// Takes note of the time that a draft took: see `pace.rs`.
    pub fn note_draft(&self, time: Duration) {
        self.pace.note_draft(time);
    }

    /// Begins to watch the writes of this key.
    pub fn watch_writes(&self, key: QueueKey) -> WriteWatch {
        self.watches.begin(key)
    }

    /// Returns whether the last write found room on the disk.
    pub fn has_room(&self) -> bool {
        !self.file.full.load(Relaxed)
    }

    /// Use of the threads, by kind. The writer runs one group of requests at a time.
    pub fn loads(&self) -> Vec<(&'static str, Load)> {
        vec![("reader", self.reads.load()), ("writer", self.writes.load())]
    }

    /// Size of the write-ahead log.
    pub fn count_wal_bytes(&self) -> u64 {
        std::fs::metadata(log::path_of(&self.file.path)).map_or(0, |log| log.len())
    }

    async fn submit<T: Send + 'static>(
        &self,
        queue: &Queue<Job>,
        destination: Destination,
        time: Duration,
        heavy: bool,
        work: Work<T>,
    ) -> Result<T, Error> {
        let (send, receive) = oneshot::channel();
        queue.push(destination.queue, job(work, send, destination.queue, Instant::now() + time, heavy))?;
        receive.await.unwrap_or_else(|_| Err(Error::Unavailable("the database thread ended".into())))
    }

    /// Lets the threads finish what is queued.
    pub fn close(&self) {
        self.close_queues();
        let threads = self.threads.lock().map(|mut threads| std::mem::take(&mut *threads)).unwrap_or_default();
        for thread in threads {
            let _ = thread.join();
        }
    }
}

impl Sqlite {
    fn close_queues(&self) {
        self.writes.close();
        self.reads.close();
    }
}

impl Drop for Sqlite {
    fn drop(&mut self) {
        self.close_queues();
    }
}

fn job<T: Send + 'static>(
    work: Work<T>,
    send: oneshot::Sender<Result<T, Error>>,
    key: QueueKey,
    deadline: Instant,
    heavy: bool,
) -> Job {
    let queued = Instant::now();
    let run = move |connection: Result<Connection, Error>| {
        metrics::histogram!("stoa_database_wait_seconds").record(queued.elapsed());
        let (connection, verdict) = match connection {
            Err(error) => (None, Verdict::Fail(error)),
            Ok(connection) if Instant::now() > deadline || send.is_closed() => {
                (Some(connection), Verdict::Fail(Error::Unavailable("the request waited too long".into())))
            }
            Ok(connection) => {
                stopwatch::begin(&connection, key, deadline);
                let run = || block_on(work(Session::Sqlite(connection)));
                let ran = std::panic::catch_unwind(std::panic::AssertUnwindSafe(run));
                stopwatch::end();
                match ran {
                    Ok((Some(Session::Sqlite(connection)), verdict)) => (Some(connection), verdict),
                    Ok((_, verdict)) => (None, verdict),
                    Err(_) => (None, Verdict::Fail(Error::Fault("the request panicked".into()))),
                }
            }
        };
        let (keep, result) = match verdict {
            Verdict::Commit(answer) => (true, Ok(answer)),
            Verdict::RollBack(answer) => (false, Ok(answer)),
            Verdict::Fail(error) => (false, Err(error)),
        };
        Ran { connection, keep, answer: Box::new(move |group| drop(send.send(group.and(result)))) }
    };
    Job { heavy, key, run: Box::new(run) }
}

/// Host functions are async for both databases; on a database thread their futures are ready at once, so polling is all it
/// takes.
fn block_on<F: Future + Unpin>(mut future: F) -> F::Output {
    let mut context = std::task::Context::from_waker(std::task::Waker::noop());
    loop {
        if let std::task::Poll::Ready(output) = future.poll_unpin(&mut context) {
            return output;
        }
        std::thread::yield_now();
    }
}

/// The writer's queue, the pace of what runs, the watches over commits, and the longest that a group gathers requests.
struct Writes {
    queue: Arc<Queue<Job>>,
    pace: Arc<Pace>,
    watches: Arc<WriteWatches>,
    gather: Duration,
}

impl Writes {
    /// A write of this key has ended, which began then.
    fn charge(&self, key: QueueKey, began: Instant) {
        let (time, now) = (began.elapsed(), Instant::now());
        self.queue.charge(key, time, now);
        self.pace.note(key, time, now);
    }

    /// The next, at most after this time. One runs at a time: only the order counts here.
    fn pop_within(&self, time: Option<Duration>) -> Next<Job> {
        let next = self.queue.pop_within(time);
        if let Next::Job(key, _) = &next {
            self.queue.end(*key);
        }
        next
    }

    /// The next, if one waits.
    fn try_pop(&self) -> Option<Job> {
        let (key, job) = self.queue.try_pop()?;
        self.queue.end(key);
        Some(job)
    }
}

fn write_loop(file: &File, writer: Connection, writes: &Writes, readers: &Queue<Job>, clock: &Stopwatch) {
    let mut connection = Some(writer);
    let mut log = Log::new(&file.path, log::LARGEST);
    let mut put_off = None;
    loop {
        // Readers that are held back wait for the log, also where nothing is written any more.
        let next = match put_off.take() {
            Some(job) => Some(job),
            None => match writes.pop_within(log.next_look()) {
                Next::Closed => return,
                Next::Late => None,
                Next::Job(_, job) => Some(job),
            },
        };
        let open = connection.take().or_else(|| reopen(file, false));
        connection = match (next, open) {
            (None, open) => open,
            (Some(first), Some(open)) => {
                let (open, next) = group::write(file, open, first, writes);
                put_off = next;
                open
            }
            (Some(first), None) => {
                refuse(first, Error::Unavailable("the database cannot be opened".into()));
                None
            }
        };
        if let Some(writer) = &connection {
            log.keep_small(writer, readers, clock);
        }
    }
}

fn read_loop(file: &File, reader: Connection, queue: &Queue<Job>) {
    let mut connection = Some(reader);
    while let Some((key, job)) = queue.pop() {
        connection = read_one(file, connection, job);
        queue.end(key);
    }
}

/// One read in its snapshot; gives the connection back unless it was lost.
fn read_one(file: &File, connection: Option<Connection>, job: Job) -> Option<Connection> {
    let Some(open) = connection.or_else(|| reopen(file, true)) else {
        refuse(job, Error::Unavailable("the database cannot be opened".into()));
        return None;
    };
    if let Err(error) = execute(&open, "begin") {
        refuse(job, error);
        return Some(open);
    }
    let ran = (job.run)(Ok(open));
    // The answer need not wait for the end of a snapshot.
    (ran.answer)(Ok(()));
    ran.connection.filter(|connection| execute(connection, "commit").is_ok())
}

fn refuse(job: Job, error: Error) {
    ((job.run)(Err(error.clone())).answer)(Err(error));
}

fn reopen(file: &File, read_only: bool) -> Option<Connection> {
    connect(file, read_only).inspect_err(|error| tracing::error!(%error, "cannot open the database")).ok()
}

fn execute(connection: &Connection, sql: &str) -> Result<(), Error> {
    connection
        .prepare_cached(sql)
        .and_then(|mut statement| statement.raw_execute())
        .map(drop)
        .map_err(Error::from_rusqlite)
}

/// A connection as every thread uses it.
fn connect(file: &File, read_only: bool) -> rusqlite::Result<Connection> {
    let access = if read_only { OpenFlags::SQLITE_OPEN_READ_ONLY } else { OpenFlags::SQLITE_OPEN_READ_WRITE };
    let connection = Connection::open_with_flags(&file.path, access | OpenFlags::SQLITE_OPEN_NO_MUTEX)?;
    connection.set_prepared_statement_cache_capacity(PREPARED);
    connection.busy_timeout(BUSY)?;
    connection.pragma_update(None, "foreign_keys", true)?;
    connection.pragma_update(None, "trusted_schema", false)?;
    connection.pragma_update(None, "cache_size", -65_536)?;
    if !read_only {
        // `wal` is kept in the file; FULL is asserted, never assumed: an acknowledged write is on the disk.
        connection.pragma_update(None, "synchronous", "full")?;
        connection.pragma_update(None, "journal_size_limit", i64::try_from(log::LARGEST).unwrap_or(i64::MAX))?;
        let mode: String = connection.query_row("pragma journal_mode", [], |row| row.get(0))?;
        let synchronous: i64 = connection.query_row("pragma synchronous", [], |row| row.get(0))?;
        if mode != "wal" || synchronous != 2 {
            return Err(rusqlite::Error::InvalidQuery);
        }
    }
    (file.register)(&connection)?;
    Ok(connection)
}

/// Addresses, responses and books: only the host's user may read them. Files that SQLite creates next to this one get its mode.
fn keep_private(path: &Path) -> anyhow::Result<()> {
    secret_file::make_empty(path).map_err(|error| anyhow::anyhow!("{}: {error}", path.display()))?;
    for beside in ["", "-wal", "-shm"] {
        let mut name = path.as_os_str().to_owned();
        name.push(beside);
        // Another user's who may write there all the same.
        if let Err(error) = secret_file::close_to_others(Path::new(&name)) {
            tracing::warn!(%error, "others may be able to read the database");
        }
    }
    Ok(())
}

async fn migrate(path: &Path) -> anyhow::Result<()> {
    use sqlx::Connection as _;
    use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqliteSynchronous};
    let options = SqliteConnectOptions::new()
        .filename(path)
        .create_if_missing(true)
        .journal_mode(SqliteJournalMode::Wal)
        .synchronous(SqliteSynchronous::Full);
    let mut connection = sqlx::SqliteConnection::connect_with(&options).await?;
    migrations::sqlite().run(&mut connection).await?;
    connection.close().await?;
    Ok(())
}

/// One prepared statement. `$n` is SQLite's `?n`.
pub fn query(connection: &Connection, sql: &str, values: &[Cell]) -> Result<Vec<Row>, Error> {
    let run = || -> rusqlite::Result<Vec<Row>> {
        let mut statement = connection.prepare_cached(&sql.replace('$', "?"))?;
        let width = statement.column_count();
        let mut rows = statement.query(rusqlite::params_from_iter(values.iter().map(Parameter)))?;
        let mut found = Vec::new();
        while let Some(row) = rows.next()? {
            found.push(Row((0..width).map(|index| row.get_ref(index).map(cell)).collect::<Result<_, _>>()?));
        }
        Ok(found)
    };
    run().map_err(Error::from_rusqlite)
}

fn cell(value: ValueRef<'_>) -> Cell {
    match value {
        ValueRef::Null | ValueRef::Real(_) => Cell::Null,
        ValueRef::Integer(number) => Cell::Integer(number),
        ValueRef::Text(bytes) => Cell::Text(String::from_utf8_lossy(bytes).into_owned()),
        ValueRef::Blob(bytes) => Cell::Bytes(bytes.to_vec()),
    }
}

struct Parameter<'a>(&'a Cell);

impl rusqlite::ToSql for Parameter<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(match self.0 {
            Cell::Null => ValueRef::Null,
            Cell::Id(id) => ValueRef::Blob(id.as_bytes()),
            Cell::Text(text) => ValueRef::Text(text.as_bytes()),
            Cell::Boolean(flag) => ValueRef::Integer(i64::from(*flag)),
            Cell::Integer(number) | Cell::Instant(number) => ValueRef::Integer(*number),
            Cell::Bytes(bytes) => ValueRef::Blob(bytes),
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Prepare, Transport, work};
    use super::*;

    #[tokio::test(flavor = "multi_thread")]
    async fn a_write_ends_by_the_deadline_of_its_request() {
        let folder = std::env::temp_dir().join(format!("stoa-deadline-{}", uuid::Uuid::new_v4().simple()));
        let long = Duration::from_secs(60);
        let settings = DatabaseSettings {
            url: String::new(),
            postgres_connections: 1,
            sqlite_readers: 1,
            request_timeout: long,
            heavy_read_timeout: long,
            heavy_work: 2,
            transport: Transport::default(),
            plain_role_only: false,
            server: Default::default(),
            places: Vec::new(),
            prepare: Prepare { postgres: Vec::new(), sqlite: |_| Ok(()) },
        };
        let database = Sqlite::open(&folder.join("stoa.sqlite"), &settings).await.unwrap();
        let endless = work((), |mut session: Session, _| async move {
            let sql =
                "with recursive n(n) as (select 1 union all select n + 1 from n) select count(*) from n where n < 0";
            let ended = session.query(sql, &[]).await;
            (Some(session), ended.map_or_else(Verdict::Fail, |_| Verdict::RollBack(())))
        });
        let began = Instant::now();
        let deadline = tokio::time::Instant::now() + Duration::from_millis(50);
        let written = database.write(Some(deadline), crate::database::Shard::Global.into(), false, endless).await;
        assert!(matches!(written, Err(Error::Unavailable(_))), "{written:?}");
        assert!(began.elapsed() < long / 2, "{:?}", began.elapsed());
        drop(database);
        let _ = std::fs::remove_dir_all(folder);
    }
}
