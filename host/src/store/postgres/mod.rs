//! The store on PostgreSQL: one connection, one statement and one round trip per call.

mod bind;
mod ddl;
mod update;
mod write;

use futures_util::TryStreamExt;
use sqlx::postgres::PgRow;
use sqlx::{AssertSqlSafe, PgConnection};

use super::call::Checked;
use super::datum::Datum;
use super::read::{self, Query};
use super::schema::Schema;
use super::scope::Scope;
use super::sql::{Dialect, Sql};
use super::{Reading, Stop, locks, page};
use crate::database::Error;
use crate::wit::store::Reply;

pub(super) use ddl::{ahead, apply};

pub(super) async fn run(
    connection: &mut PgConnection,
    schema: &Schema,
    scope: &mut Scope,
    calls: Vec<Checked>,
    wrote: &mut bool,
) -> Result<Vec<Reply>, Stop> {
    let mut replies = Vec::with_capacity(calls.len());
    let mut reading = Reading::default();
    for (nth, call) in calls.into_iter().enumerate() {
        *wrote |= matches!(call, Checked::Insert(_) | Checked::Update(_) | Checked::Number { .. });
        let reply = match call {
            Checked::Keyed(_) | Checked::Select(_) | Checked::Aggregate(_) => match query(schema, scope, call) {
                Some(query) => answer(connection, scope, &mut reading, nth, query).await?,
                None => continue,
            },
            Checked::Insert(insert) => Reply::Inserted(write::insert(connection, schema, scope, nth, insert).await?),
            Checked::Update(update) => update::update(connection, schema, scope, &mut reading, nth, update).await?,
            Checked::Lock(names) => {
                let taken =
                    locks::claim(schema, scope, &names).map_err(|what| Stop::Misuse(format!("call {nth}: {what}")))?;
                write::lock(connection, scope, taken).await?;
                Reply::Done
            }
            Checked::Number { sequence, at_least } => {
                Reply::Number(write::number(connection, schema, scope, nth, &sequence, at_least).await?)
            }
        };
        replies.push(reply);
    }
    Ok(replies)
}

fn start(scope: &Scope) -> Sql {
    Sql::new(Dialect::Postgres, scope.tenant)
}

fn fault(error: sqlx::Error) -> Stop {
    Stop::Database(Error::from_sqlx(error))
}

/// The statement of a read; none for a call that is no read.
fn query(schema: &Schema, scope: &Scope, call: Checked) -> Option<Query> {
    let sql = start(scope);
    Some(match call {
        Checked::Keyed(keyed) => read::all_keys(schema, keyed, sql),
        Checked::Select(mut select) => match select.each.take() {
            Some(each) => read::each_of_all(schema, select, each, sql),
            None => read::select(schema, select, sql),
        },
        Checked::Aggregate(aggregate) => read::aggregate(schema, aggregate, sql),
        _ => return None,
    })
}

async fn answer(
    connection: &mut PgConnection,
    scope: &mut Scope,
    reading: &mut Reading,
    call: usize,
    mut query: Query,
) -> Result<Reply, Stop> {
    let sql = std::mem::replace(&mut query.sql, start(scope));
    let mut rows = Vec::new();
    let arguments = bind::arguments(sql.params)?;
    scope.round_trips += 1;
    let mut stream = sqlx::query_with(AssertSqlSafe(sql.text), arguments).fetch(connection);
    while let Some(row) = stream.try_next().await.map_err(fault)? {
        let mut data = Vec::with_capacity(query.outputs.len());
        for (at, output) in query.outputs.iter().enumerate() {
            data.push(bind::loaded(&row, at, output)?);
        }
        reading.row(scope, &data)?;
        rows.push(data);
    }
    page(call, &query, rows)
}

/// Runs a statement of the store's own and answers its rows.
async fn fetch(connection: &mut PgConnection, scope: &mut Scope, sql: Sql) -> Result<Vec<PgRow>, Stop> {
    scope.round_trips += 1;
    let arguments = bind::arguments(sql.params)?;
    sqlx::query_with(AssertSqlSafe(sql.text), arguments).fetch_all(connection).await.map_err(fault)
}

/// A column of such a row.
fn field<T>(row: &PgRow, at: usize) -> Result<T, Stop>
where
    T: for<'r> sqlx::Decode<'r, sqlx::Postgres> + sqlx::Type<sqlx::Postgres>,
{
    sqlx::Row::try_get(row, at).map_err(fault)
}

/// Columns of rows as lists, one per column: what `unnest` takes.
fn lists<'a>(columns: usize, rows: impl Iterator<Item = Vec<&'a Datum>>) -> Vec<Vec<Datum>> {
    let mut lists: Vec<Vec<Datum>> = (0..columns).map(|_| Vec::new()).collect();
    for row in rows {
        for (list, datum) in lists.iter_mut().zip(row) {
            list.push(datum.clone());
        }
    }
    lists
}
