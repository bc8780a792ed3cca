//! PostgreSQL: connections kept between requests, and transactions that run again after a conflict. Production: many hosts on one database.

mod address;
mod administer;
mod connection;
pub mod copy;
mod numbers;
pub mod own;
mod value;

use std::borrow::Cow;
use std::num::NonZeroU16;
use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed};
use std::sync::atomic::{AtomicBool, AtomicU64};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::time::{Instant, timeout, timeout_at};
use tokio_postgres::{Row as PgRow, SimpleQueryRow};

use super::fair_queue::{Capacity, Load};
use super::heavy::{HeavyPermit, HeavyWork};
use super::slots::{NoSeat, Seat, Slots};
use super::watermark::Watermark;
use super::{DatabaseSettings, Destination, Error, News, QueueKey, Session, Transport, Verdict, Work};
use address::Address;
use connection::{Connection, Unanswered};
use numbers::Numbers;

pub use administer::LIMITS_LOCK_WAITS;
pub use numbers::Figure;
pub use value::{PgStatement, Value, decode, field};

/// How often a request that met a conflict runs again before it is answered 503.
const RETRIES: u32 = 5;
/// Longest wait for a free connection: below a request's own ten seconds by the time of a statement. A task that waits here holds
/// nothing.
const ACQUIRE: Duration = Duration::from_secs(4);
/// Requests that may wait for a connection.
const QUEUE: usize = 1024;
/// For the end of a transaction whose answer is on its way.
const END: Duration = Duration::from_secs(2);

pub struct Postgres {
    address: Box<Address>,
    slots: Arc<Slots<QueueKey>>,
    pub heavy_work: Arc<HeavyWork>,
    idle: Idle,
    /// How often the schema has changed while this host ran.
    schema: Arc<AtomicU64>,
    numbers: Numbers,
    pub watermark: Watermark,
    pub news: News,
    request_timeout: Duration,
    heavy_read_timeout: Duration,
    /// The last write found no room on the disk.
    full: AtomicBool,
    /// Counts the messages to it.
    counter: metrics::Counter,
    /// The home server, on every other server of a deployment.
    home: Option<Arc<Postgres>>,
    /// Companies may be on other servers.
    has_others: bool,
    /// The connection of [`Postgres::ping`].
    probe: tokio::sync::Mutex<Option<Connection>>,
}

/// Connections that wait for a request. One that failed is not returned.
type Idle = Arc<Mutex<Vec<Waiting>>>;

struct Waiting {
    connection: Connection,
    /// The schema that its statements were prepared for.
    schema: u64,
}

/// Purpose of a transaction.
#[derive(Clone, Copy)]
enum Kind {
    /// `statement_seconds`: see [`Transaction::statement_seconds`].
    Read { statement_seconds: Option<NonZeroU16> },
    /// `hopeful`: see [`Transaction::put_off`].
    Write { hopeful: bool },
}

/// Where a connection goes back to, and its slot among those that may be open.
struct PoolSlot {
    idle: Idle,
    heavy_work: Arc<HeavyWork>,
    queue: QueueKey,
    schema: u64,
    /// Counts the messages to the server.
    counter: metrics::Counter,
    /// The home server, where this is another one.
    home: Option<Arc<Postgres>>,
    _seat: Seat<QueueKey>,
}

/// A connection with, after `begin`, a transaction on it. Dropped in the middle (time-out, panic, lost server) it closes its
/// connection, so that no later request inherits half a transaction.
pub struct Transaction {
    connection: Option<Connection>,
    pool_slot: Option<Box<PoolSlot>>,
    numbers: Numbers,
    /// The permit of heavy work that runs in time slices.
    heavy: Option<Arc<HeavyPermit>>,
    open: bool,
    /// How long a statement may take, where that is not the connection's own.
    statement_seconds: Option<NonZeroU16>,
    /// Takes for granted what nearly always holds, and runs again, without, where it did not: see [`Transaction::put_off`].
    hopeful: bool,
    /// Statements that go with the next message.
    late: Vec<PgStatement>,
    /// Messages sent to the database and waited for, for the benchmark.
    pub round_trips: u32,
    /// A company without a row here may be elsewhere.
    may_have_moved: bool,
}

