//! Answers of a database besides rows, sorted by what the host does about them.

/// A database's refusal. The text is for the log: it may name tables and keys, never values.
#[derive(Debug, Clone, thiserror::Error)]
pub enum Error {
    /// A serialization failure or deadlock: the whole request runs again.
    #[error("conflict with another transaction: {0}")]
    Conflict(String),
    /// The commit may or may not have taken effect: the connection ended while it was under way.
    #[error("the commit's outcome is unknown: {0}")]
    CommitUnknown(String),
    /// Lost connection, time-out, full disk, exhausted pool: answered 503.
    #[error("database unavailable: {0}")]
    Unavailable(String),
    /// The server has no row of this company: it has moved to another place, or does not exist. The directory decides.
    #[error("the company {0} is not at this place")]
    Moved(uuid::Uuid),
    /// No room on the disk: answered 503.
    #[error("database full: {0}")]
    Full(String),
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

/// A server's refusal in words, and what helps: by itself it says a code only.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Explanation {
    pub says: &'static str,
    pub remedy: &'static str,
}

/// The code of a server that takes no writes: a standby, or a primary that is set so.
const READ_ONLY: &str = "25006";

/// By code of a PostgreSQL server.
const EXPLANATIONS: &[(&str, Explanation)] = &[
    (
        "28P01",
        Explanation {
            says: "the server rejects the role or its password",
            remedy: "Correct both in STOA_DATABASE_URL. A character such as @ or / in the password is written as %40 or %2F.",
        },
    ),
    (
        "28000",
        Explanation {
            says: "the server rejects the role, or a connection without TLS",
            remedy: "If the server accepts only TLS, add ?sslmode=verify-full to STOA_DATABASE_URL. Else allow the role in its pg_hba.conf.",
        },
    ),
    (
        "3D000",
        Explanation {
            says: "the server has no database of this name",
            remedy: "Create it with `create database`, or correct the name in STOA_DATABASE_URL.",
        },
    ),
    (
        "42501",
        Explanation {
            says: "the role lacks a right in this database",
            remedy: "Make the role the owner of the database, or grant it the right that the server's log names.",
        },
    ),
    (
        "53300",
        Explanation {
            says: "the server has no connection left",
            remedy: "Raise max_connections of the server, or lower STOA_DATABASE_CONNECTIONS of the hosts.",
        },
    ),
    (
        READ_ONLY,
        Explanation {
            says: "the server takes no writes",
            remedy: "List all servers in STOA_DATABASE_URL, or add target_session_attrs=read-write: hosts then look for the primary.",
        },
    ),
    ("57P03", Explanation { says: "the server starts or stops", remedy: "Try again when it accepts connections." }),
];

fn explain_code(code: &str) -> Option<Explanation> {
    EXPLANATIONS.iter().find(|(known, _)| *known == code).map(|(_, explanation)| *explanation)
}

/// The explanation of a database's error among the causes of an error, if one of them has any.
pub fn find_explanation(error: &anyhow::Error) -> Option<Explanation> {
    error.chain().find_map(|cause| {
        if let Some(error) = cause.downcast_ref::<Error>() {
            return error.explain();
        }
        let code = cause.downcast_ref::<sqlx::Error>()?.as_database_error()?.code()?;
        explain_code(&code)
    })
}

impl Error {
    /// The refusal in words, where the server said a code that has any.
    pub fn explain(&self) -> Option<Explanation> {
        let (Error::Unavailable(text) | Error::Fault(text)) = self else { return None };
        explain_code(text.split(' ').next().unwrap_or_default())
    }

    /// Returns whether the server takes no writes. A connection to it is of no use to a host.
    pub fn is_read_only(&self) -> bool {
        matches!(self, Error::Unavailable(text) if text.starts_with(READ_ONLY))
    }

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
            let what = error.to_string();
            return if is_lost(&error) { Error::Unavailable(what) } else { Error::Fault(what) };
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
            "23505" => Error::Unique(rule_name(constraint.unwrap_or_default(), table).to_owned()),
            "23514" => Error::Check(rule_name(constraint.unwrap_or_default(), table).to_owned()),
            "53100" => Error::Full(what),
            // A database that accepts no connections, lock and statement time-outs, a standby, shutdown, too many connections, out of disk or memory.
            READ_ONLY | "55000" | "55P03" | "57014" | "57P01" | "57P02" | "57P03" | "57P05" | "25P03" => {
                Error::Unavailable(what)
            }
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
            Code::OperationInterrupted => Error::Unavailable("the request took too long".into()),
            Code::DiskFull => Error::Full(what),
            Code::SystemIoFailure | Code::OutOfMemory | Code::ReadOnly | Code::CannotOpen => Error::Unavailable(what),
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

/// Returns whether the connection ended, so that it is unknown which statements of a message ran.
pub fn is_lost(error: &tokio_postgres::Error) -> bool {
    error.is_closed() || std::error::Error::source(error).is_some_and(|cause| cause.is::<std::io::Error>())
}

/// A rule's name as it was given. A distributed table is reported by the shard that refuses, and its rules bear the same number:
/// `cost_104175` of `layer_104175`. A number that the table does not bear is part of the name.
fn rule_name<'a>(rule: &'a str, table: Option<&str>) -> &'a str {
    let shard = |name: &str| {
        let (_, number) = name.rsplit_once('_')?;
        (number.len() >= 6 && number.bytes().all(|byte| byte.is_ascii_digit())).then(|| number.to_owned())
    };
    match (shard(rule), table.and_then(shard)) {
        (Some(one), Some(other)) if one == other => rule.get(..rule.len() - one.len() - 1).unwrap_or(rule),
        _ => rule,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_of_the_server_is_explained() {
        for code in ["28P01", "28000", "3D000", "42501", "53300", READ_ONLY, "57P03"] {
            let error = Error::of_server(code, None, None, "a message");
            let explanation = error.explain().unwrap_or_else(|| panic!("{code} has no explanation"));
            assert!(explanation.remedy.ends_with('.'), "{code}");
            let context = anyhow::Error::from(error).context("the database cannot be opened");
            assert_eq!(find_explanation(&context), Some(explanation), "{code}");
        }
        assert_eq!(Error::of_server("22P02", None, None, "").explain(), None);
        assert_eq!(Error::Unavailable("the server does not answer".into()).explain(), None);
        assert_eq!(find_explanation(&anyhow::anyhow!("28P01")), None);
    }

    #[test]
    fn a_server_that_stops_or_takes_no_writes_is_unavailable() {
        for code in ["08000", "08003", "08006", "25006", "57P01", "57P02", "57P03", "57P05"] {
            let error = Error::of_server(code, None, None, "");
            assert!(matches!(error, Error::Unavailable(_)), "{code}: {error:?}");
            assert_eq!(error.is_read_only(), code == READ_ONLY);
        }
    }

    #[test]
    fn a_rule_is_reported_without_its_shard() {
        let cases = [
            ("cost_104175", Some("layer_104175"), "cost"),
            ("cost_104175", Some("layer_104176"), "cost_104175"),
            ("cost_104175", Some("layer"), "cost_104175"),
            ("cost_104175", None, "cost_104175"),
            ("line_2", Some("layer_2"), "line_2"),
            ("cost", Some("layer_104175"), "cost"),
        ];
        for (rule, table, name) in cases {
            assert_eq!(rule_name(rule, table), name, "{rule} of {table:?}");
        }
    }
}
