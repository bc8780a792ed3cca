//! What a database can answer besides rows, sorted by what the host does about it.

/// A database's refusal. The text is for the log: it may name tables and keys, never values.
#[derive(Debug, Clone, thiserror::Error)]
pub enum Error {
    /// A serialization failure or deadlock: the whole request runs again.
    #[error("conflict with another transaction: {0}")]
    Conflict(String),
    /// Nobody knows whether the commit took effect: the connection ended while it was under way.
    #[error("the commit's outcome is unknown: {0}")]
    CommitUnknown(String),
    /// Lost connection, time-out, full disk, exhausted pool: answered 503.
    #[error("database unavailable: {0}")]
    Unavailable(String),
    /// A unique key of the host's own tables is taken.
    #[error("unique key taken: {0}")]
    Unique(String),
    /// A check of the database refuses a row.
    #[error("check broken: {0}")]
    Check(String),
    /// A fault of the host: answered 500.
    #[error("database fault: {0}")]
    Fault(String),
}

impl Error {
    pub fn from_sqlx(error: sqlx::Error) -> Error {
        let Some(database) = error.as_database_error() else {
            return match error {
                sqlx::Error::Io(_)
                | sqlx::Error::Tls(_)
                | sqlx::Error::Protocol(_)
                | sqlx::Error::PoolTimedOut
                | sqlx::Error::PoolClosed
                | sqlx::Error::WorkerCrashed => Error::Unavailable(error.to_string()),
                other => Error::Fault(other.to_string()),
            };
        };
        let code = database.code().unwrap_or_default();
        Error::of_server(&code, database.constraint(), database.table(), database.message())
    }

    pub fn from_postgres(error: tokio_postgres::Error) -> Error {
        let Some(database) = error.as_db_error() else {
            let broken = std::error::Error::source(&error).is_some_and(|cause| cause.is::<std::io::Error>());
            let what = error.to_string();
            return if broken || error.is_closed() { Error::Unavailable(what) } else { Error::Fault(what) };
        };
        Error::of_server(database.code().code(), database.constraint(), database.table(), database.message())
    }

    /// By what a PostgreSQL server says. Its message may quote values (`Key (sku)=(...) already exists`): the code and names are
    /// enough.
    fn of_server(code: &str, constraint: Option<&str>, table: Option<&str>, message: &str) -> Error {
        let what = match (constraint, table) {
            (Some(constraint), _) => format!("{code} {constraint}"),
            (None, Some(table)) => format!("{code} on {table}"),
            (None, None) if code.starts_with("42") => format!("{code} {message}"),
            (None, None) => code.to_owned(),
        };
        match code {
            "40001" | "40P01" => Error::Conflict(what),
            "23505" => Error::Unique(constraint.unwrap_or_default().to_owned()),
            "23514" => Error::Check(constraint.unwrap_or_default().to_owned()),
            // Lock and statement time-outs, shutdown, too many connections, out of disk or memory.
            "55P03" | "57014" | "57P01" | "57P02" | "57P03" | "25P03" => Error::Unavailable(what),
            other if other.starts_with("53") || other.starts_with("08") || other.starts_with("58") => {
                Error::Unavailable(what)
            }
            _ => Error::Fault(what),
        }
    }

    pub fn from_rusqlite(error: rusqlite::Error) -> Error {
        use rusqlite::ErrorCode as Code;
        let rusqlite::Error::SqliteFailure(failure, message) = &error else {
            return Error::Fault(error.to_string());
        };
        let what = message.clone().unwrap_or_else(|| failure.to_string());
        match failure.code {
            Code::DatabaseBusy | Code::DatabaseLocked => Error::Unavailable(what),
            Code::DiskFull | Code::SystemIoFailure | Code::OutOfMemory | Code::ReadOnly | Code::CannotOpen => {
                Error::Unavailable(what)
            }
            Code::ConstraintViolation
                if failure.extended_code == rusqlite::ffi::SQLITE_CONSTRAINT_UNIQUE
                    || failure.extended_code == rusqlite::ffi::SQLITE_CONSTRAINT_PRIMARYKEY =>
            {
                Error::Unique(what)
            }
            _ => Error::Fault(what),
        }
    }
}
