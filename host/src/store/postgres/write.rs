//! Inserts, locks and numbers on PostgreSQL.

use std::collections::HashSet;

use stoa_descriptor::ColumnType;

use super::{bind, lists, start};
use crate::database::Error;
use crate::database::postgres::{Figure, Transaction, field};
use crate::store::datum::Datum;
use crate::store::schema::{ID, Table, Tables};
use crate::store::scope::Scope;
use crate::store::sql::{Sql, cast};
use crate::store::write::{Insert, NewRow};
use crate::store::{Stop, number as nth_number};
use crate::wit::store::{Clash, Reply, Spot};

/// Rows that travel as a list of values; more of them as one array for each column, so that there are few texts.
const VALUES: usize = 32;

/// Inserts the rows, in the order of their first unique key. `is_granted`: that none clashes is taken for granted, and one that does
/// is an error of the statement; else rows that clash stay out, so that the transaction lives on and the clashes of all rows can be
/// found, and the ids of those that went in are answered.
pub(super) fn insert(schema: &Tables, scope: &Scope, insert: &Insert, is_granted: bool) -> Sql {
    let table = schema.table(insert.table);
    let mut sql = start(scope);
    sql.put("insert into ").put(&table.sql).put(" (tenant_id, created_at, updated_at, id");
    sql.put(if table.has_version() { ", version" } else { "" });
    for name in table.own().iter().map(|column| &column.sql).chain(table.search.iter().map(|group| &group.sql)) {
        sql.put(", ").put(name);
    }
    sql.put(") ");
    let sorted: Vec<&NewRow> = insert.order.iter().filter_map(|nth| insert.rows.get(*nth)).collect();
    if sorted.len() <= VALUES {
        put_values(&mut sql, scope, table, &sorted);
    } else {
        put_arrays(&mut sql, scope, table, &sorted);
    }
    sql.put(if is_granted { "" } else { " on conflict do nothing returning id" });
    sql
}

/// `values ($1, $2, $2, $3, 1, $4), (...)`
fn put_values(sql: &mut Sql, scope: &Scope, table: &Table, rows: &[&NewRow]) {
    sql.put("values ").supply(ColumnType::Timestamp, Datum::Instant(scope.now_ms));
    for (nth, row) in rows.iter().enumerate() {
        sql.put(if nth > 0 { ", ($1, $2, $2, " } else { "($1, $2, $2, " }).bind(ColumnType::Uuid, row.id.clone());
        sql.put(if table.has_version() { ", 1" } else { "" });
        for (column, datum) in table.own().iter().zip(&row.data) {
            sql.put(", ").bind(column.type_, datum.clone());
        }
        for folded in row.folded.iter().take(table.search.len()) {
            sql.put(", ").bind(ColumnType::Text, Datum::Text(folded.clone()));
        }
        sql.put(")");
    }
}

/// `select $1, $2, $2, r.id, 1, r.c0 from unnest($3, $4) as r(id, c0)`
fn put_arrays(sql: &mut Sql, scope: &Scope, table: &Table, rows: &[&NewRow]) {
    sql.put("select $1, ").bind(ColumnType::Timestamp, Datum::Instant(scope.now_ms)).put(", $2, r.id");
    sql.put(if table.has_version() { ", 1" } else { "" });
    for (nth, column) in table.own().iter().enumerate() {
        sql.put(&format!(", r.c{nth}{}", cast(column.type_)));
    }
    (0..table.search.len()).for_each(|nth| {
        sql.put(&format!(", r.f{nth}"));
    });
    sql.put(" from unnest(").bind_many(ColumnType::Uuid, rows.iter().map(|row| row.id.clone()).collect());
    let data = lists(table.own().len(), rows.iter().map(|row| row.data.iter().collect()));
    for (column, list) in table.own().iter().zip(data) {
        sql.put(", ").bind_many(column.type_, list);
    }
    for nth in 0..table.search.len() {
        let folded = rows.iter().filter_map(|row| row.folded.get(nth)).map(|text| Datum::Text(text.clone()));
        sql.put(", ").bind_many(ColumnType::Text, folded.collect());
    }
    sql.put(") as r(id");
    (0..table.own().len()).for_each(|nth| {
        sql.put(&format!(", c{nth}"));
    });
    (0..table.search.len()).for_each(|nth| {
        sql.put(&format!(", f{nth}"));
    });
    sql.put(")");
}

