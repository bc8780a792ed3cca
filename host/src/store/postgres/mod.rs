//! The store on PostgreSQL: one connection; every write is one statement, and so are reads that follow each other.

mod bind;
mod ddl;
mod reads;
mod update;
mod write;

use sqlx::postgres::PgRow;
use sqlx::{AssertSqlSafe, PgConnection};

use super::call::Checked;
use super::datum::Datum;
use super::schema::Tables;
use super::scope::Scope;
use super::sql::{Dialect, Sql};
use super::{Reading, Stop, locks};
use crate::database::Error;
use crate::wit::store::Reply;

pub(super) use ddl::{STANDING, ahead, apply, reform};
use reads::Reads;

pub(super) async fn run(
    connection: &mut PgConnection,
    schema: &Tables,
    scope: &mut Scope,
    calls: Vec<Checked>,
    wrote: &mut bool,
) -> Result<Vec<Reply>, Stop> {
    let mut replies: Vec<(usize, Reply)> = Vec::with_capacity(calls.len());
    let mut reading = Reading::default();
    let mut reads = Reads::new(scope);
    for (nth, call) in calls.into_iter().enumerate() {
        let locks = match &call {
            Checked::Keyed(keyed) => keyed.lock.is_some(),
            Checked::Select(select) => select.lock.is_some(),
            Checked::Aggregate(_) => false,
            _ => true,
        };
        if locks {
            replies.extend(reads.run(connection, scope, &mut reading).await?);
        }
        *wrote |= matches!(call, Checked::Insert(_) | Checked::Update(_) | Checked::Number { .. });
        let reply = match call {
            Checked::Keyed(_) | Checked::Select(_) | Checked::Aggregate(_) => {
                replies.extend(reads.add(schema, scope, nth, call).map(|reply| (nth, reply)));
                if locks {
                    replies.extend(reads.run(connection, scope, &mut reading).await?);
                }
                continue;
            }
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
        replies.push((nth, reply));
    }
    replies.extend(reads.run(connection, scope, &mut reading).await?);
    replies.sort_by_key(|(nth, _)| *nth);
    Ok(replies.into_iter().map(|(_, reply)| reply).collect())
}

fn start(scope: &Scope) -> Sql {
    Sql::new(Dialect::Postgres, scope.tenant)
}

/// What a statement failed of. A unique key that was found free and is taken now: the next try will see by whom.
fn fault(error: sqlx::Error) -> Stop {
    Stop::Database(match Error::from_sqlx(error) {
        Error::Unique(key) => Error::Conflict(key),
        other => other,
    })
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