impl Transaction {
    /// On a connection of its own, with no transaction yet. `hopeful`: as the first try of a request.
    pub async fn connect(url: &str, hopeful: bool) -> anyhow::Result<Transaction> {
        let address = Address::parse(url, &Transport { plain_text: true, ..Transport::default() }, &[])?;
        let connection = address.connect().await?;
        Ok(Transaction::on(connection, None, Numbers::start(address), hopeful))
    }

    fn on(connection: Connection, pool_slot: Option<Box<PoolSlot>>, numbers: Numbers, hopeful: bool) -> Transaction {
        Transaction {
            connection: Some(connection),
            pool_slot,
            numbers,
            heavy: None,
            open: false,
            statement_seconds: None,
            hopeful,
            late: Vec::new(),
            round_trips: 0,
            may_have_moved: false,
        }
    }

    /// Returns whether a company without a row here may be on another server, so that the directory has to be asked.
    pub fn may_have_moved(&self) -> bool {
        self.may_have_moved
    }

    /// The home server, where this is another one.
    pub fn home(&self) -> Option<&Arc<Postgres>> {
        self.pool_slot.as_ref()?.home.as_ref()
    }

    fn connection(&mut self) -> Result<&mut Connection, Error> {
        self.connection.as_mut().ok_or_else(|| Error::Unavailable("the connection is gone".into()))
    }

    /// Has heavy work take a time slice for each message, but for the last one: the commit releases its locks.
    pub fn run_in_slices(&mut self, permit: Arc<HeavyPermit>) {
        self.heavy = Some(permit);
    }

    /// The permit of the heavy work that runs in time slices.
    pub fn heavy_permit(&self) -> Option<&Arc<HeavyPermit>> {
        self.heavy.as_ref()
    }

    /// BEGIN and, in the same message, `opening`: statements without parameters. READ COMMITTED for writes, so that what
    /// follows a lock sees what was committed before it; one snapshot for reads.
    pub async fn begin(&mut self, read_only: bool, opening: &str) -> Result<Vec<SimpleQueryRow>, Error> {
        let begin = if read_only {
            "begin isolation level repeatable read, read only"
        } else {
            "begin isolation level read committed"
        };
        self.open = true;
        let time = self.statement_seconds.map(|seconds| format!("set local statement_timeout = '{seconds}s'; "));
        self.send_text(&format!("{begin}; {}{opening}", time.unwrap_or_default())).await
    }

    /// Texts without parameters, in one message, and all their rows.
    pub async fn send_text(&mut self, text: &str) -> Result<Vec<SimpleQueryRow>, Error> {
        self.round_trips += 1;
        Ok(self.connection()?.send_text(text).await?)
    }

    /// Returns whether the answers of inserts may be taken for granted.
    pub fn is_hopeful(&self) -> bool {
        self.hopeful
    }

    /// Has a statement go with the next message, the commit at the latest. That it succeeds is taken for granted: where it does
    /// not, the whole request runs again and waits for each answer.
    pub fn put_off(&mut self, statement: PgStatement) {
        self.late.push(statement);
    }

    /// Sends the statements, all before the first is answered, and hands their rows to `take` with the statement's number. Answers
    /// how each ended; those behind one that failed did nothing.
    pub async fn send(
        &mut self,
        statements: Vec<PgStatement>,
        take: &mut (dyn FnMut(usize, PgRow) + Send),
    ) -> Result<Vec<Result<(), Error>>, Error> {
        if let Some(permit) = &self.heavy {
            permit.take_slice().await;
        }
        self.send_all(statements, take).await?
    }

    /// As `send`; the outer failure is of the message, the inner of what was put off.
    async fn send_all(
        &mut self,
        mut statements: Vec<PgStatement>,
        take: &mut (dyn FnMut(usize, PgRow) + Send),
    ) -> Result<Result<Vec<Result<(), Error>>, Error>, Unanswered> {
        let late = self.late.len();
        statements.splice(0..0, self.late.drain(..));
        self.round_trips += 1;
        let connection = self.connection().map_err(Unanswered::Unsent)?;
        let mut take = |nth: usize, row| {
            if let Some(nth) = nth.checked_sub(late) {
                take(nth, row)
            }
        };
        let mut outcomes = connection.send(&statements, &mut take).await?;
        let asked = outcomes.split_off(late);
        Ok(outcomes.into_iter().collect::<Result<Vec<()>, Error>>().map(|_| asked).map_err(clash))
    }

