//! Updates on PostgreSQL: one statement that locks the rows in the collection's lock order, reads their newest versions,
//! judges every change and makes those that may be made.
//!
//! `r` holds the changes, `l` the locked rows that they match, `g` the verdicts, `d` the unique keys that others have,
//! `u` the rows after. Where the update inserts what is not there, `n` holds these rows as they begin, with their
//! verdicts, and `i` puts them in as they are after the change: one that another transaction has put in meanwhile is
//! met only then, and the request runs again. `i` ends before `l` begins: an insert waits for the transaction that changes
//! the row that it meets, and a transaction that holds rows while it waits out of the lock order could cause a deadlock.
//! Every verdict and every new value rests on `l`, never on the table: the table is read as of the statement's beginning,
//! `l` as of the moment the lock was won. Names with `#` are the statement's own; no column has such a name.

use stoa_descriptor::ColumnType;
use tokio_postgres::Row;

use super::{bind, ddl, lists, start};
use crate::database::Error;
use crate::database::postgres::field;
use crate::store::checks;
use crate::store::datum::Datum;
use crate::store::read::Output;
use crate::store::schema::{Check, ID, Table, Tables};
use crate::store::scope::Scope;
use crate::store::sql::{Dialect, Sql, cast};
use crate::store::write::{self, Guard, Initial, Refusal, Spelling, Update};
use crate::store::{Reading, Stop};
use crate::wit::store::{Page, Reply};

/// Code of a row that was to go in and met one that went in meanwhile.
const MET: i64 = -1;

/// One row of the statement's result.
pub(super) struct Changed {
    nth: usize,
    /// Zero, or why the change was not made.
    code: i64,
    /// Unique keys that others have.
    met: Vec<usize>,
    data: Vec<Datum>,
}

pub(super) fn read(table: &Table, update: &Update, row: &Row) -> Result<Changed, Stop> {
    let met: String = field(row, 2)?;
    let mut data = Vec::with_capacity(update.answer.len());
    for (index, column) in update.answer.iter().enumerate() {
        data.push(bind::load(row, index + 3, &Output::Column(table.type_of(*column)))?);
    }
    Ok(Changed {
        nth: usize::try_from(field::<i64>(row, 0)?).unwrap_or(usize::MAX),
        code: field(row, 1)?,
        met: met.split(',').filter_map(|key| key.parse().ok()).collect(),
        data,
    })
}

/// The changed rows' answers, or every row that does not take its change.
pub(super) fn judge(
    schema: &Tables,
    scope: &mut Scope,
    reading: &mut Reading,
    call: usize,
    update: Update,
    changed: Vec<Changed>,
) -> Result<Reply, Stop> {
    let table = schema.table(update.table);
    let mut answers: Vec<Option<Vec<Datum>>> = vec![None; update.rows.len()];
    let mut refused = Vec::new();
    let mut clashes = Vec::new();
    for Changed { nth, code, met, data } in changed {
        if code == MET {
            return Err(Stop::Database(Error::Conflict("a row to insert was inserted meanwhile".to_owned())));
        }
        clashes.extend(met.into_iter().map(|key| (nth, key)));
        if let Some(slot) = answers.get_mut(nth) {
            *slot = Some(data.clone());
        }
        if code != 0 {
            refused.push(Refusal { row: nth, code: Some(code), current: data });
        }
    }
    let goes_in =
        |row: usize| update.initial.as_ref().is_some_and(|initial| matches!(initial.rows.get(row), Some(Some(_))));
    if answers.iter().enumerate().any(|(row, answer)| answer.is_none() && goes_in(row)) {
        return Err(Stop::Database(Error::Conflict("a row was deleted meanwhile".to_owned())));
    }
    let absent = answers.iter().enumerate().filter(|(_, answer)| answer.is_none());
    refused.extend(absent.map(|(row, _)| Refusal { row, code: None, current: Vec::new() }));
    if !refused.is_empty() {
        return Err(write::refusals(table, &update, call, refused));
    }
    write::clashes(table, &update, call, clashes)?;
    let mut rows = Vec::with_capacity(answers.len());
    for data in answers.into_iter().flatten() {
        reading.row(scope, &data)?;
        rows.push(write::answer_values(table, &update.answer, data));
    }
    if update.answer.is_empty() {
        return Ok(Reply::Done);
    }
    Ok(Reply::Rows(Page { rows, more: false, reached: None }))
}

fn spell<'a>(alias: &'a str, update: &Update) -> Spelling<'a> {
    let names = |sign: &str, count: usize| (0..count).map(|nth| format!("{alias}.\"#{sign}{nth}\"")).collect();
    Spelling {
        alias,
        set: names("s", update.set.len()),
        add: names("a", update.add.len()),
        version: format!("{alias}.\"#v\""),
    }
}

