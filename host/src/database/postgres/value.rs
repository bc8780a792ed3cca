//! Values that are bound to a statement or read from a row, with the types by which PostgreSQL takes them.

use std::borrow::Cow;
use std::error::Error as StdError;

use bytes::BytesMut;
use chrono::{DateTime, Utc};
use tokio_postgres::Row as PgRow;
use tokio_postgres::types::{FromSql, IsNull, ToSql, Type, to_sql_checked};
use uuid::Uuid;

use super::Error;
use crate::database::{Cell, Row};

/// A statement with its values. The text depends only on the shape of the request: it is prepared once for each connection.
#[derive(Debug)]
pub struct PgStatement {
    pub text: Cow<'static, str>,
    pub values: Vec<Value>,
}

/// A value and the type in which it travels.
#[derive(Debug)]
pub struct Value {
    pub type_: Type,
    data: Box<dyn ToSql + Send + Sync>,
}

impl Value {
    pub fn new(type_: Type, data: impl ToSql + Send + Sync + 'static) -> Value {
        Value { type_, data: Box::new(data) }
    }

    pub fn data(&self) -> &(dyn ToSql + Sync) {
        &*self.data
    }
}

/// A null of whatever type the statement finds.
#[derive(Debug)]
struct Null;

impl ToSql for Null {
    fn to_sql(&self, _: &Type, _: &mut BytesMut) -> Result<IsNull, Box<dyn StdError + Sync + Send>> {
        Ok(IsNull::Yes)
    }

    fn accepts(_: &Type) -> bool {
        true
    }

    to_sql_checked!();
}

impl PgStatement {
    pub fn new(text: impl Into<Cow<'static, str>>) -> PgStatement {
        PgStatement { text: text.into(), values: Vec::new() }
    }

    /// A statement of the host on its own tables.
    pub fn of_cells(text: impl Into<Cow<'static, str>>, cells: &[Cell]) -> Result<PgStatement, Error> {
        let values = cells.iter().map(value).collect::<Result<_, _>>()?;
        Ok(PgStatement { text: text.into(), values })
    }

    pub fn bind(mut self, type_: Type, data: impl ToSql + Send + Sync + 'static) -> PgStatement {
        self.values.push(Value::new(type_, data));
        self
    }

    /// Returns whether a statement that was prepared with these types takes the values: a null goes with any.
    pub fn fits(&self, types: &[Type]) -> bool {
        let fits = |(value, type_): (&Value, &Type)| value.type_ == Type::UNKNOWN || value.type_ == *type_;
        self.values.len() == types.len() && self.values.iter().zip(types).all(fits)
    }
}

fn value(cell: &Cell) -> Result<Value, Error> {
    Ok(match cell {
        // The server finds the type.
        Cell::Null => Value::new(Type::UNKNOWN, Null),
        Cell::Id(id) => Value::new(Type::UUID, *id),
        Cell::Text(text) => Value::new(Type::TEXT, text.clone()),
        Cell::Boolean(flag) => Value::new(Type::BOOL, *flag),
        Cell::Integer(number) => Value::new(Type::INT8, *number),
        Cell::Instant(ms) => Value::new(Type::TIMESTAMPTZ, instant(*ms)?),
        Cell::Bytes(bytes) => Value::new(Type::BYTEA, bytes.clone()),
    })
}

/// A time as PostgreSQL takes it.
fn instant(ms: i64) -> Result<DateTime<Utc>, Error> {
    DateTime::from_timestamp_millis(ms).ok_or_else(|| Error::Fault("a time beyond the calendar".into()))
}

/// A row by the types that the server reports.
pub fn decode(row: &PgRow) -> Result<Row, Error> {
    row.columns()
        .iter()
        .enumerate()
        .map(|(index, column)| cell(row, index, column.type_()))
        .collect::<Result<_, _>>()
        .map(Row)
}

fn cell(row: &PgRow, column: usize, type_: &Type) -> Result<Cell, Error> {
    let cell = match *type_ {
        Type::UUID => field::<Option<Uuid>>(row, column)?.map(Cell::Id),
        Type::TEXT | Type::VARCHAR | Type::NAME => field::<Option<String>>(row, column)?.map(Cell::Text),
        Type::INT8 => field::<Option<i64>>(row, column)?.map(Cell::Integer),
        Type::INT4 => field::<Option<i32>>(row, column)?.map(|number| Cell::Integer(i64::from(number))),
        Type::BOOL => field::<Option<bool>>(row, column)?.map(Cell::Boolean),
        Type::TIMESTAMPTZ => {
            field::<Option<DateTime<Utc>>>(row, column)?.map(|instant| Cell::Instant(instant.timestamp_millis()))
        }
        Type::BYTEA => field::<Option<Vec<u8>>>(row, column)?.map(Cell::Bytes),
        _ => return Err(Error::Fault(format!("a column of type {type_}"))),
    };
    Ok(cell.unwrap_or(Cell::Null))
}

/// A column of a row.
pub fn field<'a, T: FromSql<'a>>(row: &'a PgRow, column: usize) -> Result<T, Error> {
    row.try_get(column).map_err(Error::from_postgres)
}
