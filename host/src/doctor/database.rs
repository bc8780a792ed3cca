//! The database: from its address to a session that only reads, and what both kinds of database have.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use super::{Diagnosis, Notes, clocks, deployment, postgres, tables, webhooks};
use crate::database::own::INSPECTION;
use crate::database::postgres::own::OwnAddress;
use crate::database::sqlite::{damage, open_own};
use crate::database::{DatabaseSettings, Error, Location, Session, migrations};
use crate::settings::Settings;

/// For a server to accept a connection.
const CONNECT: Duration = Duration::from_millis(1_200);
/// For every page of an SQLite file.
const PAGES: Duration = Duration::from_millis(800);

pub async fn examine(settings: Arc<Settings>, notes: Notes) {
    let Some(mut session) = open(&settings.database(), &notes).await else { return };
    let session = &mut session;
    notes.note("database.steps", steps(session).await);
    if matches!(session, Session::Postgres(_)) {
        postgres::examine(session, &settings, &notes).await;
    } else {
        postgres::skip(&notes);
    }
    tables::examine(session, &notes).await;
    clocks::examine(session, &notes).await;
    webhooks::examine(session, &settings, &notes).await;
    deployment::examine(session, &settings, &notes).await;
    // Last: it takes as long as the file is large.
    notes.note("database.file", check_file(session));
}

/// A session, where the database can be reached.
async fn open(database: &DatabaseSettings, notes: &Notes) -> Option<Session> {
    let opened = match database.location() {
        Err(error) => {
            notes.note("database.address", Diagnosis::fail(error.to_string()));
            return None;
        }
        Ok(Location::Sqlite(path)) => {
            notes.note("database.address", Diagnosis::pass("SQLite, on this machine"));
            notes.note("database.tls", Diagnosis::skip("SQLite is a file"));
            open_sqlite(&path, database).await
        }
        Ok(Location::Postgres(url)) => {
            let address = match OwnAddress::parse(&url, &database.transport, INSPECTION) {
                Ok(address) => address,
                Err(error) => {
                    notes.note("database.address", Diagnosis::fail(format!("it cannot be used: {error}")));
                    return None;
                }
            };
            notes.note("database.address", Diagnosis::pass("PostgreSQL"));
            let tls = if address.is_plain_text_elsewhere() {
                Diagnosis::warn("what is sent to the server leaves this machine in plain text")
            } else {
                Diagnosis::pass("the connection is encrypted, or stays on this machine")
            };
            notes.note("database.tls", tls);
            connect(address).await
        }
    };
    match opened {
        Ok(session) => {
            notes.note("database.reach", Diagnosis::pass("the database answers"));
            Some(session)
        }
        Err(why) => {
            notes.note("database.reach", Diagnosis::fail(why));
            None
        }
    }
}

/// Connects to a PostgreSQL server.
pub async fn connect(address: OwnAddress) -> Result<Session, String> {
    match tokio::time::timeout(CONNECT, address.connect()).await {
        Ok(connected) => connected
            .map(Session::Postgres)
            .map_err(|error| error.explain().map_or_else(|| error.to_string(), |known| known.says.to_owned())),
        Err(_) => Err("the server does not answer in time".to_owned()),
    }
}

async fn open_sqlite(path: &Path, database: &DatabaseSettings) -> Result<Session, String> {
    if !path.exists() {
        return Err("there is no file".to_owned());
    }
    let connection = open_own(path, database, true, INSPECTION).map_err(|error| error.to_string())?;
    let mut session = Session::Sqlite(connection);
    session.query("select count(*) from sqlite_master", &[]).await.map_err(|error| error.to_string())?;
    Ok(session)
}

/// Checks whether the host's tables are those of this version.
pub async fn steps(session: &mut Session) -> Diagnosis {
    let is_postgres = matches!(session, Session::Postgres(_));
    let rows = match session.query("select version from _sqlx_migrations where success", &[]).await {
        Ok(rows) => rows,
        Err(Error::Fault(_)) => return Diagnosis::fail("the database has no tables of a host"),
        Err(error) => return Diagnosis::from_error(&error),
    };
    let applied: BTreeSet<i64> = rows.iter().filter_map(|row| row.integer(0).ok()).collect();
    let known: BTreeSet<i64> = migrations::known_steps(is_postgres).collect();
    let missing: Vec<String> = known.difference(&applied).map(i64::to_string).collect();
    if missing.is_empty() && !applied.is_subset(&known) {
        return Diagnosis::warn("a newer host has changed the tables");
    }
    Diagnosis::fail_if_any(&missing, "migrations are missing", "every migration is applied")
}

fn check_file(session: &Session) -> Diagnosis {
    let Session::Sqlite(connection) = session else { return Diagnosis::skip("PostgreSQL checks its own files") };
    match damage::find_damage(connection, PAGES) {
        Ok(None) => Diagnosis::pass("every page of the file can be read"),
        Ok(Some(_)) | Err(Error::Fault(_)) => Diagnosis::fail("the file is damaged"),
        Err(_) => Diagnosis::skip("the file is too large to be read in this time"),
    }
}
