//! A command's own connection to a SQLite database.

use std::path::Path;
use std::sync::atomic::AtomicBool;

use rusqlite::Connection;

use super::{Error, File, connect};
use crate::database::DatabaseSettings;
use crate::database::own::OwnLimits;

/// Opens a file that is there, without a transaction.
///
/// # Errors
/// There is no file, or it may not be read.
pub fn open_own(
    path: &Path,
    settings: &DatabaseSettings,
    read_only: bool,
    limits: OwnLimits,
) -> Result<Connection, Error> {
    let file = File { path: path.to_owned(), register: settings.prepare.sqlite, full: AtomicBool::new(false) };
    let open = || -> rusqlite::Result<Connection> {
        let connection = connect(&file, read_only)?;
        connection.busy_timeout(limits.wait)?;
        Ok(connection)
    };
    open().map_err(Error::from_rusqlite)
}
