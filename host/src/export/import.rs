//! Adds the company of a file in one transaction: all of it, or nothing. Before the commit every row is read again and compared
//! with the file.

use std::collections::BTreeMap;
use std::io::BufRead;
use std::sync::Arc;

use anyhow::Context as _;
use serde_json::{Map, Value as Json, json};
use uuid::Uuid;

use super::file::{CompanyManifest, FORMAT, Line, Lines, TableCount, Tally};
use super::tables::{self, COMPANIES, CompanyTable, ENDPOINTS, USERS};
use super::value::Values;
use super::{read_modules, write};
use crate::database::{Cell, DatabaseSettings, Session};
use crate::deployment::audit::{self, OperatorEntry};
use crate::gate;

/// Rows of one statement, and the bytes that end a batch sooner.
const BATCH_ROWS: usize = 500;
const BATCH_BYTES: usize = 4 << 20;

/// Columns that name a user, who may have another id in this database.
const USER_COLUMNS: [(&str, &str); 5] = [
    ("stoa_user_company", "user_id"),
    ("stoa_membership", "user_id"),
    ("stoa_api_key", "created_by"),
    ("stoa_api_key", "revoked_by"),
    ("stoa_idempotency", "actor_id"),
];

/// Result of an import.
#[derive(Debug)]
pub struct Imported {
    pub company: Uuid,
    pub name: String,
    pub rows: u64,
    /// Users whom this database has under another id: the id of the file and the id here.
    pub users: BTreeMap<String, String>,
}

/// Adds a company. `holds_key`: whether the deployment has an encryption key.
///
/// # Errors
/// The file is not whole, the company is in this database already, a module has another version here, an encryption key
/// is missing or a user's id is another user's. Nothing is added then.
pub async fn import(
    settings: &DatabaseSettings,
    holds_key: &dyn Fn(&str) -> bool,
    input: &mut dyn BufRead,
) -> anyhow::Result<Imported> {
    let mut lines = Lines::new(input);
    let first = lines.read()?;
    let Some(Line::Manifest(manifest)) = first else { anyhow::bail!("the file does not begin with a manifest") };
    anyhow::ensure!(manifest.format == FORMAT, "the file's format is {:?}, not {FORMAT:?}", manifest.format);
    let mut import = Import::begin(settings, holds_key, manifest).await?;
    let counts = loop {
        match lines.read()? {
            Some(Line::Row(table, members)) => import.take(&table, &members).await?,
            Some(Line::End(counts)) => break counts,
            Some(Line::Manifest(_)) => anyhow::bail!("the file has a second manifest"),
            None => anyhow::bail!("the file has no end: it was cut"),
        }
    };
    anyhow::ensure!(lines.read()?.is_none(), "the file goes on after its end");
    import.end(&counts).await
}

struct Import<'a> {
    session: Session,
    holds_key: &'a dyn Fn(&str) -> bool,
    manifest: CompanyManifest,
    /// Tables of this database; once the file had a row, with the columns of the file.
    tables: BTreeMap<String, Arc<CompanyTable>>,
    /// Ids of users in this database, by their ids in the file, where these differ.
    users: BTreeMap<String, String>,
    /// Rows as the file has them, and as they were written.
    read: BTreeMap<String, Tally>,
    written: BTreeMap<String, Tally>,
    batch: Batch,
}

/// Rows of one table that wait to be inserted.
#[derive(Default)]
struct Batch {
    table: String,
    rows: Vec<Values>,
    bytes: usize,
}

