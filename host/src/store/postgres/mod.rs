//! The store on PostgreSQL: one connection, a statement for each call, and one message for each batch.
//!
//! All statements of a batch are sent before the first is answered: values never depend on replies, and after a failure the store is
//! closed, so that what ran behind it is undone with the rest. Inserts at the end of a batch are not even waited for: that none of
//! their rows clashes is taken for granted, and they go with the next message. Where one does clash the whole request runs again,
//! call by call, and the module receives exactly which rows met which.

mod bind;
mod ddl;
mod update;
mod write;

use std::collections::HashSet;

use tokio_postgres::Row;
use uuid::Uuid;

use super::call::Checked;
use super::datum::Datum;
use super::read::{self, Query};
use super::schema::Tables;
use super::scope::Scope;
use super::sql::{Dialect, Sql};
use super::write::{Insert, Update, list_misses};
use super::{Reading, Stop, locks, page, search};
use crate::database::postgres::{PgStatement, Transaction, clash, field};
use crate::wit::store::{Page, Reply};

pub(super) use ddl::{STANDING, ahead, apply, complete, create_bare, drop_ahead, reindex};

/// A statement on its way, and what its answer means.
struct Asked {
    call: usize,
    what: Box<What>,
    /// Why its rows cannot be answered.
    stop: Option<Stop>,
}

enum What {
    Read(Query, Vec<Vec<Datum>>),
    /// Taken for granted: it ends or fails.
    Insert(usize),
    /// With the ids of the rows that went in.
    InsertFree(Insert, HashSet<Datum>),
    Update(Box<Update>, Vec<update::Changed>),
    Lock,
}

pub(super) async fn run(
    transaction: &mut Transaction,
    schema: &Tables,
    scope: &mut Scope,
    calls: Vec<Checked>,
) -> Result<Vec<Reply>, Stop> {
    let hopeful = transaction.is_hopeful();
    let granted = |call: &Checked| matches!(call, Checked::Insert(insert) if hopeful && is_plain(insert));
    let last = calls.len() - calls.iter().rev().take_while(|call| granted(call)).count();
    let mut replies: Vec<Option<Reply>> = calls.iter().map(|_| None).collect();
    let mut reading = Reading::default();
    let mut message: (Vec<PgStatement>, Vec<Asked>) = Default::default();
    let mut late = Vec::new();
    for (nth, call) in calls.into_iter().enumerate() {
        let reply = match plan(transaction, schema, scope, nth, call).await? {
            Planned::Answered(reply) => Some(reply),
            Planned::Asked(sql, what)
                if nth >= last
                    && let What::Insert(rows) = *what =>
            {
                late.push(bind::statement(sql));
                Some(Reply::Inserted(vec![true; rows]))
            }
            Planned::Asked(sql, what) => {
                message.0.push(bind::statement(sql));
                message.1.push(Asked { call: nth, what, stop: None });
                None
            }
        };
        if let Some(slot) = replies.get_mut(nth) {
            *slot = reply;
        }
        if !hopeful {
            send(transaction, schema, scope, &mut reading, std::mem::take(&mut message), &mut replies).await?;
        }
    }
    send(transaction, schema, scope, &mut reading, message, &mut replies).await?;
    late.into_iter().for_each(|statement| transaction.put_off(statement));
    Ok(replies.into_iter().flatten().collect())
}

/// Returns whether the answer of an insert is known where no row clashes.
fn is_plain(insert: &Insert) -> bool {
    !insert.skip && insert.refused.is_empty()
}

enum Planned {
    Answered(Reply),
    Asked(Sql, Box<What>),
}

