//! Inserts, locks and numbers on PostgreSQL.

use std::collections::HashSet;

use sqlx::PgConnection;
use stoa_descriptor::ColumnType;
use uuid::Uuid;

use super::{fetch, field, lists, start};
use crate::database::Error;
use crate::store::datum::Datum;
use crate::store::schema::{ID, Table, Tables};
use crate::store::scope::Scope;
use crate::store::sql::cast;
use crate::store::write::{self, Insert, NewRow};
use crate::store::{Stop, number as nth_number};
use crate::wit::store::{Clash, Spot};

/// Which rows went in, or every clash. One statement: rows that clash stay out without an error, so that the
/// transaction lives on and the clashes of all rows can be told.
pub(super) async fn insert(
    connection: &mut PgConnection,
    schema: &Tables,
    scope: &mut Scope,
    call: usize,
    insert: Insert,
) -> Result<Vec<bool>, Stop> {
    if !insert.refused.is_empty() {
        return Err(Stop::Refused(write::list_misses(call, insert.refused)));
    }
    if insert.rows.is_empty() {
        return Ok(Vec::new());
    }
    let table = schema.table(insert.table);
    let mut sql = start(scope);
    sql.put("insert into ").put(&table.sql).put(" (tenant_id, created_at, updated_at, id");
    sql.put(if table.has_version() { ", version" } else { "" });
    for name in table.own().iter().map(|column| &column.sql).chain(table.search.iter().map(|group| &group.sql)) {
        sql.put(", ").put(name);
    }
    sql.put(") select $1, ").bind(ColumnType::Timestamp, Datum::Instant(scope.now_ms)).put(", $2, r.id");
    sql.put(if table.has_version() { ", 1" } else { "" });
    for (nth, column) in table.own().iter().enumerate() {
        sql.put(&format!(", r.c{nth}{}", cast(column.type_)));
    }
    (0..table.search.len()).for_each(|nth| {
        sql.put(&format!(", r.f{nth}"));
    });
    let sorted = || insert.order.iter().filter_map(|nth| insert.rows.get(*nth));
    sql.put(" from unnest(").bind_many(ColumnType::Uuid, sorted().map(|row| row.id.clone()).collect());
    let own = lists(table.own().len(), sorted().map(|row| row.own.iter().collect()));
    for (column, list) in table.own().iter().zip(own) {
        sql.put(", ").bind_many(column.type_, list);
    }
    for nth in 0..table.search.len() {
        let folded = sorted().filter_map(|row| row.folded.get(nth)).map(|text| Datum::Text(text.clone()));
        sql.put(", ").bind_many(ColumnType::Text, folded.collect());
    }
    sql.put(") as r(id");
    (0..table.own().len()).for_each(|nth| {
        sql.put(&format!(", c{nth}"));
    });
    (0..table.search.len()).for_each(|nth| {
        sql.put(&format!(", f{nth}"));
    });
    sql.put(") on conflict do nothing returning id");
    let mut went_in = HashSet::new();
    for row in fetch(connection, scope, sql).await? {
        went_in.insert(Datum::Id(field::<Uuid>(&row, 0)?));
    }
    let inserted: Vec<bool> = insert.rows.iter().map(|row| went_in.contains(&row.id)).collect();
    if !insert.skip && inserted.contains(&false) {
        let left: Vec<(usize, &NewRow)> =
            insert.rows.iter().enumerate().filter(|(nth, _)| inserted.get(*nth) == Some(&false)).collect();
        return Err(clashes(connection, table, scope, call, &left).await?);
    }
    Ok(inserted)
}

/// The keys by which rows that stayed out meet others: one look-up, on the error path only.
async fn clashes(
    connection: &mut PgConnection,
    table: &Table,
    scope: &mut Scope,
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
        let rows = left.iter().map(|(_, row)| columns.iter().map(|at| row.get(table, *at)).collect());
        for (place, (at, list)) in columns.iter().zip(lists(columns.len(), rows)).enumerate() {
            sql.put(if place > 0 { ", " } else { "" }).bind_many(table.type_of(*at), list);
        }
        sql.put(") with ordinality as r(");
        (0..columns.len()).for_each(|place| {
            sql.put(&format!("c{place}, "));
        });
        sql.put("n) join ").put(&table.sql).put(" t on t.tenant_id = $1");
        for (place, at) in columns.iter().enumerate() {
            sql.put(" and ").column("t", table, *at).put(&format!(" = r.c{place}{}", cast(table.type_of(*at))));
        }
    }
    let mut found = Vec::new();
    for row in fetch(connection, scope, sql).await? {
        let (place, key) = (field::<i64>(&row, 0)?, field::<i64>(&row, 1)?);
        let row = usize::try_from(place - 1).ok().and_then(|place| left.get(place)).map(|(nth, _)| *nth);
        let key = usize::try_from(key).ok();
        if let (Some(row), Some(key)) = (row, key) {
            found.push((row, key));
        }
    }
    found.sort_unstable();
    found.dedup();
    if left.iter().any(|(nth, _)| !found.iter().any(|(row, _)| row == nth)) {
        // What it met is gone again, or belongs to a key that a newer generation brought: try it all once more.
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
pub(super) async fn lock(
    connection: &mut PgConnection,
    scope: &mut Scope,
    taken: Vec<(i64, bool)>,
) -> Result<(), Stop> {
    if taken.is_empty() {
        return Ok(());
    }
    let mut sql = start(scope);
    let (keys, modes) = taken.into_iter().map(|(key, exclusive)| (Datum::Int(key), Datum::Bool(exclusive))).unzip();
    sql.params.clear();
    sql.put(
        "select case when n.x then pg_advisory_xact_lock(n.k) else pg_advisory_xact_lock_shared(n.k) end from unnest(",
    );
    sql.bind_many(ColumnType::Integer, keys).put(", ").bind_many(ColumnType::Boolean, modes).put(") as n(k, x)");
    fetch(connection, scope, sql).await.map(|_| ())
}

/// The next figure of a sequence, or `at_least` if that is higher. Its row stays locked to the end of the transaction.
pub(super) async fn number(
    connection: &mut PgConnection,
    schema: &Tables,
    scope: &mut Scope,
    call: usize,
    sequence: &str,
    at_least: u64,
) -> Result<u64, Stop> {
    let mut sql = start(scope);
    sql.put("insert into stoa_sequence (tenant_id, module, name, next) values ($1, ");
    sql.bind(ColumnType::Text, Datum::Text(schema.module().to_owned())).put(", ");
    sql.bind(ColumnType::Text, Datum::Text(sequence.to_owned())).put(", greatest(");
    sql.bind(ColumnType::Integer, Datum::Int(i64::try_from(at_least).unwrap_or(i64::MAX)));
    sql.put(
        ", 1) + 1) on conflict (tenant_id, module, name) \
         do update set next = greatest(stoa_sequence.next, $4) + 1 returning next - 1",
    );
    let rows = fetch(connection, scope, sql).await?;
    let next = rows.first().map(|row| field::<i64>(row, 0)).transpose()?;
    next.and_then(|next| u64::try_from(next).ok())
        .ok_or_else(|| Stop::Range(Spot { call: nth_number(call), column: "at-least".to_owned() }))
}