impl<'a> Import<'a> {
    async fn begin(
        settings: &DatabaseSettings,
        holds_key: &'a dyn Fn(&str) -> bool,
        manifest: CompanyManifest,
    ) -> anyhow::Result<Import<'a>> {
        let mut session = Session::begin_own(settings, false).await?;
        // No host activates modules meanwhile.
        gate::tables::lock(&mut session).await?;
        let company = manifest.company;
        session.enter_company(company).await?;
        let known = session.query("select 1 from stoa_tenant where id = $1", &[Cell::Id(company)]).await?;
        let is_new = known.is_empty() && settings.at_place_of(company).await?.is_none();
        anyhow::ensure!(is_new, "the company {company} is in this database already");
        let active = read_modules(&mut session).await?;
        anyhow::ensure!(!active.is_empty(), "no module is active in this database: start a host on it first");
        for (module, version) in &manifest.modules {
            let here = active.get(module).map_or("not active", String::as_str);
            anyhow::ensure!(
                here == version,
                "the file needs {module} {version}, which is {here} here: use `stoa module push FILE --activate`"
            );
        }
        let all = tables::read_tables(&mut session).await?;
        Ok(Import {
            session,
            holds_key,
            manifest,
            tables: all.into_iter().map(|table| (table.name.clone(), Arc::new(table))).collect(),
            users: BTreeMap::new(),
            read: BTreeMap::new(),
            written: BTreeMap::new(),
            batch: Batch::default(),
        })
    }

    /// The table of a row, with the columns of the file.
    fn find_table(&mut self, name: &str) -> anyhow::Result<Arc<CompanyTable>> {
        let table = self.tables.get_mut(name).with_context(|| format!("this database has no table `{name}`"))?;
        if !self.read.contains_key(name) {
            let columns = self.manifest.tables.get(name);
            let columns = columns.with_context(|| format!("the manifest does not list `{name}`"))?;
            *table = Arc::new(table.with_columns(tables::parse_columns(columns)?)?);
        }
        Ok(table.clone())
    }

    async fn take(&mut self, name: &str, members: &Map<String, Json>) -> anyhow::Result<()> {
        let table = self.find_table(name)?;
        let mut row = table.read_members(members)?;
        self.read.entry(name.to_owned()).or_default().add(&print(&table, &row)?);
        if name == USERS && self.find_user(&table, &row).await? {
            return Ok(());
        }
        match name {
            COMPANIES => {
                let is_this = table.text(&row, "id").is_some_and(|id| id == self.manifest.company.to_string());
                anyhow::ensure!(is_this, "the file has the record of another company");
            }
            ENDPOINTS => {
                let key = table.text(&row, "key_id").unwrap_or_default();
                anyhow::ensure!(
                    (self.holds_key)(key),
                    "secrets of webhooks are encrypted with the key {key}: append it to STOA_ENCRYPTION_KEY"
                );
            }
            _ => {}
        }
        for (column, value) in table.columns.iter().zip(&mut row) {
            if USER_COLUMNS.contains(&(name, column.name.as_str()))
                && let Some(id) = value
                && let Some(here) = self.users.get(id.as_str())
            {
                id.clone_from(here);
            }
        }
        let line = print(&table, &row)?;
        self.written.entry(name.to_owned()).or_default().add(&line);
        if self.batch.table != name || self.batch.rows.len() >= BATCH_ROWS || self.batch.bytes >= BATCH_BYTES {
            self.flush().await?;
            name.clone_into(&mut self.batch.table);
        }
        self.batch.bytes += line.len();
        self.batch.rows.push(row);
        Ok(())
    }

    /// Returns whether this database has the user: by issuer and subject, under whichever id.
    async fn find_user(&mut self, table: &CompanyTable, row: &Values) -> anyhow::Result<bool> {
        let text = |column: &'static str| table.text(row, column).with_context(|| format!("a user without {column}"));
        let (id, issuer, subject) = (text("id")?, text("issuer")?, text("subject")?);
        let person = [Cell::text(issuer), Cell::text(subject)];
        let known = self.session.query("select id from stoa_user where issuer = $1 and subject = $2", &person).await?;
        if let Some(known) = known.first() {
            let here = known.id(0)?.to_string();
            if here != id {
                self.users.insert(id.to_owned(), here);
            }
            return Ok(true);
        }
        let id = Uuid::parse_str(id).context("the id of a user")?;
        let taken = self.session.query("select 1 from stoa_user where id = $1", &[Cell::Id(id)]).await?;
        anyhow::ensure!(taken.is_empty(), "the id {id} is another user's in this database");
        Ok(false)
    }

    async fn flush(&mut self) -> anyhow::Result<()> {
        let batch = std::mem::take(&mut self.batch);
        if let Some(table) = self.tables.get(&batch.table).filter(|_| !batch.rows.is_empty()) {
            write::insert(&mut self.session, table, self.manifest.company, batch.rows).await?;
        }
        Ok(())
    }

    /// Compares the rows with the file, and commits.
    async fn end(mut self, counts: &BTreeMap<String, TableCount>) -> anyhow::Result<Imported> {
        self.flush().await?;
        let read: BTreeMap<String, TableCount> =
            self.read.iter().map(|(name, tally)| (name.clone(), tally.count())).collect();
        anyhow::ensure!(read == *counts, "the rows of the file are not those that its end counts: it was changed");
        anyhow::ensure!(
            read.get(COMPANIES).is_some_and(|count| count.rows == 1),
            "the file has no record of its company"
        );
        let company = self.manifest.company;
        for (name, table) in self.tables.iter().filter(|(name, _)| *name != USERS) {
            let mut here = Tally::default();
            let mut take = |row: Values| -> anyhow::Result<()> {
                here.add(&print(table, &row)?);
                Ok(())
            };
            table.read_rows(&mut self.session, company, &mut take).await?;
            let written = self.written.remove(name).unwrap_or_default();
            anyhow::ensure!(here == written, "`{name}` in this database differs from the file");
        }
        let rows: u64 = read.values().map(|count| count.rows).sum();
        let entry = OperatorEntry {
            actor: "system:operator".to_owned(),
            operation: "importCompany",
            result: "SUCCESS".to_owned(),
            metadata: json!({ "tenantId": company, "rows": rows, "exportedAt": self.manifest.at }),
        };
        let now = self.session.now().await?;
        audit::write(&mut self.session, now, &entry).await?;
        self.session.commit_own().await?;
        Ok(Imported { company, name: self.manifest.name, rows, users: self.users })
    }
}

fn print(table: &CompanyTable, row: &Values) -> anyhow::Result<String> {
    Line::Row(table.name.clone(), table.to_members(row)).to_text()
}
