//! Whole tables in and out of PostgreSQL by COPY, on a connection of their own: out in one snapshot, while hosts
//! serve; in within one transaction, so that an interrupted restore leaves nothing.

use anyhow::Context as _;
use bytes::Bytes;
use futures_util::stream::BoxStream;
use sqlx::postgres::PgCopyIn;
use sqlx::{AssertSqlSafe, Connection as _, Executor as _, PgConnection, Postgres, Transaction};
use uuid::Uuid;

use super::administer::check_server;
use super::own::OwnAddress;
use crate::database::own::WHOLE_DATABASE;
use crate::database::{DatabaseSettings, Transport, migrations};

const NO_DEPLOYMENT: &str = "the database has no tables of a host";

/// A table as it is in the database.
#[derive(Debug)]
pub struct TableShape {
    pub name: String,
    pub columns: Vec<String>,
    /// Row-level security has a policy that no host made: it may hide rows.
    pub foreign_policy: bool,
}

/// The collections of modules as they are recorded: module and definition, in the order of modules.
pub type RecordedCollections = Vec<(String, String)>;

/// A stream of rows, in COPY's text format: a line for each row.
pub type Rows<'a> = BoxStream<'a, Result<Bytes, sqlx::Error>>;

/// One state of the database, whatever is written meanwhile.
pub struct Snapshot(PgConnection);

impl Snapshot {
    pub async fn open(url: &str, transport: &Transport) -> anyhow::Result<Snapshot> {
        let mut connection = OwnAddress::parse(url, transport, WHOLE_DATABASE)?.connect_to_copy().await?;
        connection.execute("begin isolation level repeatable read, read only").await?;
        Ok(Snapshot(connection))
    }

    /// The database's clock when the transaction began, in milliseconds since 1970: whatever was committed before it is in
    /// the snapshot.
    pub async fn mark(&mut self) -> anyhow::Result<i64> {
        let mark = sqlx::query_scalar("select floor(extract(epoch from transaction_timestamp()) * 1000)::bigint");
        Ok(mark.fetch_one(&mut self.0).await?)
    }

    /// Number of the newest step of the host's tables.
    pub async fn migration(&mut self) -> anyhow::Result<i64> {
        let newest = sqlx::query_scalar("select max(version) from _sqlx_migrations where success");
        let newest: Option<i64> = newest.fetch_one(&mut self.0).await.context(NO_DEPLOYMENT)?;
        newest.context(NO_DEPLOYMENT)
    }

    /// The tables of hosts and modules, by name.
    pub async fn list_tables(&mut self) -> anyhow::Result<Vec<TableShape>> {
        let tables = sqlx::query_as::<_, (String, Vec<String>, bool)>(
            "select c.relname::text as name,
               array(select a.attname::text from pg_attribute a
                     where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped order by a.attnum) as columns,
               exists (select 1 from pg_policy p
                       where p.polrelid = c.oid and (p.polname <> 'tenant' or not p.polpermissive)) as foreign_policy
             from pg_class c
             where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p')
               and obj_description(c.oid, 'pg_class') like 'place: %'
             order by c.relname collate \"C\"",
        );
        let tables = tables.fetch_all(&mut self.0).await?;
        let shape = |(name, columns, foreign_policy)| TableShape { name, columns, foreign_policy };
        Ok(tables.into_iter().map(shape).collect())
    }

    pub async fn read_collections(&mut self) -> anyhow::Result<RecordedCollections> {
        read_collections(&mut self.0).await
    }

    /// Texts of one column of one statement.
    pub async fn texts(&mut self, sql: &'static str) -> anyhow::Result<Vec<String>> {
        Ok(sqlx::query_scalar(sql).fetch_all(&mut self.0).await?)
    }

    /// Every company that has a row of the host's: one that lost its record is among them.
    pub async fn list_companies(&mut self) -> anyhow::Result<Vec<Uuid>> {
        let companies = sqlx::query_scalar(
            "select id from stoa_tenant union select tenant_id from stoa_membership
             union select tenant_id from stoa_user_company union select tenant_id from stoa_role order by 1",
        );
        Ok(companies.fetch_all(&mut self.0).await?)
    }

