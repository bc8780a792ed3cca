//! Connections and transactions. Work is a function from an open session to a verdict; only this folder begins, commits and
//! rolls back, so nothing above it can leave a transaction open or commit half of one.

mod activity;
pub mod destination;
pub mod directory;
pub mod error;
pub mod fair_queue;
pub mod heavy;
mod large_answers;
pub mod maintenance;
pub mod migrations;
pub mod news;
pub mod own;
pub mod postgres;
pub mod row;
pub mod servers;
pub mod shard;
pub mod slots;
pub mod sqlite;
pub mod standby;
pub mod watermark;
pub mod work;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;
use uuid::Uuid;

use heavy::HeavyWork;
use servers::HOME;

pub use destination::{Destination, QueueKey};
pub use error::{Error, find_explanation};
pub use fair_queue::Load;
pub use heavy::{HeavyKind, HeavyPermit};
pub use news::News;
pub use row::{Cell, Row};
pub use servers::{PlaceSettings, ServerSettings, Servers};
pub use shard::Shard;
pub use slots::Seat;
pub use sqlite::WriteWatch;
pub use work::{Plain, Verdict, Work, work};

/// A connection with a transaction open on it. On SQLite it is used from the one database thread that runs the request.
pub enum Session {
    Sqlite(rusqlite::Connection),
    Postgres(postgres::Transaction),
}

/// Where and how to connect.
#[derive(Debug, Clone)]
pub struct DatabaseSettings {
    /// `sqlite:PATH` or `postgres://...`.
    pub url: String,
    pub postgres_connections: u32,
    pub sqlite_readers: usize,
    pub request_timeout: Duration,
    /// The same of heavy reads.
    pub heavy_read_timeout: Duration,
    /// Heavy work that is under way at once.
    pub heavy_work: usize,
    pub transport: Transport,
    /// Refuse a PostgreSQL role that row-level security does not bind (superuser, BYPASSRLS).
    pub plain_role_only: bool,
    pub prepare: Prepare,
    /// Settings of the server of `url`.
    pub server: ServerSettings,
    /// PostgreSQL servers besides this one, over which companies are distributed.
    pub places: Vec<PlaceSettings>,
}

/// How a PostgreSQL server elsewhere is reached.
#[derive(Debug, Clone, Default)]
pub struct Transport {
    /// Certificates that the server's is verified against, instead of the public authorities'.
    pub ca: Option<PathBuf>,
    /// True if plain text may leave this machine.
    pub plain_text: bool,
}

/// Setup of a connection when it is opened, from the layers above.
#[derive(Debug, Clone)]
pub struct Prepare {
    /// Statements that each connection to PostgreSQL runs.
    pub postgres: Vec<String>,
    /// Registers functions with a connection to SQLite.
    pub sqlite: fn(&rusqlite::Connection) -> rusqlite::Result<()>,
}

pub enum Database {
    Sqlite(sqlite::Sqlite),
    Postgres(Arc<Servers>),
}

/// Which of the two a URL names.
pub enum Location {
    Sqlite(PathBuf),
    Postgres(String),
}

impl DatabaseSettings {
    pub fn location(&self) -> anyhow::Result<Location> {
        if let Some(path) = self.url.strip_prefix("sqlite:") {
            return Ok(Location::Sqlite(PathBuf::from(path.trim_start_matches("//"))));
        }
        if self.url.starts_with("postgres://") || self.url.starts_with("postgresql://") {
            return Ok(Location::Postgres(self.url.clone()));
        }
        anyhow::bail!("STOA_DATABASE_URL must begin with `sqlite:` or `postgres://`")
    }

    /// The same for another server of the deployment.
    pub fn of_place(&self, place: &PlaceSettings) -> DatabaseSettings {
        let ca = place.ca.clone().or_else(|| self.transport.ca.clone());
        DatabaseSettings {
            url: place.url.clone(),
            transport: Transport { ca, ..self.transport.clone() },
            server: place.server.clone(),
            places: Vec::new(),
            ..self.clone()
        }
    }
}

impl Database {
    /// Connects. `migrate`: bring the host's tables up to date first; without it an outdated database is refused.
    pub async fn open(settings: &DatabaseSettings, migrate: bool) -> anyhow::Result<Database> {
        match settings.location()? {
            Location::Sqlite(_) if !settings.places.is_empty() => {
                anyhow::bail!("[[places]] need PostgreSQL: STOA_DATABASE_URL names a SQLite file")
            }
            Location::Sqlite(path) => Ok(Database::Sqlite(sqlite::Sqlite::open(&path, settings).await?)),
            Location::Postgres(url) => Ok(Database::Postgres(Arc::new(Servers::open(&url, settings, migrate).await?))),
        }
    }

