//! GET product on PostgreSQL, through the driver that the host uses.

use std::str::FromStr;
use std::sync::Arc;

use axum::Router;
use serde_json::{Map, Value as Json};
use sqlx::postgres::{PgArguments, PgConnectOptions, PgPool, PgPoolOptions, PgRow};
use sqlx::{Arguments as _, AssertSqlSafe, Column as _, Executor as _, Row as _};
use stoa::database::Cell;
use uuid::Uuid;

use super::{Reads, product_route};
use crate::capture::{Part, Pattern, Shape, Value};

#[derive(Clone)]
struct Postgres {
    pool: PgPool,
    /// The message that begins and authorizes.
    opening: &'static str,
    /// What the module reads.
    reads: Arc<Vec<(&'static str, Vec<Part>)>>,
}

pub fn router(url: &str, pattern: Pattern) -> anyhow::Result<Router> {
    let mut exchanges = pattern.exchanges.into_iter();
    let opening = exchanges.next().unwrap_or_default();
    let opening = opening.iter().map(write_statement).collect::<anyhow::Result<Vec<_>>>()?.join("; ");
    let reads = exchanges.flatten().filter(|shape| shape.sql != "commit");
    // Texts live as long as the process: the driver's cache is keyed by them.
    let reads = reads.map(|shape| (&*shape.sql.leak(), shape.parts)).collect();
    let options = PgConnectOptions::from_str(url)?.statement_cache_capacity(512);
    let pool = PgPoolOptions::new()
        .max_connections(16)
        .test_before_acquire(false)
        .after_connect(|connection, _| {
            Box::pin(async move {
                for statement in stoa::pipeline::opening::postgres_prepared() {
                    connection.execute(sqlx::AssertSqlSafe(statement)).await?;
                }
                Ok(())
            })
        })
        .connect_lazy_with(options);
    Ok(product_route(Postgres { pool, opening: opening.leak(), reads: Arc::new(reads) }))
}

/// A statement without parameters as it was sent.
fn write_statement(shape: &Shape) -> anyhow::Result<String> {
    let argument = |part: &Part| match part {
        Part::Constant(Value::Id(id)) => Ok(format!("'{id}'")),
        Part::Constant(Value::Raw(text)) => Ok(text.clone()),
        other => anyhow::bail!("the opening of a read depends on {other:?}"),
    };
    if shape.parts.is_empty() {
        return Ok(shape.sql.clone());
    }
    let arguments = shape.parts.iter().map(argument).collect::<anyhow::Result<Vec<_>>>()?;
    Ok(format!("{}({})", shape.sql, arguments.join(", ")))
}

impl Reads for Postgres {
    async fn read(self, product: Uuid) -> anyhow::Result<Option<String>> {
        let mut connection = self.pool.acquire().await?;
        let opened = sqlx::raw_sql(self.opening).fetch_all(&mut *connection).await?;
        let allowed = opened.first().is_some_and(|row| row.try_get::<bool, _>("owner").unwrap_or(false));
        anyhow::ensure!(allowed, "not allowed");
        let mut body = None;
        for (sql, parts) in self.reads.iter() {
            let arguments = arguments(parts, product)?;
            let rows = sqlx::query_with(AssertSqlSafe(*sql), arguments).fetch_all(&mut *connection).await?;
            if let Some(row) = rows.first() {
                body.get_or_insert(render(row)?);
            }
        }
        tokio::spawn(async move {
            let _ = connection.execute("commit").await;
        });
        Ok(body)
    }
}

fn arguments(parts: &[Part], product: Uuid) -> anyhow::Result<PgArguments> {
    let mut arguments = PgArguments::default();
    for part in parts {
        let added = match part {
            Part::Product => arguments.add(product),
            Part::Constant(Value::Id(id)) => arguments.add(*id),
            Part::Constant(Value::Integer(number)) => arguments.add(*number),
            Part::Constant(Value::Text(text)) => arguments.add(text.as_str()),
            Part::Many(_, parts) if parts.as_slice() == [Part::Product] => arguments.add(vec![product]),
            other => anyhow::bail!("the limit of reads does not bind {other:?}"),
        };
        added.map_err(|error| anyhow::anyhow!("{error}"))?;
    }
    Ok(arguments)
}

fn render(row: &PgRow) -> anyhow::Result<String> {
    let cells = stoa::database::postgres::decode(row)?;
    let mut object = Map::new();
    for (column, cell) in row.columns().iter().zip(cells.0) {
        let value = match cell {
            Cell::Null => Json::Null,
            Cell::Id(id) => id.to_string().into(),
            Cell::Text(text) => text.into(),
            Cell::Boolean(value) => value.into(),
            Cell::Integer(number) => number.into(),
            Cell::Instant(ms) => stoa_sdk::Instant(ms).to_string().into(),
            Cell::Bytes(bytes) => bytes.len().into(),
        };
        object.insert(column.name().to_owned(), value);
    }
    Ok(serde_json::to_string(&object)?)
}