    /// Which of these tables of modules have rows of the company, by their places in the list. From now on row-level
    /// security shows the rows of this company.
    pub async fn enter(&mut self, company: Uuid, tables: &[&str]) -> anyhow::Result<Vec<usize>> {
        let enter = sqlx::query("select set_config('stoa.tenant', $1, true)").bind(company.to_string());
        enter.execute(&mut self.0).await?;
        if tables.is_empty() {
            return Ok(Vec::new());
        }
        let parts: Vec<String> = tables
            .iter()
            .enumerate()
            .map(|(nth, table)| {
                let table = quote(table);
                format!("select {nth} as nth where exists (select 1 from {table} where tenant_id = $1)")
            })
            .collect();
        let found = sqlx::query_scalar::<_, i32>(AssertSqlSafe(parts.join(" union all "))).bind(company);
        let found = found.fetch_all(&mut self.0).await?;
        Ok(found.into_iter().filter_map(|nth| usize::try_from(nth).ok()).collect())
    }

    /// The rows of a table: of one company, or all.
    pub async fn copy(&mut self, table: &str, columns: &[String], company: Option<Uuid>) -> anyhow::Result<Rows<'_>> {
        let company = company.map(|id| format!(" where tenant_id = '{id}'")).unwrap_or_default();
        let sql = format!("copy (select {} from {}{company}) to stdout", quote_all(columns), quote(table));
        Ok(self.0.copy_out_raw(&sql).await?)
    }

    pub async fn close(self) -> anyhow::Result<()> {
        Ok(self.0.close().await?)
    }
}

/// An empty database.
pub struct EmptyDatabase(PgConnection);

impl EmptyDatabase {
    /// Connects as the role that the hosts connect as.
    ///
    /// # Errors
    /// A server or a role that hosts reject, or a database that has tables.
    pub async fn open(url: &str, settings: &DatabaseSettings) -> anyhow::Result<EmptyDatabase> {
        let mut connection = OwnAddress::parse(url, &settings.transport, WHOLE_DATABASE)?.connect_to_copy().await?;
        check_server(&mut connection, settings).await?;
        let used: bool = sqlx::query_scalar(
            "select exists (select 1 from pg_class where relnamespace = current_schema()::regnamespace
                            and relkind in ('r', 'p', 'v', 'm', 'f', 'S'))",
        )
        .fetch_one(&mut connection)
        .await?;
        anyhow::ensure!(!used, "the database is not empty: create a new one and restore into it");
        Ok(EmptyDatabase(connection))
    }

    /// Begins the transaction that fills it, and makes the host's tables as they were after this step.
    pub async fn begin(&mut self, migration: i64) -> anyhow::Result<Filling<'_>> {
        let mut transaction = self.0.begin().await?;
        migrations::postgres().run_to(migration, &mut *transaction).await?;
        Ok(Filling(transaction))
    }

    /// Counts the rows of these tables for the planner.
    pub async fn analyze(mut self, tables: &[&str]) -> anyhow::Result<()> {
        let tables: Vec<String> = tables.iter().map(|table| quote(table)).collect();
        if !tables.is_empty() {
            self.0.execute(AssertSqlSafe(format!("analyze {}", tables.join(", ")))).await?;
        }
        Ok(self.0.close().await?)
    }
}

/// A database that is being filled. Its rows become visible when it ends.
pub struct Filling<'a>(Transaction<'a, Postgres>);

impl Filling<'_> {
    pub async fn read_collections(&mut self) -> anyhow::Result<RecordedCollections> {
        read_collections(&mut self.0).await
    }

    /// Statements without parameters.
    pub async fn run(&mut self, statements: String) -> anyhow::Result<()> {
        if !statements.is_empty() {
            self.0.execute(AssertSqlSafe(statements)).await?;
        }
        Ok(())
    }

    /// Begins to copy rows in, in COPY's text format; `finish` says how many they were.
    pub async fn copy_in(&mut self, table: &str, columns: &[String]) -> anyhow::Result<PgCopyIn<&mut PgConnection>> {
        let sql = format!("copy {} ({}) from stdin", quote(table), quote_all(columns));
        Ok(self.0.copy_in_raw(&sql).await?)
    }

    /// Takes the host's tables through the steps that came later, and commits.
    pub async fn commit(mut self) -> anyhow::Result<()> {
        migrations::postgres().run(&mut *self.0).await?;
        Ok(self.0.commit().await?)
    }
}

async fn read_collections(connection: &mut PgConnection) -> anyhow::Result<RecordedCollections> {
    let recorded = sqlx::query_as("select module, definition from stoa_collection order by module, name");
    Ok(recorded.fetch_all(connection).await?)
}

fn quote(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

fn quote_all(names: &[String]) -> String {
    names.iter().map(|name| quote(name)).collect::<Vec<_>>().join(", ")
}
