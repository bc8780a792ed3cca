//! Connections of commands that read or write everything that a company has, or explain a database: each is the command's own, and
//! the time limits of requests do not apply. No command here creates or migrates a database.

use std::time::Duration;

use uuid::Uuid;

use super::postgres::own::OwnAddress;
use super::servers::HOME;
use super::{Cell, DatabaseSettings, Error, Location, Session, directory, migrations, sqlite};

/// The limits of a command's own connection.
#[derive(Debug, Clone, Copy)]
pub struct OwnLimits {
    /// Settings of the session on PostgreSQL.
    pub session: &'static str,
    /// Longest wait for a lock of another process on SQLite.
    pub wait: Duration,
}

/// The command explains a database that a host may reject: it writes nothing and waits for no other session.
pub const INSPECTION: OwnLimits = OwnLimits {
    session: "set default_transaction_read_only = on; set statement_timeout = '700ms'; set lock_timeout = '300ms'",
    wait: Duration::from_millis(300),
};

/// The command reads or writes a company. Another command of this kind may hold a lock as long as it runs.
pub const WHOLE_COMPANY: OwnLimits = OwnLimits {
    session: "set statement_timeout = 0; set idle_in_transaction_session_timeout = 0; set lock_timeout = '60s'",
    wait: Duration::from_secs(60),
};

/// The command copies all tables. It takes as long as there is data, and waits no longer than this for a lock, which a change of
/// modules may hold. Every later version of PostgreSQL reads the texts of values alike.
pub const WHOLE_DATABASE: OwnLimits = OwnLimits {
    session: "set statement_timeout = 0; set idle_in_transaction_session_timeout = 0; set lock_timeout = '30s';
        set timezone = 'UTC'; set datestyle = 'ISO, YMD'; set bytea_output = 'hex'",
    wait: Duration::from_secs(5),
};

impl DatabaseSettings {
    /// The location of a database that a host has made: a mistyped path makes no new one.
    ///
    /// # Errors
    /// There is no file at the path of a SQLite database.
    pub fn existing_location(&self) -> anyhow::Result<Location> {
        let location = self.location()?;
        if let Location::Sqlite(path) = &location {
            anyhow::ensure!(path.exists(), "there is no database at {}", path.display());
        }
        Ok(location)
    }

    /// The settings of the server that has a company. None: the home server has it.
    ///
    /// # Errors
    /// The home server does not answer, or the settings do not name the company's place.
    pub async fn at_place_of(&self, company: Uuid) -> anyhow::Result<Option<DatabaseSettings>> {
        if self.places.is_empty() {
            return Ok(None);
        }
        let mut home = Session::begin_own(self, true).await?;
        // A company that came home keeps its row until the other place is purged.
        let name = directory::read_place(&mut home, company).await?.filter(|name| name != HOME);
        let Some(name) = name else { return Ok(None) };
        let place = self.places.iter().find(|place| place.name == name);
        let place = place.ok_or_else(|| anyhow::anyhow!("the settings name no place {name}"))?;
        Ok(Some(self.of_place(place)))
    }
}

impl Session {
    /// Begins a snapshot or a write of a whole company. Dropped before its commit, it rolls back.
    ///
    /// # Errors
    /// There is no such database, the server cannot be reached, or the host's tables are older than this host.
    pub async fn begin_own(settings: &DatabaseSettings, read_only: bool) -> anyhow::Result<Session> {
        let mut session = match settings.existing_location()? {
            Location::Sqlite(path) => {
                let connection = sqlite::open_own(&path, settings, read_only, WHOLE_COMPANY)?;
                let begin = if read_only { "begin" } else { "begin immediate" };
                connection.execute_batch(begin).map_err(Error::from_rusqlite)?;
                Session::Sqlite(connection)
            }
            Location::Postgres(url) => {
                let address = OwnAddress::parse(&url, &settings.transport, WHOLE_COMPANY)?;
                let mut transaction = address.connect().await?;
                transaction.begin(read_only, "").await?;
                Session::Postgres(transaction)
            }
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

    /// Commits a transaction that `begin_own` began.
    pub async fn commit_own(self) -> Result<(), Error> {
        match self {
            Session::Sqlite(connection) => connection.execute_batch("commit").map_err(Error::from_rusqlite),
            Session::Postgres(mut transaction) => transaction.commit().await,
        }
    }
}
