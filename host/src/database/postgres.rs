//! PostgreSQL: connections kept between requests, and transactions that run again after a conflict. Production: many hosts on one database.

use std::str::FromStr;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::{AcqRel, Acquire};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use chrono::{DateTime, Utc};
use sqlx::postgres::{PgArguments, PgConnectOptions, PgConnection, PgRow};
use sqlx::{Arguments, AssertSqlSafe, Column, Connection as _, Executor, Row as _, SqlSafeStr, TypeInfo, ValueRef};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::horizon::Horizon;
use super::row::Cell;
use super::{DatabaseSettings, Error, Place, Row, Session, Verdict, Work, migrations};

/// How often a request that met a conflict runs again before it is answered 503.
const RETRIES: u32 = 5;
/// Longest wait for a free connection.
const ACQUIRE: Duration = Duration::from_secs(2);
/// Below the request's own time-out, so that the innermost limit fires first.
const STATEMENT_TIMEOUT_MS: u32 = 5_000;
const LOCK_TIMEOUT_MS: u32 = 3_000;
const IDLE_IN_TRANSACTION_MS: u32 = 15_000;
/// Key of the advisory lock of whoever builds indexes.
const BUILDING: i64 = 7_310_587;
const UNDEFINED_COLUMN: &str = "42703";
const UNDEFINED_TABLE: &str = "42P01";
/// Shapes of statements kept prepared per connection.
const PREPARED: usize = 512;

pub struct Postgres {
    options: Box<PgConnectOptions>,
    places: Arc<Semaphore>,
    idle: Idle,
    /// How often the schema has changed while this host ran.
    schema: Arc<AtomicU64>,
    pub horizon: Horizon,
    request_timeout: Duration,
    /// Statements that each connection runs when it is opened.
    prepared: Vec<String>,
}

/// Connections that wait for a request. sqlx's own pool asks a connection whether it lives at every return: one round trip
/// more for each request. Here one that failed is not returned.
type Idle = Arc<Mutex<Vec<Waiting>>>;

struct Waiting {
    connection: PgConnection,
    /// The schema that its statements were prepared for.
    schema: u64,
}

/// Where a connection goes back to, and its place among those that may be open.
struct Home {
    idle: Idle,
    schema: u64,
    _place: OwnedSemaphorePermit,
}

/// A connection with, after `begin`, a transaction on it. Dropped in the middle (time-out, panic, lost server) it closes its
/// connection, so that nobody inherits half a transaction.
pub struct Transaction {
    connection: Option<PgConnection>,
    home: Option<Home>,
    open: bool,
    /// Messages sent to the database and waited for, for the benchmark.
    pub round_trips: u32,
}

impl Transaction {
    /// On a connection of the caller's, with no transaction yet.
    pub fn on(connection: PgConnection) -> Transaction {
        Transaction { connection: Some(connection), home: None, open: false, round_trips: 0 }
    }

    /// The connection. Whoever uses it says so in `round_trips`.
    pub fn connection(&mut self) -> Result<&mut PgConnection, Error> {
        self.connection.as_mut().ok_or_else(|| Error::Unavailable("the connection is gone".into()))
    }

    /// BEGIN and, in the same message, `opening`: statements without parameters. READ COMMITTED for writes, so that what
    /// follows a lock sees what was committed before it; one snapshot for reads.
    pub async fn begin(&mut self, read_only: bool, opening: &str) -> Result<Vec<PgRow>, Error> {
        let begin = if read_only {
            "begin isolation level repeatable read, read only"
        } else {
            "begin isolation level read committed"
        };
        self.open = true;
        self.round_trips += 1;
        let sql = AssertSqlSafe(format!("{begin}; {opening}"));
        sqlx::raw_sql(sql).fetch_all(self.connection()?).await.map_err(Error::from_sqlx)
    }

    async fn end(&mut self, statement: &'static str) -> Result<(), Error> {
        if !self.open {
            return Ok(());
        }
        self.round_trips += 1;
        self.connection()?.execute(statement).await.map_err(Error::from_sqlx)?;
        self.open = false;
        Ok(())
    }
}

