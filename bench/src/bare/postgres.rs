//! GET product on PostgreSQL, through the driver that the host uses.

use std::sync::{Arc, Mutex, PoisonError};

use axum::Router;
use serde_json::{Map, Value as Json};
use stoa::database::Cell;
use stoa::database::postgres::{PgStatement, Transaction, decode};
use tokio_postgres::Row;
use tokio_postgres::types::Type;
use uuid::Uuid;

use super::{Reads, product_route};
use crate::capture::{Part, Pattern, Shape, Value};

#[derive(Clone)]
struct Postgres {
    url: Arc<str>,
    idle: Arc<Mutex<Vec<Transaction>>>,
    /// The message that begins and authorizes.
    opening: &'static str,
    /// Statements that the module reads by.
    reads: Arc<Vec<(&'static str, Vec<Part>)>>,
}

pub fn router(url: &str, pattern: Pattern) -> anyhow::Result<Router> {
    let mut exchanges = pattern.exchanges.into_iter();
    let opening = exchanges.next().unwrap_or_default();
    let opening = opening.iter().map(write_statement).collect::<anyhow::Result<Vec<_>>>()?.join("; ");
    let reads = exchanges.flatten().filter(|shape| shape.sql != "commit");
    // Texts live as long as the process.
    let reads = Arc::new(reads.map(|shape| (&*shape.sql.leak(), shape.parts)).collect());
    Ok(product_route(Postgres { url: url.into(), idle: Arc::default(), opening: opening.leak(), reads }))
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

impl Postgres {
    async fn acquire(&self) -> anyhow::Result<Transaction> {
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        if let Some(connection) = idle {
            return Ok(connection);
        }
        let mut connection = Transaction::connect(&self.url, false).await?;
        connection.send_text(&stoa::pipeline::opening::postgres_prepared().join("; ")).await?;
        Ok(connection)
    }
}

impl Reads for Postgres {
    async fn read(self, product: Uuid) -> anyhow::Result<Option<String>> {
        let mut connection = self.acquire().await?;
        let opened = connection.send_text(self.opening).await?;
        let allowed = opened.first().is_some_and(|row| row.get("owner") == Some("t"));
        anyhow::ensure!(allowed, "not allowed");
        let mut body = None;
        for (sql, parts) in self.reads.iter() {
            let rows = connection.query(statement(sql, parts, product)?).await?;
            if let Some(row) = rows.first() {
                body.get_or_insert(render(row)?);
            }
        }
        tokio::spawn(async move {
            if connection.send_text("commit").await.is_ok() {
                self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(connection);
            }
        });
        Ok(body)
    }
}

fn statement(sql: &'static str, parts: &[Part], product: Uuid) -> anyhow::Result<PgStatement> {
    let mut statement = PgStatement::new(sql);
    for part in parts {
        statement = match part {
            Part::Product => statement.bind(Type::UUID, product),
            Part::Constant(Value::Id(id)) => statement.bind(Type::UUID, *id),
            Part::Constant(Value::Integer(number)) => statement.bind(Type::INT8, *number),
            Part::Constant(Value::Text(text)) => statement.bind(Type::TEXT, text.clone()),
            Part::Many(_, parts) if parts.as_slice() == [Part::Product] => {
                statement.bind(Type::UUID_ARRAY, vec![product])
            }
            other => anyhow::bail!("the limit of reads does not bind {other:?}"),
        };
    }
    Ok(statement)
}

fn render(row: &Row) -> anyhow::Result<String> {
    let cells = decode(row)?;
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