    /// Runs a write; answers after the commit. PostgreSQL: up to five more times after conflicts with other transactions.
    pub async fn write<T: Send + 'static>(
        &self,
        destination: impl Into<Destination>,
        work: Work<T>,
    ) -> Result<T, Error> {
        self.write_until(None, destination, false, work).await
    }

    /// As `write`; it takes no longer than until `deadline`, where there is one, and never longer than any write may take.
    /// `large`: on SQLite no other write waits for it that could be committed before it.
    pub async fn write_until<T: Send + 'static>(
        &self,
        deadline: Option<Instant>,
        destination: impl Into<Destination>,
        large: bool,
        work: Work<T>,
    ) -> Result<T, Error> {
        let destination: Destination = destination.into();
        let shard = destination.shard.name();
        metrics::counter!("stoa_database_transactions_total", "kind" => "write", "place" => shard).increment(1);
        match self {
            Database::Sqlite(database) => database.write(deadline, destination, large, work).await,
            Database::Postgres(database) => database.write(deadline, destination, work).await,
        }
    }

    /// Waits until heavy work of the company may run, which it does as long as it keeps the permit: see [`heavy`]. The
    /// pauses between large writes on SQLite come first, so that no seat is taken during them.
    pub async fn permit_heavy_work(
        &self,
        kind: HeavyKind,
        tenant: Uuid,
        deadline: Instant,
    ) -> Result<Arc<HeavyPermit>, Error> {
        let pace = match self {
            Database::Sqlite(database) if kind == HeavyKind::LargeWrite => {
                let queue = Destination::from(Shard::of_tenant(tenant)).queue;
                database.permit_large_write(queue).await?
            }
            _ => None,
        };
        let work = self.heavy_work(tenant).await?;
        let late = |_| Error::Unavailable("the heavy work before it has left no time".into());
        let permit = Arc::new(work.permit(kind, tenant, deadline, pace).await.map_err(late)?);
        if let Database::Postgres(_) = self {
            permit.take_slice().await;
        }
        Ok(permit)
    }

    /// Waits for the seat of a read whose answer is large by experience, while other companies are served. The work keeps it
    /// until it ends: see `database::large_answers`.
    pub async fn seat_large_answer(
        &self,
        tenant: Uuid,
        operation: &str,
        deadline: Instant,
    ) -> Result<Option<Seat<Uuid>>, Error> {
        let work = self.heavy_work(tenant).await?;
        if !work.large_answers.expects(tenant, operation, Instant::now().into_std()) || !work.has_other(tenant) {
            return Ok(None);
        }
        let wait = deadline.saturating_duration_since(Instant::now()) / 2;
        let late = |_| Error::Unavailable("the large answers before it have left no time".into());
        work.large_answers.take_seat(tenant, wait).await.map(Some).map_err(late)
    }

    /// Takes note of the size of a read's answer.
    pub async fn note_answer(&self, tenant: Uuid, operation: &str, size: usize) {
        let Ok(work) = self.heavy_work(tenant).await else { return };
        work.large_answers.note(tenant, operation, size, Instant::now().into_std());
        // On PostgreSQL the end of the transaction is noted.
        if let Database::Sqlite(_) = self {
            work.note_request(Destination::from(Shard::of_tenant(tenant)).queue);
        }
    }

    /// The heavy work of the server that has this company.
    async fn heavy_work(&self, tenant: Uuid) -> Result<&Arc<HeavyWork>, Error> {
        match self {
            Database::Sqlite(database) => Ok(&database.heavy_work),
            Database::Postgres(servers) => Ok(&servers.server(Shard::of_tenant(tenant)).await?.heavy_work),
        }
    }

    /// Runs a read in one snapshot. The transaction ends after the answer is on its way.
    pub async fn read<T: Send + 'static>(
        &self,
        destination: impl Into<Destination>,
        work: Work<T>,
    ) -> Result<T, Error> {
        let destination: Destination = destination.into();
        let shard = destination.shard.name();
        metrics::counter!("stoa_database_transactions_total", "kind" => "read", "place" => shard).increment(1);
        match self {
            Database::Sqlite(database) => database.read(destination, work).await,
            Database::Postgres(database) => database.read(destination, work).await,
        }
    }

    /// As `read`, for what may take as long as a report does.
    pub async fn read_heavy<T: Send + 'static>(
        &self,
        destination: impl Into<Destination>,
        work: Work<T>,
    ) -> Result<T, Error> {
        let destination: Destination = destination.into();
        let shard = destination.shard.name();
        metrics::counter!("stoa_database_transactions_total", "kind" => "heavy", "place" => shard).increment(1);
        match self {
            Database::Sqlite(database) => database.read_heavy(destination, work).await,
            Database::Postgres(database) => database.read_heavy(destination, work).await,
        }
    }

    /// Limit for a reader of this company who continues after the last row read and must miss no row: it reads rows whose id and
    /// last change are before this instant (milliseconds since 1970). Transactions that are still under way commit later ones
    /// only. `None`: all there is, since no transaction ends after one that began later.
    pub async fn watermark(&self, tenant: Uuid) -> Result<Option<i64>, Error> {
        match self {
            Database::Sqlite(_) => Ok(None),
            Database::Postgres(servers) => {
                let shard = servers.shard_of(tenant).await?;
                // One reading is for all companies of the server, so it does not wait for the connections of the one that asked.
                let read = || {
                    let everybody = shard.with_queue(QueueKey::Global);
                    self.read_plain(everybody, (), |session, ()| Box::pin(watermark::read(session)))
                };
                servers.server(shard).await?.watermark.get(tenant, read).await.map(Some)
            }
        }
    }

    /// Takes note that the company has new rows: its next list asks for a new watermark, so that it finds them, and its events may be
    /// sent on.
    pub fn note_write(&self, tenant: Uuid) {
        if let Database::Postgres(servers) = self {
            servers.note_write(tenant);
        }
        self.news().add(tenant);
    }

    /// Watches the company's writes from now on. `None`: on PostgreSQL no write has a draft.
    pub fn watch_writes(&self, tenant: Uuid) -> Option<WriteWatch> {
        match self {
            Database::Sqlite(database) => Some(database.watch_writes(QueueKey::Company(tenant))),
            Database::Postgres(_) => None,
        }
    }

    /// Takes note of the time that the draft of a large write took.
    pub fn note_draft(&self, time: Duration) {
        if let Database::Sqlite(database) = self {
            database.note_draft(time);
        }
    }

    /// The companies whose writes this host committed.
    pub fn news(&self) -> &News {
        match self {
            Database::Sqlite(database) => &database.news,
            Database::Postgres(servers) => &servers.home().news,
        }
    }

    /// Returns whether the database answers, and the last write found room on its disk.
    pub async fn ready(&self) -> bool {
        self.has_room()
            && self.read_plain(Shard::Global, (), |session, ()| Box::pin(session.query("select 1", &[]))).await.is_ok()
    }

    /// Returns whether the last write found room on the database's disk.
    pub fn has_room(&self) -> bool {
        match self {
            Database::Sqlite(database) => database.has_room(),
            Database::Postgres(servers) => servers.all().all(|(_, server)| server.has_room()),
        }
    }

    /// Use of connections or threads: name of the server, kind and count.
    pub fn loads(&self) -> Vec<(String, &'static str, Load)> {
        match self {
            Database::Sqlite(database) => {
                database.loads().into_iter().map(|(kind, load)| (HOME.to_owned(), kind, load)).collect()
            }
            Database::Postgres(servers) => {
                servers.all().map(|(name, server)| (name.to_owned(), "connection", server.load())).collect()
            }
        }
    }

    /// Builds indexes on tables in use, where that takes statements of its own: not on SQLite. It returns the unique key that the rows do
    /// not have, where one fails for that.
    pub async fn build_indexes(&self, shard: Shard, statements: Vec<String>) -> Result<Option<String>, Error> {
        match self {
            Database::Postgres(servers) if !statements.is_empty() => {
                servers.server(shard).await?.build_indexes(statements).await
            }
            _ => Ok(None),
        }
    }

    /// Forgets statements that were prepared before a schema changed.
    pub fn forget_statements(&self) {
        if let Database::Postgres(servers) = self {
            servers.all().for_each(|(_, server)| server.forget_statements());
        }
    }

    /// Finishes what is queued and closes.
    pub fn close(&self) {
        match self {
            Database::Sqlite(database) => database.close(),
            Database::Postgres(servers) => servers.close(),
        }
    }
}

