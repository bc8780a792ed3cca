//! The seam between the typed store and the host's connections: one open transaction and what can go wrong with it.

/// A connection on which a transaction is open.
pub enum Session {
    Sqlite(rusqlite::Connection),
    Postgres(Box<sqlx::pool::PoolConnection<sqlx::Postgres>>),
}

/// What a database can answer instead of a result.
#[derive(Debug)]
pub enum Error {
    /// Serialization failure or deadlock: the host runs the whole request again.
    Conflict(String),
    /// Lost connection, time-out, exhausted pool, busy, disk full.
    Unavailable(String),
    /// Anything else: a fault of the host.
    Fault(String),
}

impl Error {
    pub fn from_sqlx(error: sqlx::Error) -> Error {
        let code = error.as_database_error().and_then(|e| e.code().map(|c| c.into_owned()));
        match code.as_deref() {
            Some("40001" | "40P01") => Error::Conflict(error.to_string()),
            Some("55P03" | "57014") => Error::Unavailable(error.to_string()),
            Some(_) => Error::Fault(error.to_string()),
            None => Error::Unavailable(error.to_string()),
        }
    }

    pub fn from_rusqlite(error: rusqlite::Error) -> Error {
        match error.sqlite_error_code() {
            Some(rusqlite::ErrorCode::DatabaseBusy | rusqlite::ErrorCode::DiskFull) => {
                Error::Unavailable(error.to_string())
            }
            _ => Error::Fault(error.to_string()),
        }
    }
}