pub(super) fn statement(schema: &Tables, scope: &Scope, update: &Update) -> Sql {
    let table = schema.table(update.table);
    let mut sql = start(scope);
    changes(&mut sql, table, update);
    if let Some(initial) = &update.initial {
        begin_rows(&mut sql, schema, scope, update, initial);
        insert_rows(&mut sql, scope, table, update, initial);
    }
    sql.put(", l as materialized (select r.*");
    for column in needed_columns(table, update) {
        sql.put(", ").column("t", table, column);
    }
    for group in needed_groups(table, update) {
        sql.put(", t.").put(group);
    }
    sql.put(" from r join ").put(&table.sql).put(" t on ");
    of_key(&mut sql, table, update);
    if update.initial.is_some() {
        // This makes `l` wait for the end of `i`.
        sql.put(" where (select count(*) from i) >= 0");
    }
    for (nth, column) in table.lock_order.iter().enumerate() {
        sql.put(if nth == 0 { " order by " } else { ", " }).column("t", table, *column);
    }
    sql.put(" for no key update of t), g as (select l.*, ");
    write::refusal(schema, update, &spell("l", update), &mut sql);
    sql.put(" as \"#code\" from l)");
    doubles(&mut sql, table, update);
    write_change(&mut sql, scope, table, update);
    sql.put(" select g.\"#i\", g.\"#code\"::bigint, ");
    sql.put(if update.unique.is_empty() {
        "''"
    } else {
        "coalesce((select string_agg(d.k::text, ',') from d where d.i = g.\"#i\"), '')"
    });
    answers(&mut sql, table, update, "g", "u");
    sql.put(" from g left join u on u.\"#id\" = g.id");
    if update.initial.is_some() {
        sql.put(" union all select n.\"#i\", ");
        sql.put(&format!(
            "case when n.\"#code\" = 0 and i.\"#id\" is null then {MET} else n.\"#code\" end::bigint, ''"
        ));
        answers(&mut sql, table, update, "n", "i");
        sql.put(" from n left join i on i.\"#id\" = n.id");
    }
    sql
}

/// The condition under which `t` is the row that the change `r` is of.
fn of_key(sql: &mut Sql, table: &Table, update: &Update) {
    sql.put("t.tenant_id = $1");
    for (nth, column) in update.key.iter().enumerate() {
        sql.put(" and ").column("t", table, *column).put(&format!(" = r.\"#k{nth}\""));
    }
}

/// The columns that are answered: as they are after the change, or as they are where it was not made.
fn answers(sql: &mut Sql, table: &Table, update: &Update, before: &str, after: &str) {
    for column in &update.answer {
        let name = &table.column(*column).sql;
        sql.put(&format!(", case when {after}.\"#id\" is null then {before}.{name} else {after}.{name} end"));
        sql.output(table.type_of(*column));
    }
}

/// `with r as (...)`: the changes, each value in its column's type.
fn changes(sql: &mut Sql, table: &Table, update: &Update) {
    let mut columns: Vec<(String, ColumnType)> = vec![("#i".to_owned(), ColumnType::Integer)];
    let named = |sign: &str, list: &[usize]| -> Vec<(String, ColumnType)> {
        list.iter().enumerate().map(|(nth, column)| (format!("#{sign}{nth}"), table.type_of(*column))).collect()
    };
    columns.extend(named("k", &update.key));
    columns.push(("#v".to_owned(), ColumnType::Integer));
    columns.extend(named("s", &update.set));
    columns.extend(named("a", &update.add));
    columns.extend((0..update.folds()).map(|nth| (format!("#f{nth}"), ColumnType::Text)));
    if let Some(initial) = &update.initial {
        columns.push(("#first".to_owned(), ColumnType::Uuid));
        columns.extend(named("n", &initial.columns));
    }
    let mut rows: Vec<Vec<Datum>> = update
        .rows
        .iter()
        .enumerate()
        .map(|(nth, change)| {
            let mut row = vec![Datum::Int(i64::try_from(nth).unwrap_or(i64::MAX))];
            row.extend(change.key.iter().cloned());
            row.push(change.version.map_or(Datum::Null, Datum::Int));
            row.extend(change.set.iter().chain(&change.add).cloned());
            row.extend(update.folded_texts(change));
            if let Some(initial) = &update.initial {
                row.extend(first_values(table, initial, nth));
            }
            row
        })
        .collect();
    sql.put("with r as (select ");
    if rows.len() == 1 {
        // The planner takes any unnest for ten rows, and would rather read a small tenant's whole table.
        let row = rows.pop().unwrap_or_default();
        for (nth, ((name, type_), datum)) in columns.iter().zip(row).enumerate() {
            sql.put(if nth > 0 { ", " } else { "" }).bind(*type_, datum).put(&format!(" as \"{name}\""));
        }
        sql.put(")");
        return;
    }
    for (nth, (name, type_)) in columns.iter().enumerate() {
        sql.put(if nth > 0 { ", " } else { "" });
        sql.put(&format!("r.\"{name}\"{} as \"{name}\"", cast(*type_)));
    }
    sql.put(" from unnest(");
    let lists = lists(columns.len(), rows.iter().map(|row| row.iter().collect()));
    for (nth, ((_, type_), list)) in columns.iter().zip(lists).enumerate() {
        sql.put(if nth > 0 { ", " } else { "" }).bind_many(*type_, list);
    }
    sql.put(") as r(");
    for (nth, (name, _)) in columns.iter().enumerate() {
        sql.put(if nth > 0 { ", " } else { "" }).put(&format!("\"{name}\""));
    }
    sql.put("))");
}

