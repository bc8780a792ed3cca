//! PostgreSQL: the rows of every table in COPY's text format, out of one snapshot. The tables themselves are made again
//! from the host's steps and from what is recorded of the modules' collections.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::Path;

use anyhow::Context as _;
use futures_util::TryStreamExt as _;
use uuid::Uuid;

use super::Webhooks;
use super::archive::{self, ArchiveTable, Checked, DatabaseKind, Header, Writer};
use crate::database::DatabaseSettings;
use crate::database::postgres::copy::{EmptyDatabase, Filling, RecordedCollections, Snapshot, TableShape};
use crate::store::{self, Tables};

/// The hosts that run now: a restored database has others.
const LEFT_OUT: &[&str] = &["stoa_host"];
/// Tables of hosts. No module has this prefix.
const HOST: &str = "stoa_";
/// A member is written when it has become so long: it is held in memory until then.
const MEMBER_BYTES: usize = 16 << 20;
const CHUNK: usize = 1 << 20;
const HOLD_WEBHOOKS: &str = "update stoa_webhook_endpoint set status = 'DISABLED', version = version + 1,
    disabled_at = now(), updated_at = now() where status = 'ACTIVE'";

pub async fn write(url: &str, settings: &DatabaseSettings, writer: &mut Writer) -> anyhow::Result<Header> {
    let mut snapshot = Snapshot::open(url, &settings.transport).await?;
    let (mark, migration) = (snapshot.mark().await?, snapshot.migration().await?);
    let key_ids = snapshot.texts("select distinct key_id from stoa_webhook_endpoint order by 1").await?;
    let header = super::header(DatabaseKind::Postgres, mark, migration, key_ids)?;
    writer.add_header(&header)?;

    let tables = snapshot.list_tables().await?;
    let (hosts, modules): (Vec<_>, Vec<_>) = tables.into_iter().partition(|table| table.name.starts_with(HOST));
    // First: a restore makes the other tables from them.
    for table in hosts.into_iter().filter(|table| !LEFT_OUT.contains(&table.name.as_str())) {
        write_table(&mut snapshot, writer, table.name, table.columns, &[None]).await?;
    }
    let modules = compare_with_record(&modules, &read_schemas(snapshot.read_collections().await?)?)?;
    let names: Vec<&str> = modules.keys().map(String::as_str).collect();
    // Row-level security hides the rows of all companies but one, and says nothing of it.
    let mut owners: Vec<Vec<Option<Uuid>>> = vec![Vec::new(); names.len()];
    for company in snapshot.list_companies().await? {
        for table in snapshot.enter(company, &names).await? {
            if let Some(owners) = owners.get_mut(table) {
                owners.push(Some(company));
            }
        }
    }
    for ((name, columns), owners) in modules.into_iter().zip(owners) {
        write_table(&mut snapshot, writer, name, columns, &owners).await?;
    }
    snapshot.close().await?;
    Ok(header)
}

/// The tables of modules with the columns to copy. A folded column that no collection declares any more stays behind: a
/// version that declares it again fills it.
fn compare_with_record(tables: &[TableShape], schemas: &[Tables]) -> anyhow::Result<BTreeMap<String, Vec<String>>> {
    let mut recorded = BTreeMap::new();
    for schema in schemas {
        for table in schema.tables() {
            let columns = schema.columns(table).unwrap_or_default();
            recorded.insert(table.to_owned(), columns.into_iter().map(str::to_owned).collect::<Vec<_>>());
        }
    }
    for TableShape { name, columns, foreign_policy } in tables {
        anyhow::ensure!(!foreign_policy, "the table {name} has a policy that no host made: it may hide rows");
        let known = recorded.get(name).with_context(|| format!("the table {name} is recorded in no collection"))?;
        let unknown = columns.iter().find(|column| !known.contains(column) && !column.starts_with("search_"));
        anyhow::ensure!(unknown.is_none(), "the table {name} has columns that no collection has: {unknown:?}");
    }
    Ok(recorded)
}

