//! Damage of a SQLite file, found in a bounded time.

use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;

use rusqlite::Connection;

use super::Error;

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
