//! The store on SQLite: one connection, one thread, cached statements; a batch is a loop.

mod ddl;
mod functions;
mod write;

use rusqlite::types::{ToSql, ToSqlOutput, Value as Owned, ValueRef};
use rusqlite::{CachedStatement, Connection};
use std::rc::Rc;
use std::time::Instant;
use stoa_descriptor::ColumnType;
use uuid::Uuid;

use super::call::{Checked, Keyed, Select};
use super::datum::{self, Datum};
use super::decimal;
use super::read::{self, Output, Query};
use super::schema::Tables;
use super::scope::Scope;
use super::sql::{Bound, Dialect, Param, Sql};
use super::{Reading, Stop, page, search};
use crate::database::Error;
use crate::database::sqlite::{is_time_over, limit_time};
use crate::wit::store::Reply;

pub(super) use ddl::{STANDING, apply, reindex};
pub use functions::register;

pub(super) fn run(
    connection: &Connection,
    schema: &Tables,
    scope: &mut Scope,
    calls: Vec<Checked>,
) -> Result<Vec<Reply>, Stop> {
    let mut replies = Vec::with_capacity(calls.len());
    let mut reading = Reading::default();
    for (nth, call) in calls.into_iter().enumerate() {
        replies.push(run_in_time(connection, schema, scope, &mut reading, nth, call)?);
    }
    Ok(replies)
}

/// Runs a call in the time that the request has left for calls of its kind. A call that writes buys no time for one that reads, also
/// where both are of one batch.
fn run_in_time(
    connection: &Connection,
    schema: &Tables,
    scope: &mut Scope,
    reading: &mut Reading,
    nth: usize,
    call: Checked,
) -> Result<Reply, Stop> {
    let Some(time) = scope.time else { return run_call(connection, schema, scope, reading, nth, call) };
    let is_write = call.is_write();
    let left = time.limit_of(is_write);
    if left.is_zero() {
        return Err(Stop::OutOfTime);
    }
    let began = Instant::now();
    limit_time(Some(left));
    let reply = run_call(connection, schema, scope, reading, nth, call);
    limit_time(None);
    let took = began.elapsed();
    if let Some(time) = &mut scope.time {
        time.spend(took, is_write);
    }
    match reply {
        // Where the request's own time is over, the database is slow, which is no fault of the module.
        Err(Stop::Database(_)) if took >= left && !is_time_over() => Err(Stop::OutOfTime),
        reply => reply,
    }
}

fn run_call(
    connection: &Connection,
    schema: &Tables,
    scope: &mut Scope,
    reading: &mut Reading,
    nth: usize,
    call: Checked,
) -> Result<Reply, Stop> {
    Ok(match call {
        Checked::Keyed(keyed) => get(connection, schema, scope, reading, nth, &keyed)?,
        Checked::Select(select) if select.each.is_some() => each(connection, schema, scope, reading, nth, &select)?,
        Checked::Select(mut select) => {
            if let Some(query) = search::find_end(schema, &select, scope.limits.searched, start(scope))
                && let Some(last) = search::read_end(&collect(connection, scope, reading, &query)?)
            {
                search::end_at(&mut select, last);
            }
            let query = read::select(schema, select, start(scope));
            answer(connection, scope, reading, nth, &query)?
        }
        Checked::Aggregate(aggregate) => {
            let query = read::aggregate(schema, aggregate, start(scope));
            answer(connection, scope, reading, nth, &query)?
        }
        Checked::Insert(insert) => Reply::Inserted(write::insert(connection, schema, scope, nth, insert)?),
        Checked::Update(update) => write::update(connection, schema, scope, reading, nth, update)?,
        Checked::Lock(names) => {
            super::locks::claim(schema, scope, &names).map_err(|what| Stop::Misuse(format!("call {nth}: {what}")))?;
            Reply::Done
        }
        Checked::Number { sequence, at_least } => {
            Reply::Number(write::number(connection, schema, scope, nth, &sequence, at_least)?)
        }
    })
}

