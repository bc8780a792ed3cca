//! A connection that only reads, for who explains a database that a host rejects: it neither makes the file nor migrates it.

use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;

use rusqlite::Connection;

use super::super::{Error, Session};
use super::File;

/// Longest wait for a lock of another process.
const BUSY: Duration = Duration::from_millis(300);

/// Opens a file that is there.
///
/// # Errors
/// There is no file, or it may not be read.
pub fn open(path: &Path, register: fn(&Connection) -> rusqlite::Result<()>) -> Result<Session, Error> {
    let file = File { path: path.to_owned(), register, full: AtomicBool::new(false) };
    let connection = super::connect(&file, true).map_err(Error::from_rusqlite)?;
    connection.busy_timeout(BUSY).map_err(Error::from_rusqlite)?;
    Ok(Session::Sqlite(connection))
}

/// Reads every page; answers the first fault that is found.
///
/// # Errors
/// `Unavailable`: the file is too large for this time. `Fault`: it cannot be read at all.
pub fn find_damage(connection: &Connection, time: Duration) -> Result<Option<String>, Error> {
    let stop = connection.get_interrupt_handle();
    let (ended, watched) = mpsc::channel::<()>();
    std::thread::spawn(move || {
        if watched.recv_timeout(time) == Err(RecvTimeoutError::Timeout) {
            stop.interrupt();
        }
    });
    let found: rusqlite::Result<String> = connection.query_row("pragma quick_check(1)", [], |row| row.get(0));
    drop(ended);
    let found = found.map_err(Error::from_rusqlite)?;
    Ok((found != "ok").then_some(found))
}