    /// The rows of one statement.
    pub async fn query(&mut self, statement: PgStatement) -> Result<Vec<PgRow>, Error> {
        let mut rows = Vec::new();
        let outcomes = self.send(vec![statement], &mut |_, row| rows.push(row)).await?;
        outcomes.into_iter().collect::<Result<Vec<()>, Error>>()?;
        Ok(rows)
    }

    /// The next figure of a sequence. It is taken whatever becomes of this transaction.
    pub async fn next_number(&mut self, figure: Figure) -> Result<i64, Error> {
        self.round_trips += 1;
        self.numbers.next(figure).await
    }

    /// Commits, with what was put off in the same message.
    pub async fn commit(&mut self) -> Result<(), Error> {
        if !self.open {
            return Ok(());
        }
        let outcome = self.send_all(vec![PgStatement::new("commit")], &mut |_, _| {}).await;
        let unknown = |error| match error {
            Error::Unavailable(why) => Error::CommitUnknown(why),
            error => error,
        };
        match outcome {
            Err(Unanswered::Lost(why)) => Err(Error::CommitUnknown(why)),
            Err(Unanswered::Unsent(error)) => Err(error),
            Ok(ended) => {
                // After a failure of what was put off, COMMIT has undone it all.
                self.open = false;
                ended?.into_iter().collect::<Result<(), Error>>().map_err(unknown)
            }
        }
    }

    /// Rolls back a rejection. Delayed statements run first: the code that rejects assumed their success, and returns another error if
    /// one fails.
    async fn refuse(&mut self) -> Result<(), Error> {
        if !self.late.is_empty() {
            let tried = self.send(Vec::new(), &mut |_, _| {}).await;
            self.roll_back().await?;
            return tried.map(drop);
        }
        self.roll_back().await
    }

    async fn roll_back(&mut self) -> Result<(), Error> {
        self.late.clear();
        if !self.open {
            return Ok(());
        }
        self.send_text("rollback").await?;
        self.open = false;
        Ok(())
    }
}

/// A unique key that was found free, or taken for free, and is taken: the next try will see by whom.
pub fn clash(error: Error) -> Error {
    match error {
        Error::Unique(key) => Error::Conflict(key),
        error => error,
    }
}

impl Drop for Transaction {
    fn drop(&mut self) {
        if let Some(pool_slot) = &self.pool_slot {
            pool_slot.counter.increment(u64::from(self.round_trips));
        }
        if self.heavy.is_none()
            && let Some(pool_slot) = &self.pool_slot
        {
            pool_slot.heavy_work.note_request(pool_slot.queue);
        }
        if !self.open
            && let (Some(connection), Some(pool_slot)) = (self.connection.take(), &self.pool_slot)
            && let Ok(mut idle) = pool_slot.idle.lock()
        {
            idle.push(Waiting { connection, schema: pool_slot.schema });
        }
    }
}

impl Postgres {
    /// The server of a deployment by its name, checked or prepared.
    pub async fn open(name: &str, url: &str, settings: &DatabaseSettings, migrate: bool) -> anyhow::Result<Postgres> {
        let server = Postgres::new(name, url, settings)?;
        if migrate {
            server.migrate(settings).await?;
        }
        server.check(settings).await?;
        Ok(server)
    }

    /// The server, which is not connected to yet.
    pub fn new(name: &str, url: &str, settings: &DatabaseSettings) -> anyhow::Result<Postgres> {
        let address = Address::parse(url, &settings.transport, &settings.prepare.postgres)?;
        let slots = usize::try_from(settings.postgres_connections)?;
        Ok(Postgres {
            numbers: Numbers::start(address.clone()),
            address: Box::new(address),
            slots: Slots::new(Capacity { slots, queue: QUEUE }),
            heavy_work: HeavyWork::new(settings.heavy_work),
            idle: Idle::default(),
            schema: Arc::default(),
            watermark: Watermark::default(),
            news: News::default(),
            request_timeout: settings.request_timeout,
            heavy_read_timeout: settings.heavy_read_timeout,
            full: AtomicBool::new(false),
            counter: metrics::counter!("stoa_database_round_trips_total", "place" => name.to_owned()),
            home: None,
            has_others: !settings.places.is_empty(),
            probe: tokio::sync::Mutex::new(None),
        })
    }

