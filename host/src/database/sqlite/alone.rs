//! A connection with a transaction of its own, for commands that read or write everything that a company has.

use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use rusqlite::Connection;

use super::{Error, File, connect};
use crate::database::DatabaseSettings;

/// Longest wait for the writer of a running host.
const WAIT: Duration = Duration::from_secs(60);

/// Begins a transaction: a snapshot, or the only write. Dropped before its commit, the connection rolls back.
pub fn begin_alone(path: &Path, settings: &DatabaseSettings, read_only: bool) -> Result<Connection, Error> {
    let file = File { path: path.to_owned(), register: settings.prepare.sqlite, full: AtomicBool::new(false) };
    let begin = || -> rusqlite::Result<Connection> {
        let connection = connect(&file, read_only)?;
        connection.busy_timeout(WAIT)?;
        connection.execute_batch(if read_only { "begin" } else { "begin immediate" })?;
        Ok(connection)
    };
    begin().map_err(Error::from_rusqlite)
}