fn start(scope: &Scope) -> Sql {
    Sql::new(Dialect::Sqlite, scope.tenant)
}

fn fault(error: rusqlite::Error) -> Stop {
    Stop::Database(Error::from_rusqlite(error))
}

fn answer(
    connection: &Connection,
    scope: &mut Scope,
    reading: &mut Reading,
    call: usize,
    query: &Query,
) -> Result<Reply, Stop> {
    let rows = collect(connection, scope, reading, query)?;
    page(scope, call, query, rows)
}

fn collect(
    connection: &Connection,
    scope: &mut Scope,
    reading: &mut Reading,
    query: &Query,
) -> Result<Vec<Vec<Datum>>, Stop> {
    let mut statement = connection.prepare_cached(&query.sql.text).map_err(fault)?;
    bind(&mut statement, &query.sql.params)?;
    let mut rows = Vec::new();
    fetch(&mut statement, query, scope, reading, &mut rows)?;
    Ok(rows)
}

fn get(
    connection: &Connection,
    schema: &Tables,
    scope: &mut Scope,
    reading: &mut Reading,
    call: usize,
    keyed: &Keyed,
) -> Result<Reply, Stop> {
    let query = read::one_key(schema, keyed, vec![Datum::Null; keyed.key.len()], start(scope));
    let rows = by_key(connection, scope, reading, &query, &keyed.keys)?;
    page(scope, call, &query, rows)
}

fn each(
    connection: &Connection,
    schema: &Tables,
    scope: &mut Scope,
    reading: &mut Reading,
    call: usize,
    select: &Select,
) -> Result<Reply, Stop> {
    let Some(each) = &select.each else { return Err(Stop::Misuse(format!("call {call}: no keys"))) };
    let query = read::each_of_one(schema, select, each, start(scope));
    let rows = by_key(connection, scope, reading, &query, &each.keys)?;
    page(scope, call, &query, rows)
}

/// Runs a statement for every key; the key's values are parameters 2 and on.
fn by_key(
    connection: &Connection,
    scope: &mut Scope,
    reading: &mut Reading,
    query: &Query,
    keys: &[Vec<Datum>],
) -> Result<Vec<Vec<Datum>>, Stop> {
    let mut statement = connection.prepare_cached(&query.sql.text).map_err(fault)?;
    bind(&mut statement, &query.sql.params)?;
    let mut rows = Vec::new();
    for key in keys {
        for (nth, datum) in key.iter().enumerate() {
            let type_ = query.sql.params.get(nth + 1).map_or(ColumnType::Text, |param| param.type_);
            statement.raw_bind_parameter(nth + 2, Stored { type_, datum }).map_err(fault)?;
        }
        fetch(&mut statement, query, scope, reading, &mut rows)?;
    }
    Ok(rows)
}

fn bind(statement: &mut CachedStatement<'_>, params: &[Param]) -> Result<(), Stop> {
    let named = statement.parameter_count();
    for (nth, param) in params.iter().take(named).enumerate() {
        match &param.bound {
            Bound::One(datum) => statement.raw_bind_parameter(nth + 1, Stored { type_: param.type_, datum }),
            Bound::Many(data) => {
                let list: Vec<Owned> = data.iter().map(|datum| to_sql_value(param.type_, datum)).collect();
                statement.raw_bind_parameter(nth + 1, Rc::new(list))
            }
        }
        .map_err(fault)?;
    }
    Ok(())
}

fn fetch(
    statement: &mut CachedStatement<'_>,
    query: &Query,
    scope: &mut Scope,
    reading: &mut Reading,
    into: &mut Vec<Vec<Datum>>,
) -> Result<(), Stop> {
    let mut rows = statement.raw_query();
    // One row beyond the limit is enough to know of more.
    while query.limit.is_none_or(|limit| into.len() <= limit)
        && let Some(row) = rows.next().map_err(fault)?
    {
        let mut data = Vec::with_capacity(query.outputs.len());
        for (nth, output) in query.outputs.iter().enumerate() {
            data.push(load(row.get_ref(nth).map_err(fault)?, output)?);
        }
        reading.row(scope, &data)?;
        into.push(data);
    }
    Ok(())
}