    /// The same server as a place besides the home server.
    pub fn with_home(self, home: Arc<Postgres>) -> Postgres {
        Postgres { home: Some(home), has_others: true, ..self }
    }

    /// A standby of a server: companies of both are at the same places.
    pub fn with_places_of(self, primary: &Postgres) -> Postgres {
        Postgres { has_others: primary.has_others, ..self }
    }

    /// Makes the host's own tables, or brings them up to date.
    pub async fn migrate(&self, settings: &DatabaseSettings) -> anyhow::Result<()> {
        administer::migrate_database(&self.address.options, settings).await
    }

    /// Checks the server, the role and the host's own tables.
    pub async fn check(&self, settings: &DatabaseSettings) -> anyhow::Result<()> {
        administer::check_database(&self.address.options, settings).await
    }

    /// Asks the server for an answer, on a connection only for that: the others may all be in use.
    pub async fn ping(&self) -> Result<(), Error> {
        let mut probe = self.probe.lock().await;
        let mut connection = match probe.take() {
            Some(connection) => connection,
            None => self.address.connect().await?,
        };
        connection.send_text("select 1").await?;
        *probe = Some(connection);
        Ok(())
    }

    /// A free connection, or a new one where fewer are open than may be.
    async fn acquire(&self, destination: Destination, hopeful: bool) -> Result<Transaction, Error> {
        let no_seat = |why| {
            Error::Unavailable(match why {
                NoSeat::Closed => "the database is closed".into(),
                NoSeat::QueueFull => "too many requests wait for the database".into(),
                NoSeat::Late => "no database connection became free".into(),
            })
        };
        let began = Instant::now();
        let seat = self.slots.take(destination.queue, ACQUIRE).await;
        metrics::histogram!("stoa_database_wait_seconds").record(began.elapsed());
        let seat = seat.map_err(no_seat)?;
        let schema = self.schema.load(Acquire);
        let connection = match self.take_idle(schema) {
            Some(connection) => connection,
            None => self.address.connect().await?,
        };
        let (idle, heavy_work, queue) = (self.idle.clone(), self.heavy_work.clone(), destination.queue);
        let (counter, home) = (self.counter.clone(), self.home.clone());
        let pool_slot = Box::new(PoolSlot { idle, heavy_work, queue, schema, counter, home, _seat: seat });
        Ok(Transaction::on(connection, Some(pool_slot), self.numbers.clone(), hopeful))
    }

    /// Use of the connections.
    pub fn load(&self) -> Load {
        self.slots.load()
    }

    /// Open connections that no request uses.
    pub fn count_idle(&self) -> usize {
        self.idle.lock().map_or(0, |idle| idle.len())
    }

    /// A connection that waits; those that the server has ended meanwhile are dropped.
    fn take_idle(&self, schema: u64) -> Option<Connection> {
        loop {
            let mut waiting = self.idle.lock().ok()?.pop()?;
            if waiting.connection.has_ended() {
                continue;
            }
            if waiting.schema != schema {
                waiting.connection.forget_statements();
            }
            return Some(waiting.connection);
        }
    }