impl Session {
    /// Has heavy work run in time slices. On SQLite it has none: see [`heavy`].
    pub fn run_in_slices(&mut self, permit: &Arc<HeavyPermit>) {
        if let Session::Postgres(transaction) = self {
            transaction.run_in_slices(permit.clone());
        }
    }

    /// The permit of the heavy work that runs in time slices.
    pub fn heavy_permit(&self) -> Option<&Arc<HeavyPermit>> {
        match self {
            Session::Sqlite(_) => None,
            Session::Postgres(transaction) => transaction.heavy_permit(),
        }
    }

    /// Opens the transaction on PostgreSQL without a tenant (the pipeline's opening statement does it together with
    /// authorization). On SQLite one is open already.
    pub async fn begin_plain(&mut self, read_only: bool) -> Result<(), Error> {
        match self {
            Session::Sqlite(_) => Ok(()),
            Session::Postgres(transaction) => transaction.begin(read_only, "").await.map(drop),
        }
    }

    /// Lets the rest of the transaction see this company's rows, where row-level security has known none so far. Read off the
    /// company's own row, it takes effect where that row is; a company without one is a fault. The instant of a transaction that
    /// writes is taken after it: see [`watermark`].
    ///
    /// # Errors
    /// The transaction may write, and the company is on its way to another place.
    pub async fn stand_for(&mut self, tenant: Uuid) -> Result<(), Error> {
        if let Session::Postgres(transaction) = self {
            let begin_writing = watermark::sql_begin_writing("id");
            let sql = format!(
                "select set_config('stoa.tenant', id::text, true),
                   case when current_setting('transaction_read_only') = 'off'
                     then status <> 'MOVING' and {begin_writing} end
                 from stoa_tenant where id = $1"
            );
            let rows = postgres::query(transaction, sql, &[Cell::Id(tenant)]).await?;
            let row = rows.first().ok_or_else(|| Error::Fault("a company without a row".into()))?;
            if row.optional(1, Row::boolean)? == Some(false) {
                return Err(Error::Unavailable(watermark::ON_ITS_WAY.into()));
            }
        }
        Ok(())
    }

