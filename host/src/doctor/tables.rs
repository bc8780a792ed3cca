//! The tables of modules and of the host: that they are there, and that the database guards them.

use std::collections::BTreeSet;

use super::{Diagnosis, Notes};
use crate::database::{Error, Session};
use crate::store::Tables;

/// The host's tables whose rows are never changed.
const APPEND_ONLY: [&str; 6] = [
    "stoa_audit",
    "stoa_audit_subject",
    "stoa_generation",
    "stoa_generation_module",
    "stoa_generation_point",
    "stoa_operator_audit",
];

/// Names of tables.
type Names = BTreeSet<String>;

pub async fn examine(session: &mut Session, notes: &Notes) {
    let (recorded, there) = match (read_recorded(session).await, read_tables(session).await) {
        (Ok(recorded), Ok(there)) => (recorded, there),
        (Err(error), _) | (_, Err(error)) => {
            return notes.note("database.tables", Diagnosis::from_error(&error));
        }
    };
    let missing: Vec<String> = recorded.all.difference(&there).cloned().collect();
    let says = format!("all {} tables of modules are there", recorded.all.len());
    notes.note("database.tables", Diagnosis::fail_if_any(&missing, "tables of modules are missing", &says));
    notes.note("database.row_security", row_security(session, &recorded.all, &there).await);
    notes.note("database.append_only", append_only(session, recorded.ledgers, &there).await);
}

/// The tables that modules have, by what is recorded of them.
struct Recorded {
    all: Names,
    /// Those that are appended to only.
    ledgers: Names,
}

async fn read_recorded(session: &mut Session) -> Result<Recorded, Error> {
    let rows = session.query("select module, name, definition from stoa_collection", &[]).await?;
    let mut recorded = Recorded { all: Names::new(), ledgers: Names::new() };
    for row in &rows {
        let table = Tables::table_name(&row.text(0)?, &row.text(1)?);
        let definition: serde_json::Value = serde_json::from_str(&row.text(2)?).unwrap_or_default();
        if definition["kind"] == "ledger" {
            recorded.ledgers.insert(table.clone());
        }
        recorded.all.insert(table);
    }
    Ok(recorded)
}

async fn read_names(session: &mut Session, sql: &'static str) -> Result<Names, Error> {
    session.query(sql, &[]).await?.iter().map(|row| row.text(0)).collect()
}

async fn read_tables(session: &mut Session) -> Result<Names, Error> {
    let sql = match session {
        Session::Sqlite(_) => "select name from sqlite_master where type = 'table'",
        Session::Postgres(_) => {
            "select relname::text from pg_class
             where relkind in ('r', 'p') and relnamespace = current_schema()::regnamespace"
        }
    };
    read_names(session, sql).await
}

async fn row_security(session: &mut Session, recorded: &Names, there: &Names) -> Result<Diagnosis, Error> {
    if matches!(session, Session::Sqlite(_)) {
        return Ok(Diagnosis::skip("SQLite has none"));
    }
    let sql = "select c.relname::text from pg_class c
               where c.relnamespace = current_schema()::regnamespace and c.relrowsecurity and c.relforcerowsecurity
                 and exists (select 1 from pg_policy p where p.polrelid = c.oid and p.polname = 'tenant')";
    let guarded = read_names(session, sql).await?;
    let open: Vec<String> = recorded.intersection(there).filter(|table| !guarded.contains(*table)).cloned().collect();
    Ok(Diagnosis::fail_if_any(
        &open,
        "tables do not separate companies",
        "row-level security is forced on every table of modules",
    ))
}

async fn append_only(session: &mut Session, ledgers: Names, there: &Names) -> Result<Diagnosis, Error> {
    let sql = match session {
        Session::Sqlite(_) => {
            "select tbl_name from sqlite_master where type = 'trigger' and name in (
               tbl_name || '_update', tbl_name || '_delete', tbl_name || '__no_update', tbl_name || '__no_delete')
             group by tbl_name having count(*) = 2"
        }
        Session::Postgres(_) => {
            "select c.relname::text from pg_class c
             where c.relnamespace = current_schema()::regnamespace and exists (
               select 1 from pg_trigger t where t.tgrelid = c.oid and t.tgname in ('append_only', 'ledger')
                 and t.tgenabled in ('O', 'A'))"
        }
    };
    let guarded = read_names(session, sql).await?;
    let mut wanted = ledgers;
    wanted.extend(APPEND_ONLY.map(str::to_owned));
    let open: Vec<String> = wanted.intersection(there).filter(|table| !guarded.contains(*table)).cloned().collect();
    Ok(Diagnosis::fail_if_any(
        &open,
        "tables accept changes of rows that are never changed",
        "the audit, the history and every ledger are only appended to",
    ))
}
