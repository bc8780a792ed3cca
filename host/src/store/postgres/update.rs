//! Updates on PostgreSQL: one statement that locks the rows in the collection's lock order, reads their newest versions,
//! judges every change and makes those that may be made.
//!
//! `r` holds the changes, `l` the locked rows beside them, `g` the verdicts, `d` the unique keys that others have, `u`
//! the rows after. Every verdict and every new value rests on `l`, never on the table: the table is read as of the
//! statement's beginning, `l` as of the moment the lock was won. Names with `#` are the statement's own; no column has
//! such a name.

use stoa_descriptor::ColumnType;
use tokio_postgres::Row;

use super::{bind, lists, start};
use crate::database::postgres::field;
use crate::store::checks;
use crate::store::datum::Datum;
use crate::store::read::Output;
use crate::store::schema::{Table, Tables};
use crate::store::scope::Scope;
use crate::store::sql::{Dialect, Sql, cast};
use crate::store::write::{self, Guard, Refusal, Spelling, Update};
use crate::store::{Reading, Stop};
use crate::wit::store::{Page, Reply};

/// What one row of the statement says.
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
    for (at, column) in update.answer.iter().enumerate() {
        data.push(bind::load(row, at + 3, &Output::Column(table.type_of(*column)))?);
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
        clashes.extend(met.into_iter().map(|key| (nth, key)));
        if let Some(slot) = answers.get_mut(nth) {
            *slot = Some(data.clone());
        }
        if code != 0 {
            refused.push(Refusal { row: nth, code: Some(code), current: data });
        }
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
    Ok(Reply::Rows(Page { rows, more: false }))
}

fn spell<'a>(alias: &'a str, update: &Update) -> Spelling<'a> {
    let own = |sign: &str, count: usize| (0..count).map(|nth| format!("{alias}.\"#{sign}{nth}\"")).collect();
    Spelling {
        alias,
        set: own("s", update.set.len()),
        add: own("a", update.add.len()),
        version: format!("{alias}.\"#v\""),
    }
}

pub(super) fn statement(schema: &Tables, scope: &Scope, update: &Update) -> Sql {
    let table = schema.table(update.table);
    let mut sql = start(scope);
    changes(&mut sql, table, update);
    sql.put(", l as materialized (select r.*");
    for name in needed_columns(table, update) {
        sql.put(", t.").put(&name);
    }
    sql.put(" from r join ").put(&table.sql).put(" t on t.tenant_id = $1");
    for (nth, at) in update.key.iter().enumerate() {
        sql.put(" and ").column("t", table, *at).put(&format!(" = r.\"#k{nth}\""));
    }
    for (nth, at) in table.lock_order.iter().enumerate() {
        sql.put(if nth == 0 { " order by " } else { ", " }).column("t", table, *at);
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
    for at in &update.answer {
        let name = &table.column(*at).sql;
        sql.put(", case when u.\"#id\" is null then g.").put(name).put(" else u.").put(name).put(" end");
        sql.output(table.type_of(*at));
    }
    sql.put(" from g left join u on u.\"#id\" = g.id");
    sql
}

/// `with r as (...)`: the changes, each value in its column's type.
fn changes(sql: &mut Sql, table: &Table, update: &Update) {
    let mut columns: Vec<(String, ColumnType)> = vec![("#i".to_owned(), ColumnType::Integer)];
    let named = |sign: &str, list: &[usize]| -> Vec<(String, ColumnType)> {
        list.iter().enumerate().map(|(nth, at)| (format!("#{sign}{nth}"), table.type_of(*at))).collect()
    };
    columns.extend(named("k", &update.key));
    columns.push(("#v".to_owned(), ColumnType::Integer));
    columns.extend(named("s", &update.set));
    columns.extend(named("a", &update.add));
    columns.extend((0..update.folds()).map(|nth| (format!("#f{nth}"), ColumnType::Text)));
    let mut rows: Vec<Vec<Datum>> = update
        .rows
        .iter()
        .zip(0..)
        .map(|(change, nth)| {
            let mut row = vec![Datum::Int(nth)];
            row.extend(change.key.iter().cloned());
            row.push(change.version.map_or(Datum::Null, Datum::Int));
            row.extend(change.set.iter().chain(&change.add).cloned());
            row.extend(update.folded_texts(change));
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

/// Quoted names of the columns that verdicts, new values and answers are made of.
fn needed_columns(table: &Table, update: &Update) -> Vec<String> {
    let mut used = vec![crate::store::schema::ID];
    used.extend(table.find("version").filter(|_| table.has_version()));
    used.extend(update.answer.iter().chain(&update.add));
    update.when.columns(&mut used);
    for guard in &update.guards {
        if let Guard::Check(nth) = guard {
            used.extend(table.checks.get(*nth).into_iter().flat_map(checks::columns));
        }
    }
    used.extend(update.unique.iter().filter_map(|nth| table.unique.get(*nth)).flat_map(|key| &key.columns));
    used.sort_unstable();
    used.dedup();
    let mut groups: Vec<usize> = update.groups.iter().map(|(group, _)| *group).collect();
    update.when.groups(&mut groups);
    groups.sort_unstable();
    groups.dedup();
    let groups = groups.into_iter().filter_map(|nth| table.search.get(nth)).map(|group| group.sql.clone());
    used.iter().map(|at| table.column(*at).sql.clone()).chain(groups).collect()
}

/// `d`: rows whose new key another row has, or another row of this update would have.
fn doubles(sql: &mut Sql, table: &Table, update: &Update) {
    let keys = update.unique.iter().filter_map(|nth| table.unique.get(*nth));
    for (nth, key) in keys.enumerate() {
        let after = |alias: &str, at: usize| spell(alias, update).after(table, update, Dialect::Postgres, at);
        sql.put(if nth == 0 { ", d as (" } else { " union " });
        sql.put(&format!("select g.\"#i\" as i, {nth} as k from g join {} o on o.tenant_id = $1", table.sql));
        for at in &key.columns {
            sql.put(" and ").column("o", table, *at).put(" = ").put(&after("g", *at));
        }
        sql.put(&format!(" and o.id <> g.id union select g.\"#i\", {nth} from g join g b on g.\"#i\" <> b.\"#i\""));
        for at in &key.columns {
            sql.put(" and ").put(&after("g", *at)).put(" = ").put(&after("b", *at));
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
    for at in update.set.iter().chain(&update.add) {
        let after = spelling.after(table, update, Dialect::Postgres, *at);
        sql.put(", ").put(&table.column(*at).sql).put(" = ").put(&after);
    }
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
    for at in update.answer.iter() {
        sql.put(", ").column("t", table, *at);
    }
    sql.put(")");
}
