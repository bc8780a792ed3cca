//! A copy of a whole deployment in one file, and the way back. The database has everything but keys and settings: rows of
//! companies, artifacts and generations alike. SQLite's file is copied page by page, PostgreSQL's tables by COPY.

pub mod archive;
mod postgres;
mod sqlite;

use std::path::Path;

use chrono::{DateTime, SecondsFormat, Utc};

use crate::database::{DatabaseSettings, Location, migrations};
use archive::{ArchiveManifest, Checked, DatabaseKind, FORMAT, Header, Writer};

/// A backup that was written or restored.
pub struct BackupReport {
    pub header: Header,
    /// Tables and rows on PostgreSQL; SQLite's file is copied without a look at them.
    pub tables: Option<usize>,
    pub rows: Option<u64>,
    /// Size of the members.
    pub bytes: u64,
}

/// Webhooks of a restored deployment.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Webhooks {
    /// As they were.
    Send,
    /// Every endpoint is disabled: a copy that serves while the original does sends nothing.
    Hold,
}

/// Writes a backup to a new file, also while hosts serve.
pub async fn write(settings: &DatabaseSettings, file: &Path) -> anyhow::Result<BackupReport> {
    let mut writer = Writer::create(file)?;
    let header = match settings.existing_location()? {
        Location::Sqlite(path) => sqlite::write(&path, settings, file, &mut writer)?,
        Location::Postgres(url) => postgres::write(&url, settings, &mut writer).await?,
    };
    Ok(report(header, &writer.finish(file)?))
}

/// Fills an empty database from a backup.
///
/// # Errors
/// A file that is damaged, of another kind of database or of a newer host; a database that is not empty. Then nothing was
/// restored.
pub async fn restore(settings: &DatabaseSettings, file: &Path, webhooks: Webhooks) -> anyhow::Result<BackupReport> {
    let backup = archive::check(file)?;
    let header = &backup.header;
    let newest = migrations::newest_postgres();
    anyhow::ensure!(
        header.migration <= newest,
        "the backup has step {} of the host's tables, and this host knows {newest}: restore with stoa {} or later",
        header.migration,
        header.host_version
    );
    match (settings.location()?, header.database) {
        (Location::Sqlite(path), DatabaseKind::Sqlite) => sqlite::restore(file, &path, settings, webhooks)?,
        (Location::Postgres(url), DatabaseKind::Postgres) => {
            postgres::restore(file, &backup, &url, settings, webhooks).await?;
        }
        (_, kind) => anyhow::bail!(
            "the backup is of {kind} and the database is not: move companies to another kind with `stoa export` and `stoa import-company`"
        ),
    }
    let Checked { header, manifest } = backup;
    Ok(report(header, &manifest))
}

fn report(header: Header, manifest: &ArchiveManifest) -> BackupReport {
    let has_tables = header.database == DatabaseKind::Postgres;
    BackupReport {
        header,
        tables: has_tables.then_some(manifest.tables.len()),
        rows: has_tables.then(|| manifest.tables.iter().map(|table| table.rows).sum()),
        bytes: manifest.members.iter().map(|member| member.bytes).sum(),
    }
}

fn header(database: DatabaseKind, mark: i64, migration: i64, key_ids: Vec<String>) -> anyhow::Result<Header> {
    let mark: DateTime<Utc> =
        DateTime::from_timestamp_millis(mark).ok_or_else(|| anyhow::anyhow!("the clock has no date"))?;
    Ok(Header {
        format: FORMAT.to_owned(),
        host_version: env!("CARGO_PKG_VERSION").to_owned(),
        database,
        migration,
        mark: mark.to_rfc3339_opts(SecondsFormat::Millis, true),
        key_ids,
    })
}