async fn plan(
    transaction: &mut Transaction,
    schema: &Tables,
    scope: &mut Scope,
    nth: usize,
    call: Checked,
) -> Result<Planned, Stop> {
    let mut query = match call {
        Checked::Keyed(keyed) if keyed.keys.is_empty() => {
            return Ok(Planned::Answered(Reply::Rows(Page { rows: Vec::new(), more: false, reached: None })));
        }
        Checked::Keyed(keyed) => read::all_keys(schema, keyed, start(scope)),
        Checked::Select(mut select) => match select.each.take() {
            Some(each) => read::each_of_all(schema, select, each, start(scope)),
            None => {
                if let Some(query) = search::find_end(schema, &select, scope.limits.searched, start(scope))
                    && let Some(last) = search::read_end(&collect(transaction, query).await?)
                {
                    search::end_at(&mut select, last);
                }
                read::select(schema, select, start(scope))
            }
        },
        Checked::Aggregate(aggregate) => read::aggregate(schema, aggregate, start(scope)),
        Checked::Insert(insert) if !insert.refused.is_empty() => {
            return Err(Stop::Refused(list_misses(nth, insert.refused)));
        }
        Checked::Insert(insert) if insert.rows.is_empty() => {
            return Ok(Planned::Answered(Reply::Inserted(Vec::new())));
        }
        Checked::Insert(insert) => {
            let is_granted = transaction.is_hopeful() && is_plain(&insert);
            let sql = write::insert(schema, scope, &insert, is_granted);
            let rows = insert.rows.len();
            let what = if is_granted { What::Insert(rows) } else { What::InsertFree(insert, HashSet::new()) };
            return Ok(Planned::Asked(sql, Box::new(what)));
        }
        Checked::Update(update) if !update.refused.is_empty() => {
            return Err(Stop::Refused(list_misses(nth, update.refused)));
        }
        Checked::Update(update) if update.rows.is_empty() => {
            let mut reading = Reading::default();
            return update::judge(schema, scope, &mut reading, nth, update, Vec::new()).map(Planned::Answered);
        }
        Checked::Update(update) => {
            let sql = update::statement(schema, scope, &update);
            return Ok(Planned::Asked(sql, Box::new(What::Update(Box::new(update), Vec::new()))));
        }
        Checked::Lock(names) => {
            let taken =
                locks::claim(schema, scope, &names).map_err(|what| Stop::Misuse(format!("call {nth}: {what}")))?;
            if taken.is_empty() {
                return Ok(Planned::Answered(Reply::Done));
            }
            return Ok(Planned::Asked(write::lock(scope, taken), Box::new(What::Lock)));
        }
        Checked::Number { sequence, at_least } => {
            return write::number(transaction, schema, scope, nth, sequence, at_least).await.map(Planned::Answered);
        }
    };
    let sql = std::mem::replace(&mut query.sql, start(scope));
    Ok(Planned::Asked(sql, Box::new(What::Read(query, Vec::new()))))
}

/// The rows of one statement that is asked at once.
async fn collect(transaction: &mut Transaction, mut query: Query) -> Result<Vec<Vec<Datum>>, Stop> {
    let statement = bind::statement(std::mem::replace(&mut query.sql, Sql::new(Dialect::Postgres, Uuid::nil())));
    let (mut rows, mut stop) = (Vec::new(), None);
    let mut take = |_, row: Row| match load(&query, &row) {
        Ok(data) => rows.push(data),
        Err(fault) => stop = Some(fault),
    };
    let outcomes = transaction.send(vec![statement], &mut take).await?;
    outcomes.into_iter().try_for_each(|outcome| outcome.map(drop).map_err(clash))?;
    stop.map_or(Ok(rows), Err)
}

fn load(query: &Query, row: &Row) -> Result<Vec<Datum>, Stop> {
    query.outputs.iter().enumerate().map(|(column, output)| bind::load(row, column, output)).collect()
}

/// Sends what is asked as one message and puts the replies to their calls. The first call that failed is what the batch failed of.
async fn send(
    transaction: &mut Transaction,
    schema: &Tables,
    scope: &mut Scope,
    reading: &mut Reading,
    (statements, mut all): (Vec<PgStatement>, Vec<Asked>),
    replies: &mut [Option<Reply>],
) -> Result<(), Stop> {
    if statements.is_empty() {
        return Ok(());
    }
    let mut take = |nth: usize, row: Row| {
        if let Some(asked) = all.get_mut(nth).filter(|asked| asked.stop.is_none()) {
            asked.stop = take_row(schema, scope, reading, &mut asked.what, &row).err();
        }
    };
    let outcomes = transaction.send(statements, &mut take).await?;
    for (Asked { call, what, stop }, outcome) in all.into_iter().zip(outcomes) {
        outcome.map_err(clash)?;
        if let Some(stop) = stop {
            return Err(stop);
        }
        let reply = match *what {
            What::Read(query, rows) => page(scope, call, &query, rows)?,
            What::Insert(rows) => Reply::Inserted(vec![true; rows]),
            What::InsertFree(insert, went_in) => {
                write::judge_insert(transaction, schema, scope, call, &insert, &went_in).await?
            }
            What::Update(update, changed) => update::judge(schema, scope, reading, call, *update, changed)?,
            What::Lock => Reply::Done,
        };
        if let Some(slot) = replies.get_mut(call) {
            *slot = Some(reply);
        }
    }
    Ok(())
}

fn take_row(schema: &Tables, scope: &mut Scope, reading: &mut Reading, what: &mut What, row: &Row) -> Result<(), Stop> {
    match what {
        // A text has more rows than are wanted where its limit was rounded up.
        What::Read(query, rows) if query.limit.is_some_and(|limit| rows.len() > limit) => {}
        What::Read(query, rows) => {
            let data = load(query, row)?;
            reading.row(scope, data.get(query.hidden..).unwrap_or_default())?;
            rows.push(data);
        }
        What::InsertFree(_, went_in) => {
            went_in.insert(Datum::Id(field(row, 0)?));
        }
        What::Update(update, changed) => changed.push(update::read(schema.table(update.table), update, row)?),
        What::Insert(_) | What::Lock => {}
    }
    Ok(())
}

fn start(scope: &Scope) -> Sql {
    Sql::new(Dialect::Postgres, scope.tenant)
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