    pub async fn write<T: Send + 'static>(
        &self,
        deadline: Option<Instant>,
        destination: Destination,
        work: Work<T>,
        is_certain: bool,
    ) -> Result<T, Error> {
        let latest = Instant::now() + self.request_timeout;
        let deadline = deadline.map_or(latest, |deadline| deadline.min(latest));
        let mut attempt = 0;
        loop {
            let kind = Kind::Write { hopeful: attempt == 0 };
            match self.attempt(destination, work.clone(), kind, deadline, is_certain).await {
                Err(Error::Conflict(reason)) if attempt < RETRIES => {
                    attempt += 1;
                    metrics::counter!("stoa_transaction_retries_total").increment(1);
                    tracing::debug!(attempt, %reason, "conflict: the request runs again");
                    tokio::time::sleep(jitter(attempt)).await;
                }
                Err(Error::Conflict(reason)) => return Err(Error::Unavailable(reason)),
                other => {
                    self.full.store(matches!(other, Err(Error::Full(_))), Relaxed);
                    return other;
                }
            }
        }
    }

    /// Returns whether the last write found room on the server's disk.
    pub fn has_room(&self) -> bool {
        !self.full.load(Relaxed)
    }

    /// Runs a read. `is_certain`: the home server has just said that the company is here, so that one without a row is nowhere.
    pub async fn read<T: Send + 'static>(
        &self,
        destination: Destination,
        work: Work<T>,
        is_certain: bool,
    ) -> Result<T, Error> {
        self.read_within(self.request_timeout, destination, work, None, is_certain).await
    }

    /// As `read`, for what may take longer; the statement's own limit fires before the request's.
    pub async fn read_heavy<T: Send + 'static>(
        &self,
        destination: Destination,
        work: Work<T>,
        is_certain: bool,
    ) -> Result<T, Error> {
        let seconds = u16::try_from((self.heavy_read_timeout / 10 * 9).as_secs()).unwrap_or(u16::MAX);
        let seconds = NonZeroU16::new(seconds.max(1));
        self.read_within(self.heavy_read_timeout, destination, work, seconds, is_certain).await
    }

    async fn read_within<T: Send + 'static>(
        &self,
        time: Duration,
        destination: Destination,
        work: Work<T>,
        statement_seconds: Option<NonZeroU16>,
        is_certain: bool,
    ) -> Result<T, Error> {
        let deadline = Instant::now() + time;
        let kind = Kind::Read { statement_seconds };
        match self.attempt(destination, work.clone(), kind, deadline, is_certain).await {
            Err(Error::Conflict(_)) => self.attempt(destination, work, kind, deadline, is_certain).await,
            other => other,
        }
    }

    /// One transaction, on a task of its own: a caller that goes away does not tear the connection down.
    async fn attempt<T: Send + 'static>(
        &self,
        destination: Destination,
        work: Work<T>,
        kind: Kind,
        deadline: Instant,
        is_certain: bool,
    ) -> Result<T, Error> {
        let (read_only, hopeful, statement_seconds) = match kind {
            Kind::Read { statement_seconds } => (true, true, statement_seconds),
            Kind::Write { hopeful } => (false, hopeful, None),
        };
        let late = || Error::Unavailable("the request took too long".into());
        let mut transaction = timeout_at(deadline, self.acquire(destination, hopeful)).await.map_err(|_| late())??;
        transaction.statement_seconds = statement_seconds;
        transaction.may_have_moved = !is_certain && self.has_others;
        let run = async move {
            let (session, verdict) = work(Session::Postgres(transaction)).await;
            let Some(Session::Postgres(mut transaction)) = session else {
                return Err(Error::Fault("the session was lost".into()));
            };
            match verdict {
                Verdict::Commit(answer) if read_only => {
                    // The answer need not wait for the end of a snapshot.
                    tokio::spawn(async move { timeout(END, transaction.commit()).await });
                    Ok(answer)
                }
                Verdict::Commit(answer) => transaction.commit().await.map(|()| answer),
                Verdict::RollBack(answer) => transaction.refuse().await.map(|()| answer),
                // Dropped with its open transaction, the connection is closed.
                Verdict::Fail(error) if error.is_read_only() => Err(error),
                Verdict::Fail(error) => {
                    let _ = transaction.roll_back().await;
                    Err(error)
                }
            }
        };
        match tokio::spawn(timeout_at(deadline, run)).await {
            Ok(Ok(result)) => result,
            Ok(Err(_)) => Err(late()),
            Err(_) => Err(Error::Fault("the request panicked".into())),
        }
    }

    /// Builds indexes on tables in use.
    pub async fn build_indexes(&self, statements: Vec<String>) -> Result<Option<String>, Error> {
        administer::build_indexes(&self.address.options, statements).await
    }

    /// Every connection drops its prepared statements before it is used again.
    pub fn forget_statements(&self) {
        self.schema.fetch_add(1, AcqRel);
    }

    pub fn close(&self) {
        self.slots.close();
        if let Ok(mut idle) = self.idle.lock() {
            idle.clear();
        }
    }
}

/// One statement of the host on its own tables, with binary parameters.
pub async fn query(
    transaction: &mut Transaction,
    sql: impl Into<Cow<'static, str>>,
    values: &[super::Cell],
) -> Result<Vec<super::Row>, Error> {
    let rows = transaction.query(PgStatement::of_cells(sql, values)?).await?;
    rows.iter().map(decode).collect()
}

/// Full jitter: 0 to 10, 20, 40, 80, 160 ms.
fn jitter(attempt: u32) -> Duration {
    Duration::from_micros(rand::random_range(0..=10_000_u64 << (attempt - 1)))
}