/// Writes the rows of a table that belong to these owners; `None`: all rows.
async fn write_table(
    snapshot: &mut Snapshot,
    writer: &mut Writer,
    name: String,
    columns: Vec<String>,
    owners: &[Option<Uuid>],
) -> anyhow::Result<()> {
    let mut members = 0;
    let mut add = |rows: &mut Vec<u8>| {
        members += 1;
        writer.add(&format!("{name}/{members:04}.copy"), rows)?;
        rows.clear();
        anyhow::Ok(())
    };
    let (mut buffer, mut rows) = (Vec::new(), 0);
    for owner in owners {
        if let Some(company) = owner {
            snapshot.enter(*company, &[]).await?;
        }
        let mut stream = snapshot.copy(&name, &columns, *owner).await?;
        // The server sends row by row: a member ends with a row.
        while let Some(row) = stream.try_next().await? {
            buffer.extend_from_slice(&row);
            rows += row.iter().filter(|byte| **byte == b'\n').count() as u64;
            if buffer.len() >= MEMBER_BYTES && buffer.ends_with(b"\n") {
                add(&mut buffer)?;
            }
        }
    }
    if !buffer.is_empty() {
        add(&mut buffer)?;
    }
    writer.add_table(ArchiveTable { name, columns, rows });
    Ok(())
}

/// The tables of each module that ever was active here.
fn read_schemas(recorded: RecordedCollections) -> anyhow::Result<Vec<Tables>> {
    let mut modules: BTreeMap<String, Vec<_>> = BTreeMap::new();
    for (module, definition) in recorded {
        let collection = serde_json::from_str(&definition).context("a recorded collection")?;
        modules.entry(module).or_default().push(collection);
    }
    let tables = |(module, collections): (String, Vec<_>)| {
        Tables::new(&module, &collections)
            .map_err(|faults| anyhow::anyhow!("recorded collections of {module}: {}", faults.join("; ")))
    };
    modules.into_iter().map(tables).collect()
}

pub async fn restore(
    file: &Path,
    backup: &Checked,
    url: &str,
    settings: &DatabaseSettings,
    webhooks: Webhooks,
) -> anyhow::Result<()> {
    let mut database = EmptyDatabase::open(url, settings).await?;
    let mut filling = database.begin(backup.header.migration).await?;
    let tables: BTreeMap<&str, &ArchiveTable> =
        backup.manifest.tables.iter().map(|table| (&*table.name, table)).collect();
    let mut copied: BTreeMap<String, u64> = BTreeMap::new();
    let mut rest: Option<String> = None;
    let mut archive = archive::open(file)?;
    for member in archive.entries()? {
        let member = member?;
        let name = archive::read_name(&member)?;
        let Some((table, _)) = name.split_once('/') else { continue };
        let ArchiveTable { columns, .. } = tables.get(table).with_context(|| format!("{name} belongs to no table"))?;
        if !table.starts_with(HOST) && rest.is_none() {
            rest = Some(make_module_tables(&mut filling).await?);
        }
        let rows = copy_in(&mut filling, table, columns, member).await.with_context(|| name.clone())?;
        *copied.entry(table.to_owned()).or_default() += rows;
    }
    let rest = match rest {
        Some(rest) => rest,
        None => make_module_tables(&mut filling).await?,
    };
    for (name, table) in &tables {
        let rows = copied.get(*name).copied().unwrap_or(0);
        anyhow::ensure!(rows == table.rows, "{name} has {rows} rows, and {} were written", table.rows);
    }
    filling.run(rest).await?;
    if webhooks == Webhooks::Hold {
        filling.run(HOLD_WEBHOOKS.to_owned()).await?;
    }
    filling.commit().await?;
    let tables: Vec<&str> = tables.into_keys().collect();
    database.analyze(&tables).await
}

/// Makes the modules' tables without indexes; the statements that are left for when the rows are there.
async fn make_module_tables(filling: &mut Filling<'_>) -> anyhow::Result<String> {
    let mut rest = String::new();
    for schema in read_schemas(filling.read_collections().await?)? {
        let (tables, completion) = store::write_creation(&schema);
        filling.run(tables).await?;
        rest.push_str(&completion);
    }
    Ok(rest)
}

async fn copy_in(
    filling: &mut Filling<'_>,
    table: &str,
    columns: &[String],
    mut rows: impl Read,
) -> anyhow::Result<u64> {
    let mut copy = filling.copy_in(table, columns).await?;
    let mut chunk = vec![0; CHUNK];
    loop {
        let read = rows.read(&mut chunk)?;
        if read == 0 {
            break;
        }
        copy.send(chunk.get(..read).unwrap_or_default()).await?;
    }
    Ok(copy.finish().await?)
}