impl Drop for Transaction {
    fn drop(&mut self) {
        metrics::counter!("stoa_database_round_trips_total").increment(u64::from(self.round_trips));
        if !self.open
            && let (Some(connection), Some(home)) = (self.connection.take(), &self.home)
            && let Ok(mut idle) = home.idle.lock()
        {
            idle.push(Waiting { connection, schema: home.schema });
        }
    }
}

impl Postgres {
    pub async fn open(url: &str, settings: &DatabaseSettings, migrate: bool) -> anyhow::Result<Postgres> {
        let options =
            PgConnectOptions::from_str(url)?.application_name("stoa").statement_cache_capacity(PREPARED).options([
                ("statement_timeout", STATEMENT_TIMEOUT_MS.to_string()),
                ("lock_timeout", LOCK_TIMEOUT_MS.to_string()),
                ("idle_in_transaction_session_timeout", IDLE_IN_TRANSACTION_MS.to_string()),
                ("timezone", "UTC".to_string()),
                ("default_text_search_config", "simple".to_string()),
            ]);
        prepare_database(&options, settings, migrate).await?;
        let places = usize::try_from(settings.postgres_connections)?;
        Ok(Postgres {
            options: Box::new(options),
            places: Arc::new(Semaphore::new(places)),
            idle: Idle::default(),
            schema: Arc::default(),
            horizon: Horizon::default(),
            request_timeout: settings.request_timeout,
            prepared: settings.prepare.postgres.clone(),
        })
    }

    /// A free connection, or a new one where fewer are open than may be.
    async fn acquire(&self, place: Place) -> Result<Transaction, Error> {
        // One server has the rows of every place.
        let (Place::Home | Place::Company(_)) = place;
        let place = tokio::time::timeout(ACQUIRE, self.places.clone().acquire_owned())
            .await
            .map_err(|_| Error::Unavailable("no database connection became free".into()))?
            .map_err(|_| Error::Unavailable("the database is closed".into()))?;
        let waiting = self.idle.lock().ok().and_then(|mut idle| idle.pop());
        let schema = self.schema.load(Acquire);
        let connection = match waiting {
            Some(mut waiting) => {
                if waiting.schema != schema {
                    waiting.connection.clear_cached_statements().await.map_err(Error::from_sqlx)?;
                }
                waiting.connection
            }
            None => self.connect().await.map_err(Error::from_sqlx)?,
        };
        let home = Some(Home { idle: self.idle.clone(), schema, _place: place });
        Ok(Transaction { connection: Some(connection), home, open: false, round_trips: 0 })
    }

    async fn connect(&self) -> sqlx::Result<PgConnection> {
        let mut connection = PgConnection::connect_with(&self.options).await?;
        for statement in &self.prepared {
            connection.execute(AssertSqlSafe(statement.clone())).await?;
        }
        Ok(connection)
    }

