//! GET product on SQLite: connections of the library in the handler itself, without a hop to another thread.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use axum::Router;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, OpenFlags, Row};
use serde_json::{Map, Value as Json};
use uuid::Uuid;

use super::{Reads, product_route};
use crate::capture::{Part, Pattern, Shape, Value};

#[derive(Clone)]
struct Sqlite {
    /// One per core, as the host has readers.
    connections: Arc<Vec<Mutex<Connection>>>,
    statements: Arc<Vec<Shape>>,
}

pub fn router(path: &Path, pattern: Pattern) -> anyhow::Result<Router> {
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZeroUsize::get);
    let connections = (0..cores).map(|_| connect(path).map(Mutex::new)).collect::<anyhow::Result<Vec<_>>>()?;
    let statements: Vec<Shape> = pattern.exchanges.into_iter().flatten().collect();
    Ok(product_route(Sqlite { connections: Arc::new(connections), statements: Arc::new(statements) }))
}

fn connect(path: &Path) -> anyhow::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags)?;
    connection.set_prepared_statement_cache_capacity(512);
    connection.pragma_update(None, "cache_size", -65_536)?;
    stoa::store::register_sqlite(&connection)?;
    Ok(connection)
}

impl Reads for Sqlite {
    async fn read(self, product: Uuid) -> anyhow::Result<Option<String>> {
        let free = self.connections.iter().find_map(|connection| connection.try_lock().ok());
        // Microseconds: no task waits for long on this thread.
        let connection = match (free, self.connections.first()) {
            (Some(free), _) => free,
            (None, Some(first)) => first.lock().unwrap_or_else(PoisonError::into_inner),
            (None, None) => anyhow::bail!("no connection"),
        };
        let mut body = None;
        for shape in self.statements.iter() {
            let mut statement = connection.prepare_cached(&shape.sql)?;
            for (nth, part) in shape.parts.iter().enumerate() {
                match part {
                    Part::Product => statement.raw_bind_parameter(nth + 1, product.as_bytes())?,
                    Part::Constant(Value::Id(id)) => statement.raw_bind_parameter(nth + 1, id.as_bytes())?,
                    Part::Constant(Value::Integer(number)) => statement.raw_bind_parameter(nth + 1, number)?,
                    Part::Constant(Value::Text(text)) => statement.raw_bind_parameter(nth + 1, text)?,
                    other => anyhow::bail!("the limit of reads does not bind {other:?}"),
                }
            }
            let names: Vec<String> = statement.column_names().into_iter().map(str::to_owned).collect();
            let product = shape.parts.contains(&Part::Product);
            let mut rows = statement.raw_query();
            while let Some(row) = rows.next()? {
                if product {
                    body = Some(render(row, &names)?);
                }
            }
        }
        Ok(body)
    }
}

fn render(row: &Row<'_>, names: &[String]) -> anyhow::Result<String> {
    let mut object = Map::new();
    for (nth, name) in names.iter().enumerate() {
        let value = match row.get_ref(nth)? {
            ValueRef::Null | ValueRef::Real(_) => Json::Null,
            ValueRef::Integer(number) => number.into(),
            ValueRef::Text(bytes) => String::from_utf8_lossy(bytes).into_owned().into(),
            ValueRef::Blob(bytes) => Uuid::from_slice(bytes).map_or(Json::Null, |id| id.to_string().into()),
        };
        object.insert(name.clone(), value);
    }
    Ok(serde_json::to_string(&object)?)
}