/// Columns that verdicts, new values and answers are made of.
fn needed_columns(table: &Table, update: &Update) -> Vec<usize> {
    let mut used = vec![ID];
    used.extend(table.find("version").filter(|_| table.has_version()));
    used.extend(update.answer.iter().chain(&update.add));
    update.when.columns(&mut used);
    used.extend(guarded_checks(table, update).flat_map(checks::columns));
    used.extend(update.unique.iter().filter_map(|nth| table.unique.get(*nth)).flat_map(|key| &key.columns));
    used.sort_unstable();
    used.dedup();
    used
}

/// Columns that the update leaves as they are, and that a check reads together with one that it changes.
fn checked_columns(table: &Table, update: &Update) -> Vec<usize> {
    let mut checked: Vec<usize> = guarded_checks(table, update).flat_map(checks::columns).collect();
    checked.retain(|column| !update.set.contains(column) && !update.add.contains(column));
    checked.sort_unstable();
    checked.dedup();
    checked
}

/// The checks that the update could break.
fn guarded_checks<'a>(table: &'a Table, update: &'a Update) -> impl Iterator<Item = &'a Check> {
    update.guards.iter().filter_map(|guard| match guard {
        Guard::Check(nth) => table.checks.get(*nth),
        _ => None,
    })
}

/// Quoted names of the search groups that new values and the condition are made of.
fn needed_groups<'a>(table: &'a Table, update: &Update) -> Vec<&'a str> {
    let mut groups: Vec<usize> = update.groups.iter().map(|(group, _)| *group).collect();
    update.when.groups(&mut groups);
    groups.sort_unstable();
    groups.dedup();
    groups.into_iter().filter_map(|nth| table.search.get(nth)).map(|group| group.sql.as_str()).collect()
}

/// Id of the nth row to insert, null where none is to be, and its stated values.
fn first_values(table: &Table, initial: &Initial, nth: usize) -> Vec<Datum> {
    match initial.rows.get(nth) {
        Some(Some(row)) => {
            let stated = initial.columns.iter().map(|column| row.get(table, *column).clone());
            std::iter::once(row.id.clone()).chain(stated).collect()
        }
        _ => vec![Datum::Null; initial.columns.len() + 1],
    }
}

/// A column of a row to insert, before the change.
fn first_value(table: &Table, update: &Update, initial: &Initial, alias: &str, index: usize) -> String {
    let column = table.column(index);
    let name = |sign: &str, list: &[usize]| {
        list.iter().position(|other| *other == index).map(|nth| format!("{alias}.\"#{sign}{nth}\""))
    };
    let default = || checks::literal(column.default.as_ref().unwrap_or(&Datum::Null), column.type_, Dialect::Postgres);
    let value = name("k", &update.key).or_else(|| name("n", &initial.columns)).unwrap_or_else(default);
    format!("({value})::{}", ddl::type_name(column.type_))
}

/// `n`: the rows that are not there, as they begin, with the verdicts on their changes.
fn begin_rows(sql: &mut Sql, schema: &Tables, scope: &Scope, update: &Update, initial: &Initial) {
    let table = schema.table(update.table);
    sql.put(", n as (select b.*, ");
    write::refusal(schema, update, &spell("b", update), sql);
    sql.put(" as \"#code\" from (select r.*");
    for column in needed_columns(table, update) {
        sql.put(", ");
        if column == ID {
            sql.put("r.\"#first\"");
        } else if column < table.host {
            sql.bind(ColumnType::Timestamp, Datum::Instant(scope.now_ms));
        } else {
            sql.put(&first_value(table, update, initial, "r", column));
        }
        sql.put(" as ").put(&table.column(column).sql);
    }
    sql.put(" from r where r.\"#first\" is not null and not exists (select 1 from ").put(&table.sql).put(" t where ");
    of_key(sql, table, update);
    sql.put(")) b)");
}

