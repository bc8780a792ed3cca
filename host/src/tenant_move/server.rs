//! A server in a move, reached by the role for moves. It reads and writes the rows of every company: row-level security does not bind
//! it.

use std::time::Duration;

use anyhow::Context as _;
use serde_json::Value as Json;
use sqlx::{AssertSqlSafe, Executor as _, PgConnection, Row as _};
use uuid::Uuid;

use super::MovePlace;
use crate::database::own::WHOLE_DATABASE;
use crate::database::postgres::own::OwnAddress;

/// The first version that lets a role without all rights receive the rows of others.
pub const RECEIVES: i32 = 160_000;

/// Looks whether the statements of an earlier command have ended, and the time between two.
const TRIES: u32 = 100;
const PAUSE: Duration = Duration::from_millis(50);

pub struct Server {
    pub name: String,
    /// The address as another server uses it.
    pub address: String,
    pub connection: PgConnection,
    /// As PostgreSQL counts: 160000 and on for 16.
    pub version: i32,
}

impl Server {
    /// # Errors
    /// The server rejects the role, or does not answer.
    pub async fn connect(place: &MovePlace, company: Uuid) -> anyhow::Result<Server> {
        let connection = connect(place, company).await?;
        let mut server =
            Server { name: place.name.clone(), address: place.move_url()?.to_owned(), connection, version: 0 };
        server.version = server.value("select current_setting('server_version_num')::int").await?;
        // Sums of many rows: a compiler would take longer than it saves.
        server.run("set jit = off; set work_mem = '64MB'").await?;
        Ok(server)
    }

    /// Ends what a command that was killed has left: its last statement may go on, and would act after this one's.
    pub async fn end_other_commands(&mut self, company: Uuid) -> anyhow::Result<()> {
        let others = format!(
            "from pg_stat_activity where application_name = '{}' and datname = current_database() and pid <> pg_backend_pid()",
            name_of_command(company)
        );
        for _ in 0..TRIES {
            let count: i64 = self.value(format!("select count(pg_terminate_backend(pid)) {others}")).await?;
            if count == 0 {
                return Ok(());
            }
            tokio::time::sleep(PAUSE).await;
        }
        anyhow::bail!("{}: a statement of an earlier command goes on", self.name)
    }

    /// Runs statements, each in a transaction of its own unless the text begins one.
    pub async fn run(&mut self, sql: impl Into<String>) -> anyhow::Result<()> {
        let ran = self.connection.execute(AssertSqlSafe(sql.into())).await;
        ran.map(drop).with_context(|| format!("the place {}", self.name))
    }

    /// The first column of the only row.
    pub async fn value<T>(&mut self, sql: impl Into<String>) -> anyhow::Result<T>
    where
        T: Send + Unpin + for<'r> sqlx::Decode<'r, sqlx::Postgres> + sqlx::Type<sqlx::Postgres>,
    {
        let read = sqlx::query_scalar(AssertSqlSafe(sql.into())).fetch_one(&mut self.connection).await;
        read.with_context(|| format!("the place {}", self.name))
    }

    /// The first column of the row, if there is one.
    pub async fn find<T>(&mut self, sql: impl Into<String>) -> anyhow::Result<Option<T>>
    where
        T: Send + Unpin + for<'r> sqlx::Decode<'r, sqlx::Postgres> + sqlx::Type<sqlx::Postgres>,
    {
        let read = sqlx::query_scalar(AssertSqlSafe(sql.into())).fetch_optional(&mut self.connection).await;
        read.with_context(|| format!("the place {}", self.name))
    }

    /// The first column of every row.
    pub async fn list<T>(&mut self, sql: impl Into<String>) -> anyhow::Result<Vec<T>>
    where
        T: Send + Unpin + for<'r> sqlx::Decode<'r, sqlx::Postgres> + sqlx::Type<sqlx::Postgres>,
    {
        let read = sqlx::query_scalar(AssertSqlSafe(sql.into())).fetch_all(&mut self.connection).await;
        read.with_context(|| format!("the place {}", self.name))
    }

    /// Rows of a statement as JSON, in a list.
    pub async fn rows_as_json(&mut self, select: &str) -> anyhow::Result<Json> {
        let text: String = self.value(format!("select coalesce(json_agg(r), '[]')::text from ({select}) r")).await?;
        serde_json::from_str(&text).context("rows of the server")
    }

    /// Inserts rows that `rows_as_json` returned. `conflict`: what happens to a row that is there.
    pub async fn insert_json(&mut self, table: &str, rows: &Json, conflict: &str) -> anyhow::Result<()> {
        let sql =
            format!("insert into {table} select * from json_populate_recordset(null::{table}, $1::json) {conflict}");
        let inserted = sqlx::query(AssertSqlSafe(sql)).bind(rows.to_string()).execute(&mut self.connection).await;
        inserted.map(drop).with_context(|| format!("the place {}: rows of {table}", self.name))
    }

    /// Runs a statement with a company as its only parameter; returns the number of rows.
    pub async fn count_rows(&mut self, sql: impl Into<String>, company: Uuid) -> anyhow::Result<i64> {
        let row = sqlx::query(AssertSqlSafe(sql.into())).bind(company).fetch_one(&mut self.connection).await;
        let row = row.with_context(|| format!("the place {}", self.name))?;
        row.try_get(0).context("a number")
    }
}

/// Another connection to the same server.
pub async fn connect(place: &MovePlace, company: Uuid) -> anyhow::Result<PgConnection> {
    let address = OwnAddress::parse(place.move_url()?, &place.transport, WHOLE_DATABASE);
    let address = address.with_context(|| format!("move_url of the place {}", place.name))?;
    let connected = address.connect_to_copy().await;
    let mut connection = connected.with_context(|| format!("the place {} with the role for moves", place.name))?;
    let name = format!("set application_name = '{}'", name_of_command(company));
    connection.execute(AssertSqlSafe(name)).await.with_context(|| format!("the place {}", place.name))?;
    Ok(connection)
}

/// The name by which a server lists the connections of the commands that move a company.
fn name_of_command(company: Uuid) -> String {
    format!("stoa tenant move {}", company.simple())
}