/// A datum as SQLite keeps it in a column of the type.
struct Stored<'a> {
    type_: ColumnType,
    datum: &'a Datum,
}

impl ToSql for Stored<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(match self.datum {
            Datum::Id(id) => ToSqlOutput::Borrowed(ValueRef::Blob(id.as_bytes())),
            Datum::Text(text) | Datum::Json(text) => ToSqlOutput::Borrowed(ValueRef::Text(text.as_bytes())),
            other => ToSqlOutput::Owned(to_sql_value(self.type_, other)),
        })
    }
}

fn to_sql_value(type_: ColumnType, datum: &Datum) -> Owned {
    match datum {
        Datum::Null => Owned::Null,
        Datum::Id(id) => Owned::Blob(id.as_bytes().to_vec()),
        Datum::Text(text) | Datum::Json(text) => Owned::Text(text.clone()),
        Datum::Bool(value) => Owned::Integer(i64::from(*value)),
        Datum::Int(value) | Datum::Instant(value) => Owned::Integer(*value),
        Datum::Decimal(value) => match type_ {
            ColumnType::Decimal { precision: precision @ 19.., scale } => {
                Owned::Text(decimal::encode(*value, precision, scale))
            }
            // A bound beyond 64 bits is beyond every value of such a column as well.
            _ => Owned::Integer(i64::try_from(*value).unwrap_or(if *value < 0 { i64::MIN } else { i64::MAX })),
        },
        Datum::Date(date) => Owned::Text(date.format("%Y-%m-%d").to_string()),
    }
}

/// Reads a value back; a value that the column's type never holds is a fault.
fn load(value: ValueRef<'_>, output: &Output) -> Result<Datum, Stop> {
    let found = match (output, value) {
        (_, ValueRef::Null) => Some(Datum::Null),
        (Output::Sum { type_, .. }, ValueRef::Text(text)) => {
            let total: Option<i128> = std::str::from_utf8(text).ok().and_then(|text| text.parse().ok());
            total.map(|total| match type_ {
                ColumnType::Integer => i64::try_from(total).map_or(Datum::Null, Datum::Int),
                _ => Datum::Decimal(total),
            })
        }
        (Output::Column(type_), value) => column(*type_, value),
        _ => None,
    };
    found.ok_or_else(|| Stop::Database(Error::Fault(format!("a stored value is not of its type: {output:?}"))))
}

fn column(type_: ColumnType, value: ValueRef<'_>) -> Option<Datum> {
    let text = |bytes: &[u8]| std::str::from_utf8(bytes).ok().map(str::to_owned);
    match (type_, value) {
        (ColumnType::Uuid, ValueRef::Blob(bytes)) => Uuid::from_slice(bytes).ok().map(Datum::Id),
        (ColumnType::Text, ValueRef::Text(bytes)) => text(bytes).map(Datum::Text),
        (ColumnType::Json, ValueRef::Text(bytes)) => text(bytes).map(Datum::Json),
        (ColumnType::Date, ValueRef::Text(bytes)) => datum::date(&text(bytes)?).map(Datum::Date),
        (ColumnType::Boolean, ValueRef::Integer(value)) => Some(Datum::Bool(value != 0)),
        (ColumnType::Integer, ValueRef::Integer(value)) => Some(Datum::Int(value)),
        (ColumnType::Timestamp, ValueRef::Integer(value)) => Some(Datum::Instant(value)),
        (ColumnType::Decimal { precision: ..=18, .. }, ValueRef::Integer(value)) => {
            Some(Datum::Decimal(i128::from(value)))
        }
        (ColumnType::Decimal { .. }, ValueRef::Text(bytes)) => decimal::decode(&text(bytes)?).map(Datum::Decimal),
        _ => None,
    }
}