    /// One statement of the host on its own tables, spelt alike for both databases, with `$1`... as parameters.
    pub async fn query(&mut self, sql: &'static str, values: &[Cell]) -> Result<Vec<Row>, Error> {
        match self {
            Session::Sqlite(connection) => sqlite::query(connection, sql, values),
            Session::Postgres(transaction) => postgres::query(transaction, sql, values).await,
        }
    }

    /// As `query`, for a statement that was put together from texts of ours. Input of a caller is only among the values.
    pub async fn query_composed(&mut self, sql: String, values: &[Cell]) -> Result<Vec<Row>, Error> {
        match self {
            Session::Sqlite(connection) => sqlite::query(connection, &sql, values),
            Session::Postgres(transaction) => postgres::query(transaction, sql, values).await,
        }
    }

    /// Returns whether the transaction is on another server than the home server.
    pub fn is_away(&self) -> bool {
        matches!(self, Session::Postgres(transaction) if transaction.home().is_some())
    }

    /// One statement of the host on rows of no company, from a transaction of a company. At home it is part of that transaction. From
    /// another place it is committed at home at once, before that transaction: its writes must do no harm without it.
    pub async fn query_home(&mut self, sql: &'static str, values: &[Cell]) -> Result<Vec<Row>, Error> {
        let home = match self {
            Session::Postgres(transaction) => transaction.home().cloned(),
            Session::Sqlite(_) => None,
        };
        let Some(home) = home else { return self.query(sql, values).await };
        let asked = (sql, values.to_vec());
        let statement = work::plain_write(asked, |session, (sql, values)| Box::pin(session.query(sql, values)));
        home.write(None, Shard::Global.into(), statement, true).await
    }

    /// The database's clock, in milliseconds since 1970.
    pub async fn now(&mut self) -> Result<i64, Error> {
        match self {
            Session::Sqlite(_) => Ok(chrono::Utc::now().timestamp_millis()),
            Session::Postgres(transaction) => {
                let rows =
                    postgres::query(transaction, "select date_trunc('milliseconds', statement_timestamp())", &[])
                        .await?;
                rows.first().ok_or_else(|| Error::Fault("the clock gave no row".into()))?.instant(0)
            }
        }
    }
}