/// Which rows went in, or every clash.
pub(super) async fn judge_insert(
    transaction: &mut Transaction,
    schema: &Tables,
    scope: &mut Scope,
    call: usize,
    insert: &Insert,
    went_in: &HashSet<Datum>,
) -> Result<Reply, Stop> {
    let inserted: Vec<bool> = insert.rows.iter().map(|row| went_in.contains(&row.id)).collect();
    if !insert.skip && inserted.contains(&false) {
        let left: Vec<(usize, &NewRow)> =
            insert.rows.iter().enumerate().filter(|(nth, _)| inserted.get(*nth) == Some(&false)).collect();
        return Err(clashes(transaction, schema.table(insert.table), scope, call, &left).await?);
    }
    Ok(Reply::Inserted(inserted))
}

/// The keys by which rows that stayed out meet others: one look-up, on the error path only.
async fn clashes(
    transaction: &mut Transaction,
    table: &Table,
    scope: &Scope,
    call: usize,
    left: &[(usize, &NewRow)],
) -> Result<Stop, Stop> {
    let id = ("id", [ID].as_slice());
    let keys: Vec<(&str, &[usize])> =
        std::iter::once(id).chain(table.unique.iter().map(|key| (key.name.as_str(), key.columns.as_slice()))).collect();
    let mut sql = start(scope);
    for (nth, (_, columns)) in keys.iter().enumerate() {
        sql.put(if nth > 0 { " union all " } else { "" });
        sql.put(&format!("select r.n, {nth}::bigint from unnest("));
        let rows = left.iter().map(|(_, row)| columns.iter().map(|column| row.get(table, *column)).collect());
        for (position, (column, list)) in columns.iter().zip(lists(columns.len(), rows)).enumerate() {
            sql.put(if position > 0 { ", " } else { "" }).bind_many(table.type_of(*column), list);
        }
        sql.put(") with ordinality as r(");
        (0..columns.len()).for_each(|position| {
            sql.put(&format!("c{position}, "));
        });
        sql.put("n) join ").put(&table.sql).put(" t on t.tenant_id = $1");
        for (position, column) in columns.iter().enumerate() {
            sql.put(" and ")
                .column("t", table, *column)
                .put(&format!(" = r.c{position}{}", cast(table.type_of(*column))));
        }
    }
    let mut found = Vec::new();
    for row in transaction.query(bind::statement(sql)).await? {
        let (position, key) = (field::<i64>(&row, 0)?, field::<i64>(&row, 1)?);
        let row = usize::try_from(position - 1).ok().and_then(|position| left.get(position)).map(|(nth, _)| *nth);
        let key = usize::try_from(key).ok();
        if let (Some(row), Some(key)) = (row, key) {
            found.push((row, key));
        }
    }
    found.sort_unstable();
    found.dedup();
    if left.iter().any(|(nth, _)| !found.iter().any(|(row, _)| row == nth)) {
        // The row that it met is gone again, or belongs to a key that a newer generation brought: try it all once more.
        return Err(Stop::Database(Error::Conflict("a clash that can no longer be found".to_owned())));
    }
    let name = |key: usize| keys.get(key).map(|(name, _)| (*name).to_owned()).unwrap_or_default();
    Ok(Stop::Duplicate(
        found
            .into_iter()
            .map(|(row, key)| Clash { call: nth_number(call), row: nth_number(row), key: name(key) })
            .collect(),
    ))
}

/// Takes locks until the end of the transaction, in the order of their keys. A statement of its own: one that read as
/// well would read what was there before it waited.
pub(super) fn lock(scope: &Scope, taken: Vec<(i64, bool)>) -> Sql {
    let mut sql = start(scope);
    let (keys, modes) = taken.into_iter().map(|(key, exclusive)| (Datum::Int(key), Datum::Bool(exclusive))).unzip();
    sql.params.clear();
    sql.put(
        "select case when n.x then pg_advisory_xact_lock(n.k) else pg_advisory_xact_lock_shared(n.k) end from unnest(",
    );
    sql.bind_many(ColumnType::Integer, keys).put(", ").bind_many(ColumnType::Boolean, modes).put(") as n(k, x)");
    sql
}

/// The next figure of a sequence, or `at_least` if that is higher.
pub(super) async fn number(
    transaction: &mut Transaction,
    schema: &Tables,
    scope: &Scope,
    call: usize,
    sequence: String,
    at_least: u64,
) -> Result<Reply, Stop> {
    let at_least = i64::try_from(at_least).unwrap_or(i64::MAX);
    let figure = Figure { tenant: scope.tenant, module: schema.module().to_owned(), sequence, at_least };
    let next = transaction.next_number(figure).await?;
    let beyond = |_| Stop::Range(Spot { call: nth_number(call), column: "at-least".to_owned() });
    u64::try_from(next).map(Reply::Number).map_err(beyond)
}
