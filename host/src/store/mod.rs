//! The typed store: what modules see of the database. A batch of calls is checked against the module's collections,
//! turned into SQL that always names the tenant, and answered alike by SQLite and PostgreSQL.
//!
//! `run` is the only way in for modules; `plan` and `apply` make and extend the tables on activation, and
//! `find_reindex` finds what is missing from those that an older host made.

mod call;
mod checks;
mod children;
mod datum;
pub(crate) mod decimal;
mod filter;
mod fold;
pub(crate) mod json;
mod locks;
mod migrate;
mod names;
mod postgres;
mod read;
mod reindex;
mod schema;
mod scope;
mod search;
mod sql;
mod sqlite;
mod table_change;
mod write;

use crate::database::{Error, Session};
use crate::wit::store::{Call, Clash, Failure, Miss, Page, Reply, Spot, Value};
use call::Checked;
use datum::Datum;
use read::Query;

pub use migrate::{apply, drop_ahead, indexes_ahead, merge, merge_additive, plan, write_creation};
pub use reindex::find_reindex;
pub use schema::Tables;
pub use scope::{CallTime, Scope, StoreLimits};
pub use sqlite::register as register_sqlite;
pub use table_change::TableChange;

/// Why a batch was not answered.
#[derive(Debug)]
pub enum StoreError {
    /// Reported to the module.
    Failure(Failure),
    /// Ends the request; the host runs it again, or answers 503.
    Database(Error),
    /// A limit passed for the third time: ends the request.
    LimitAgain,
    /// The time of the request's calls is used up: ends the request.
    OutOfTime,
}

impl From<Error> for StoreError {
    fn from(error: Error) -> StoreError {
        StoreError::Database(error)
    }
}

/// Why a call is refused before it runs.
#[derive(Debug)]
enum Refused {
    Misuse(String),
    /// Its name and its number.
    Limit(String),
    /// A value that this column cannot hold exactly.
    Range(String),
}

fn misuse(what: &str) -> Refused {
    Refused::Misuse(what.to_owned())
}

fn excess(name: &str, most: usize) -> Refused {
    Refused::Limit(describe_limit(name, most))
}

fn describe_limit(name: &str, most: usize) -> String {
    format!("{name}: {most}")
}

/// Why a call fails while it runs; `run` maps it to the error that the module receives.
#[derive(Debug)]
enum Stop {
    Database(Error),
    Duplicate(Vec<Clash>),
    Refused(Vec<Miss>),
    Range(Spot),
    Limit(String),
    Misuse(String),
    OutOfTime,
}

impl From<Error> for Stop {
    fn from(error: Error) -> Stop {
        Stop::Database(error)
    }
}

/// Returns whether a call changes what is stored. A lock does not.
pub fn is_write(call: &Call) -> bool {
    matches!(call, Call::Insert(_) | Call::Update(_) | Call::Number(_))
}

/// How often a request may pass a limit before it is ended.
const LIMIT_HITS: u32 = 3;

/// Runs a batch on the request's open transaction: in order, each call seeing those before it.
///
/// After any failure but `limit` the store is closed for the request; so it is when a batch that writes passes a limit, since its
/// calls may have run beyond the one that did.
pub async fn run(
    session: &mut Session,
    schema: &Tables,
    scope: &mut Scope,
    calls: Vec<Call>,
) -> Result<Vec<Reply>, StoreError> {
    if scope.closed {
        return Err(StoreError::Failure(Failure::Closed));
    }
    let wrote = calls.iter().any(is_write);
    let checked = match check(schema, scope, calls) {
        Ok(checked) => checked,
        Err(stop) => return Err(explain_stop(scope, stop, false)),
    };
    let outcome = match session {
        Session::Sqlite(connection) => sqlite::run(connection, schema, scope, checked),
        Session::Postgres(transaction) => {
            let before = transaction.round_trips;
            let outcome = postgres::run(transaction, schema, scope, checked).await;
            scope.round_trips += transaction.round_trips - before;
            outcome
        }
    };
    outcome.map_err(|stop| explain_stop(scope, stop, wrote))
}