/// `i`: the rows that are put in, in the lock order. One that another transaction has put in meanwhile stays out.
fn insert_rows(sql: &mut Sql, scope: &Scope, table: &Table, update: &Update, initial: &Initial) {
    let spelling = spell("n", update);
    sql.put(", i as (insert into ").put(&table.sql).put(" as t (tenant_id, created_at, updated_at, id");
    for column in table.own() {
        sql.put(", ").put(&column.sql);
    }
    sql.put(") select $1, ").bind(ColumnType::Timestamp, Datum::Instant(scope.now_ms));
    let now = sql.placeholder(sql.params.len());
    sql.put(", ").put(&now).put(", n.id");
    for column in table.host..table.columns.len() {
        let is_changed = update.set.contains(&column) || update.add.contains(&column);
        let value = match is_changed {
            true => spelling.after(table, update, Dialect::Postgres, column),
            false => first_value(table, update, initial, "n", column),
        };
        sql.put(", ").put(&value);
    }
    sql.put(" from n where n.\"#code\" = 0 order by ");
    for (nth, column) in table.lock_order.iter().enumerate() {
        let value = if *column == ID { "n.id".to_owned() } else { first_value(table, update, initial, "n", *column) };
        sql.put(if nth > 0 { ", " } else { "" }).put(&value);
    }
    sql.put(" on conflict do nothing returning t.id as \"#id\"");
    for column in &update.answer {
        sql.put(", ").column("t", table, *column);
    }
    sql.put(")");
}

/// `d`: rows whose new key another row has, or another row of this update would have.
fn doubles(sql: &mut Sql, table: &Table, update: &Update) {
    let keys = update.unique.iter().filter_map(|nth| table.unique.get(*nth));
    for (nth, key) in keys.enumerate() {
        let after = |alias: &str, column: usize| spell(alias, update).after(table, update, Dialect::Postgres, column);
        sql.put(if nth == 0 { ", d as (" } else { " union " });
        sql.put(&format!("select g.\"#i\" as i, {nth} as k from g join {} o on o.tenant_id = $1", table.sql));
        for column in &key.columns {
            sql.put(" and ").column("o", table, *column).put(" = ").put(&after("g", *column));
        }
        sql.put(&format!(" and o.id <> g.id union select g.\"#i\", {nth} from g join g b on g.\"#i\" <> b.\"#i\""));
        for column in &key.columns {
            sql.put(" and ").put(&after("g", *column)).put(" = ").put(&after("b", *column));
        }
    }
    sql.put(if update.unique.is_empty() { "" } else { ")" });
}

/// `u`: the change itself.
fn write_change(sql: &mut Sql, scope: &Scope, table: &Table, update: &Update) {
    let spelling = spell("g", update);
    sql.put(", u as (update ").put(&table.sql).put(" t set updated_at = ");
    sql.bind(ColumnType::Timestamp, Datum::Instant(scope.now_ms));
    if table.has_version() {
        sql.put(", version = g.version + 1");
    }
    for column in update.set.iter().chain(&update.add) {
        let after = spelling.after(table, update, Dialect::Postgres, *column);
        sql.put(", ").put(&table.column(*column).sql).put(" = ").put(&after);
    }
    // PostgreSQL judges a check before it looks for a newer version of the row: columns that are not written would have
    // values of the statement's beginning, the others those of the moment the lock was won.
    for column in checked_columns(table, update) {
        let name = &table.column(column).sql;
        sql.put(&format!(", {name} = g.{name}"));
    }
    sql.put(&table.turn_marks());
    let mut next = 0;
    for (group, parts) in &update.groups {
        let Some(group) = table.search.get(*group) else { continue };
        sql.put(", ").put(&group.sql).put(" = ");
        for (nth, part) in parts.iter().enumerate() {
            sql.put(if nth > 0 { " || chr(31) || " } else { "" });
            if part.is_some() {
                sql.put(&format!("g.\"#f{next}\""));
                next += 1;
            } else {
                sql.put(&format!("split_part(g.{}, chr(31), {})", group.sql, nth + 1));
            }
        }
    }
    sql.put(" from g where t.tenant_id = $1 and t.id = g.id and g.\"#code\" = 0");
    sql.put(if update.unique.is_empty() { "" } else { " and not exists (select 1 from d)" });
    sql.put(" returning t.id as \"#id\"");
    for column in update.answer.iter() {
        sql.put(", ").column("t", table, *column);
    }
    sql.put(")");
}
