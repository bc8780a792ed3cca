//! Sessions of commands that read or write everything that a company has: on a connection of their own, without the time limits of
//! requests, and on tables that are up to date.

use uuid::Uuid;

use super::postgres::Transaction;
use super::{Cell, DatabaseSettings, Error, Location, Session, migrations, sqlite};

impl Session {
    /// Begins a snapshot or a write. It neither creates nor migrates a database.
    ///
    /// # Errors
    /// There is no such database, the server cannot be reached, or the host's tables are older than this host.
    pub async fn begin_alone(settings: &DatabaseSettings, read_only: bool) -> anyhow::Result<Session> {
        let mut session = match settings.location()? {
            Location::Sqlite(path) => {
                anyhow::ensure!(path.exists(), "there is no database at {}", path.display());
                Session::Sqlite(sqlite::begin_alone(&path, settings, read_only)?)
            }
            Location::Postgres(url) => Session::Postgres(Transaction::begin_alone(&url, settings, read_only).await?),
        };
        let applied = session.query("select max(version) from _sqlx_migrations where success", &[]).await;
        let newest = applied.ok().and_then(|rows| rows.first()?.integer(0).ok());
        // Both databases have the same steps.
        let is_new = newest.is_some_and(|newest| newest >= migrations::newest_postgres());
        anyhow::ensure!(is_new, "the database lacks a migration: run `stoa migrate`");
        Ok(session)
    }

    /// Lets the transaction see and write the rows of a company that may have no row of its own yet.
    pub async fn enter_company(&mut self, company: Uuid) -> Result<(), Error> {
        if matches!(self, Session::Postgres(_)) {
            self.query("select set_config('stoa.tenant', $1, true)", &[Cell::text(company.to_string())]).await?;
        }
        Ok(())
    }

    /// Commits what `begin_alone` began.
    pub async fn commit_alone(self) -> Result<(), Error> {
        match self {
            Session::Sqlite(connection) => connection.execute_batch("commit").map_err(Error::from_rusqlite),
            Session::Postgres(mut transaction) => transaction.commit().await,
        }
    }
}
