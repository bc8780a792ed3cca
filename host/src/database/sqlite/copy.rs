//! A copy of a SQLite database, taken while a host writes to it.

use std::path::Path;

use anyhow::Context as _;
use rusqlite::backup::{Backup, StepResult};
use rusqlite::{Connection, OpenFlags};

use super::open_own;
use crate::database::DatabaseSettings;
use crate::database::own::WHOLE_DATABASE;

/// Facts of a copy.
pub struct Copied {
    /// The clock before the copy began, in milliseconds since 1970: whatever was committed before it is in the copy.
    pub mark: i64,
    /// Number of the newest step of the host's tables.
    pub migration: i64,
    /// Keys that the stored secrets are encrypted under.
    pub key_ids: Vec<String>,
}

/// Copies the database of a host to another file, which exists and is empty. One step copies all pages: between two steps
/// another process could write, and the copy would begin again.
pub fn copy(from: &Path, to: &Path, settings: &DatabaseSettings) -> anyhow::Result<Copied> {
    let source = open_own(from, settings, true, WHOLE_DATABASE).context("the database cannot be opened")?;
    let mut copy = Connection::open(to)?;
    // The whole file is flushed once, by who moves it to its name.
    copy.pragma_update(None, "synchronous", "off")?;
    let mark = chrono::Utc::now().timestamp_millis();
    let copied = Backup::new(&source, &mut copy)?.step(-1)?;
    anyhow::ensure!(copied == StepResult::Done, "the database is busy: try again");
    drop(source);
    // A copy is one file, without the write-ahead log of the original.
    copy.query_row("pragma journal_mode = delete", [], |_| Ok(()))?;
    check(&copy, settings)?;
    let migration = copy.query_row("select max(version) from _sqlx_migrations where success", [], |row| row.get(0));
    let migration = migration.context("the database has no tables of a host")?;
    let mut key_ids = copy.prepare("select distinct key_id from stoa_webhook_endpoint order by 1")?;
    let key_ids = key_ids.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?;
    Ok(Copied { mark, migration, key_ids })
}

/// Checks the file of a backup before it becomes a host's. `statement`: run on it.
pub fn finish(file: &Path, settings: &DatabaseSettings, statement: Option<&str>) -> anyhow::Result<()> {
    let restored = Connection::open_with_flags(file, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    check(&restored, settings)?;
    if let Some(statement) = statement {
        restored.execute_batch(statement)?;
    }
    restored.close().map_err(|(_, error)| error)?;
    Ok(())
}

/// Reads every page.
fn check(connection: &Connection, settings: &DatabaseSettings) -> anyhow::Result<()> {
    (settings.prepare.sqlite)(connection)?;
    let found: String = connection.query_row("pragma quick_check(1)", [], |row| row.get(0))?;
    anyhow::ensure!(found == "ok", "the database file is damaged: {found}");
    Ok(())
}