    pub async fn write<T: Send + 'static>(&self, place: Place, work: Work<T>) -> Result<T, Error> {
        let mut attempt = 0;
        loop {
            match self.attempt(place, work.clone(), false).await {
                Err(Error::Conflict(reason)) if attempt < RETRIES => {
                    attempt += 1;
                    metrics::counter!("stoa_transaction_retries_total").increment(1);
                    tracing::debug!(attempt, %reason, "conflict: the request runs again");
                    tokio::time::sleep(jitter(attempt)).await;
                }
                Err(Error::Conflict(reason)) => return Err(Error::Unavailable(reason)),
                other => return other,
            }
        }
    }

    pub async fn read<T: Send + 'static>(&self, place: Place, work: Work<T>) -> Result<T, Error> {
        match self.attempt(place, work.clone(), true).await {
            Err(Error::Conflict(_)) => self.attempt(place, work, true).await,
            other => other,
        }
    }

    /// One transaction, on a task of its own: a caller that goes away does not tear the connection down.
    async fn attempt<T: Send + 'static>(&self, place: Place, work: Work<T>, read_only: bool) -> Result<T, Error> {
        let transaction = self.acquire(place).await?;
        let run = async move {
            let (session, verdict) = work(Session::Postgres(transaction)).await;
            let Some(Session::Postgres(mut transaction)) = session else {
                return Err(Error::Fault("the session was lost".into()));
            };
            match verdict {
                Verdict::Commit(answer) if read_only => {
                    // The answer need not wait for the end of a snapshot.
                    tokio::spawn(async move { transaction.end("commit").await });
                    Ok(answer)
                }
                Verdict::Commit(answer) => match transaction.end("commit").await {
                    Ok(()) => Ok(answer),
                    Err(Error::Unavailable(reason)) => Err(Error::CommitUnknown(reason)),
                    Err(error) => Err(error),
                },
                Verdict::RollBack(answer) => transaction.end("rollback").await.map(|()| answer),
                Verdict::Fail(error) => {
                    let _ = transaction.end("rollback").await;
                    Err(error)
                }
            }
        };
        let task = tokio::spawn(tokio::time::timeout(self.request_timeout, run));
        match task.await {
            Ok(Ok(result)) => result,
            Ok(Err(_)) => Err(Error::Unavailable("the request took too long".into())),
            Err(_) => Err(Error::Fault("the request panicked".into())),
        }
    }

    /// Builds indexes on tables in use, each statement alone and on a connection without the requests' time limits. Answers the
    /// unique key that the rows do not have, where one fails for that. A statement about a column that is not there yet is
    /// passed over: who adds the column builds it.
    pub async fn build_indexes(&self, statements: Vec<String>) -> Result<Option<String>, Error> {
        let mut connection = PgConnection::connect_with(&self.options).await.map_err(Error::from_sqlx)?;
        // One builder at a time: an index under way looks like one that was left half-built.
        let begin = format!("set statement_timeout = 0; set lock_timeout = '30s'; select pg_advisory_lock({BUILDING})");
        connection.execute(AssertSqlSafe(begin)).await.map_err(Error::from_sqlx)?;
        let mut refused = None;
        drop_half_built(&mut connection).await?;
        for statement in statements {
            let Err(error) = connection.execute(AssertSqlSafe(statement)).await else { continue };
            let code = error.as_database_error().and_then(|error| error.code()).unwrap_or_default().into_owned();
            let error = Error::from_sqlx(error);
            drop_half_built(&mut connection).await?;
            match (code.as_str(), error) {
                (UNDEFINED_COLUMN | UNDEFINED_TABLE, _) => {}
                (_, Error::Unique(key)) => {
                    refused = Some(key);
                    break;
                }
                (_, error) => return Err(error),
            }
        }
        let _ = connection.close().await;
        Ok(refused)
    }

    /// Every connection drops its prepared statements before it is used again.
    pub fn forget_statements(&self) {
        self.schema.fetch_add(1, AcqRel);
    }

    pub async fn close(&self) {
        self.places.close();
        let idle = self.idle.lock().map(|mut idle| std::mem::take(&mut *idle)).unwrap_or_default();
        for waiting in idle {
            let _ = waiting.connection.close().await;
        }
    }
}

/// What a builder that was stopped in the middle left behind: an index that counts as made and holds nothing.
async fn drop_half_built(connection: &mut PgConnection) -> Result<(), Error> {
    let drops: Vec<String> = sqlx::query_scalar(
        "select format('drop index concurrently if exists %I.%I', n.nspname, c.relname)
         from pg_index i join pg_class c on c.oid = i.indexrelid join pg_namespace n on n.oid = c.relnamespace
         where not i.indisvalid and n.nspname = current_schema()",
    )
    .fetch_all(&mut *connection)
    .await
    .map_err(Error::from_sqlx)?;
    for drop in drops {
        connection.execute(AssertSqlSafe(drop)).await.map_err(Error::from_sqlx)?;
    }
    Ok(())
}

