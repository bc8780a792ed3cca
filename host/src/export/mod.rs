//! One company as lines of JSON: written from one database, read into another of either kind.

mod file;
mod import;
mod tables;
mod value;
mod write;

use std::collections::BTreeMap;
use std::io::Write;

use anyhow::Context as _;
use serde_json::Value as Json;
use uuid::Uuid;

use crate::calendar::time;
use crate::database::{Cell, DatabaseSettings, Error, Session};
use crate::deployment::{backfills, records};
use file::{CompanyManifest, FORMAT, Line, Tally};
use value::Values;

pub use import::{Imported, import};

/// Result of an export.
pub struct Exported {
    /// Tables that have rows of the company.
    pub tables: usize,
    pub rows: u64,
}

/// Writes a company from one snapshot, also while hosts serve. `suspended`: only a company that no caller can change.
///
/// # Errors
/// There is no such company, it is active where it must be suspended, or its rows do not all have the form of the active modules
/// yet.
pub async fn export(
    settings: &DatabaseSettings,
    company: Uuid,
    suspended: bool,
    output: &mut dyn Write,
) -> anyhow::Result<Exported> {
    // Only the home server has the versions of modules.
    let modules = read_modules(&mut Session::begin_own(settings, true).await?).await?;
    let place = settings.at_place_of(company).await?;
    let mut session = Session::begin_own(place.as_ref().unwrap_or(settings), true).await?;
    session.enter_company(company).await?;
    let rows = session.query("select name, status from stoa_tenant where id = $1", &[Cell::Id(company)]).await?;
    let row = rows.first().with_context(|| format!("there is no company {company}"))?;
    let is_active = row.text(1)? != "SUSPENDED";
    anyhow::ensure!(!suspended || !is_active, "the company is active: run `stoa tenant suspend {company}`");
    check_backfills(&mut session).await?;
    let all = tables::read_tables(&mut session).await?;
    let manifest = CompanyManifest {
        format: FORMAT.to_owned(),
        company,
        name: row.text(0)?,
        host_version: env!("CARGO_PKG_VERSION").to_owned(),
        at: time(session.now().await?),
        modules,
        tables: all.iter().map(|table| (table.name.clone(), table.list_columns())).collect(),
    };
    writeln!(output, "{}", Line::Manifest(manifest).to_text()?)?;
    // The company's snapshot has begun: the directory names each of its members.
    let mut home = match place {
        None => None,
        Some(_) => Some(Session::begin_own(settings, true).await?),
    };
    let mut counts = BTreeMap::new();
    for table in &all {
        let mut tally = Tally::default();
        let mut take = |row: Values| -> anyhow::Result<()> {
            let line = Line::Row(table.name.clone(), table.to_members(&row)).to_text()?;
            tally.add(&line);
            writeln!(output, "{line}")?;
            Ok(())
        };
        let source = home.as_mut().filter(|_| table.is_at_home()).unwrap_or(&mut session);
        table.read_rows(source, company, &mut take).await?;
        if tally.rows > 0 {
            counts.insert(table.name.clone(), tally.count());
        }
    }
    let exported = Exported { tables: counts.len(), rows: counts.values().map(|count| count.rows).sum() };
    writeln!(output, "{}", Line::End(counts).to_text()?)?;
    output.flush()?;
    Ok(exported)
}

/// Versions of the active modules by name.
async fn read_modules(session: &mut Session) -> anyhow::Result<BTreeMap<String, String>> {
    let sql = "select m.module, a.version from stoa_generation_module m join stoa_artifact a on a.digest = m.digest
               where m.generation = (select max(number) from stoa_generation) order by m.module";
    let rows = session.query(sql, &[]).await?;
    Ok(rows.iter().map(|row| Ok((row.text(0)?, row.text(1)?))).collect::<Result<_, Error>>()?)
}

/// A company that a backfill has not reached yet has rows of an older version.
async fn check_backfills(session: &mut Session) -> anyhow::Result<()> {
    let active = records::newest(session).await?.context("no host has started on this database yet")?;
    for backfill in backfills::list(session, active).await? {
        let is_done = backfill["doneAt"] != Json::Null;
        anyhow::ensure!(is_done, "a backfill of {} is not done: try again when it is", backfill["module"]);
    }
    Ok(())
}