fn check(schema: &Tables, scope: &mut Scope, calls: Vec<Call>) -> Result<Vec<Checked>, Stop> {
    if calls.len() > scope.limits.calls_per_batch {
        return Err(Stop::Limit(describe_limit("calls of a batch", scope.limits.calls_per_batch)));
    }
    if scope.calls + calls.len() > scope.limits.calls {
        return Err(Stop::Limit(describe_limit("calls of a request", scope.limits.calls)));
    }
    scope.calls += calls.len();
    let mut checked = Vec::with_capacity(calls.len());
    for (nth, call) in calls.into_iter().enumerate() {
        checked.push(call::check(schema, scope, call).map_err(|refused| match refused {
            Refused::Misuse(what) => Stop::Misuse(format!("call {nth}: {what}")),
            Refused::Limit(what) => Stop::Limit(what),
            Refused::Range(column) => Stop::Range(Spot { call: number(nth), column }),
        })?);
    }
    Ok(checked)
}

fn explain_stop(scope: &mut Scope, stop: Stop, wrote: bool) -> StoreError {
    scope.closed |= wrote || !matches!(stop, Stop::Limit(_));
    StoreError::Failure(match stop {
        Stop::Database(error) => return StoreError::Database(error),
        Stop::OutOfTime => return StoreError::OutOfTime,
        Stop::Limit(what) => {
            scope.limit_hits += 1;
            if scope.limit_hits >= LIMIT_HITS {
                scope.closed = true;
                return StoreError::LimitAgain;
            }
            Failure::Limit(what)
        }
        Stop::Duplicate(clashes) => Failure::Duplicate(clashes),
        Stop::Refused(misses) => Failure::RefusedChange(misses),
        Stop::Range(spot) => Failure::OutOfRange(spot),
        Stop::Misuse(what) => Failure::Misuse(what),
    })
}

/// Indexes of calls and rows are bounded by the limits, far below 2^32.
fn number(nth: usize) -> u32 {
    u32::try_from(nth).unwrap_or(u32::MAX)
}

/// The amount that one batch has read so far, held against the request's limits.
#[derive(Default)]
struct Reading {
    bytes: usize,
}

impl Reading {
    fn row(&mut self, scope: &mut Scope, row: &[Datum]) -> Result<(), Stop> {
        scope.rows += 1;
        self.bytes += row.iter().map(Datum::size).sum::<usize>();
        if scope.rows + scope.written > scope.most_rows() {
            return Err(Stop::Limit(describe_limit("rows of a request", scope.most_rows())));
        }
        if self.bytes > scope.limits.reply {
            return Err(Stop::Limit(describe_limit("bytes of a reply", scope.limits.reply)));
        }
        Ok(())
    }
}

/// Makes the reply of a read from its rows.
fn page(scope: &mut Scope, call: usize, query: &Query, mut rows: Vec<Vec<Datum>>) -> Result<Reply, Stop> {
    query.arrange(&mut rows);
    let has_more = query.limit.is_some_and(|limit| rows.len() > limit);
    if let Some(limit) = query.limit {
        if has_more && query.whole {
            return Err(Stop::Limit(describe_limit("rows of a select that is answered whole", limit)));
        }
        if has_more && limit == scope.limits.rows_per_call {
            scope.full_pages += 1;
        }
        rows.truncate(limit);
    }
    let rows = rows.into_iter().map(|row| values(call, query, row)).collect::<Result<_, _>>()?;
    let reached = query.reached.filter(|_| !has_more);
    Ok(Reply::Rows(Page { rows, more: has_more || reached.is_some(), reached: reached.map(|id| id.as_u64_pair()) }))
}

fn values(call: usize, query: &Query, row: Vec<Datum>) -> Result<Vec<Value>, Stop> {
    let outputs = query.outputs.iter().skip(query.hidden);
    outputs
        .zip(row.into_iter().skip(query.hidden))
        .map(|(output, datum)| match output {
            read::Output::Sum { column, .. } if datum == Datum::Null => {
                Err(Stop::Range(Spot { call: number(call), column: column.clone() }))
            }
            output => Ok(datum.value(output.type_())),
        })
        .collect()
}