/// Checks of the server and the role, and the host's own tables.
async fn prepare_database(
    options: &PgConnectOptions,
    settings: &DatabaseSettings,
    migrate: bool,
) -> anyhow::Result<()> {
    let mut connection = PgConnection::connect_with(options).await?;
    let version: i32 =
        sqlx::query_scalar("select current_setting('server_version_num')::int").fetch_one(&mut connection).await?;
    anyhow::ensure!(version >= 150_000, "PostgreSQL 15 or newer is needed, this is {version}");
    let unbound: bool =
        sqlx::query_scalar("select rolsuper or rolbypassrls from pg_roles where rolname = current_user")
            .fetch_one(&mut connection)
            .await?;
    anyhow::ensure!(
        !unbound || !settings.plain_role_only,
        "the database role is a superuser or has BYPASSRLS: row-level security would not bind it"
    );
    if migrate {
        migrations::postgres().run(&mut connection).await?;
    }
    let applied: Option<i64> = sqlx::query_scalar("select max(version) from _sqlx_migrations where success")
        .fetch_one(&mut connection)
        .await
        .unwrap_or(None);
    anyhow::ensure!(
        applied.unwrap_or(0) >= migrations::newest_postgres(),
        "the database lacks a migration: run `stoa migrate`"
    );
    connection.close().await?;
    Ok(())
}

/// One prepared statement with binary parameters.
pub async fn query(transaction: &mut Transaction, sql: impl SqlSafeStr, values: &[Cell]) -> Result<Vec<Row>, Error> {
    let mut arguments = PgArguments::default();
    for value in values {
        bind(&mut arguments, value)?;
    }
    transaction.round_trips += 1;
    let rows = sqlx::query_with(sql, arguments).fetch_all(transaction.connection()?).await.map_err(Error::from_sqlx)?;
    rows.iter().map(decode).collect()
}

pub fn bind(arguments: &mut PgArguments, value: &Cell) -> Result<(), Error> {
    let added = match value {
        Cell::Null => arguments.add(None::<String>),
        Cell::Id(id) => arguments.add(*id),
        Cell::Text(text) => arguments.add(text.as_str()),
        Cell::Boolean(flag) => arguments.add(*flag),
        Cell::Integer(number) => arguments.add(*number),
        Cell::Instant(ms) => arguments.add(instant(*ms)?),
        Cell::Bytes(bytes) => arguments.add(bytes.as_slice()),
    };
    added.map_err(|error| Error::Fault(error.to_string()))
}

/// A time as PostgreSQL takes it.
pub fn instant(ms: i64) -> Result<DateTime<Utc>, Error> {
    DateTime::from_timestamp_millis(ms).ok_or_else(|| Error::Fault("a time beyond the calendar".into()))
}

/// A row by the types that the server reports.
pub fn decode(row: &PgRow) -> Result<Row, Error> {
    (0..row.columns().len()).map(|index| cell(row, index)).collect::<Result<_, _>>().map(Row)
}

fn cell(row: &PgRow, index: usize) -> Result<Cell, Error> {
    if row.try_get_raw(index).map_err(Error::from_sqlx)?.is_null() {
        return Ok(Cell::Null);
    }
    let cell = match row.column(index).type_info().name() {
        "UUID" => row.try_get(index).map(Cell::Id),
        "TEXT" | "VARCHAR" | "NAME" => row.try_get(index).map(Cell::Text),
        "INT8" => row.try_get(index).map(Cell::Integer),
        "INT4" => row.try_get::<i32, _>(index).map(|number| Cell::Integer(i64::from(number))),
        "BOOL" => row.try_get(index).map(Cell::Boolean),
        "TIMESTAMPTZ" => row.try_get::<DateTime<Utc>, _>(index).map(|at| Cell::Instant(at.timestamp_millis())),
        "BYTEA" => row.try_get(index).map(Cell::Bytes),
        other => return Err(Error::Fault(format!("a column of type {other}"))),
    };
    cell.map_err(Error::from_sqlx)
}

/// Full jitter: 0 to 10, 20, 40, 80, 160 ms.
fn jitter(attempt: u32) -> Duration {
    Duration::from_micros(rand::random_range(0..=10_000_u64 << (attempt - 1)))
}
