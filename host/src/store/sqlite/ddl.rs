//! Tables on SQLite. STRICT, so that a column holds its type. With rowids: measured on rows of 0.4 kB, a table without
//! them lists by id in two thirds of the time and finds by a key in four thirds; on rows of 1.8 kB (a product with its
//! attributes) it is twice as large and reads by id three times as slowly.
//! Declared checks are triggers here: SQLite cannot add a constraint to a table, nor take one back.

use rusqlite::Connection;
use stoa_descriptor::{ColumnType, Kind};

use crate::database::Error;
use crate::store::checks;
use crate::store::schema::{Check, Column, Group, ID, Key, Table, Tables};
use crate::store::sql::Dialect;
use crate::store::table_change::TableChange;

fn run(connection: &Connection, text: &str) -> Result<(), Error> {
    connection.execute_batch(text).map_err(Error::from_rusqlite)
}

pub fn apply(connection: &Connection, schema: &Tables, changes: &[TableChange]) -> Result<(), Error> {
    for change in changes {
        let text = match change {
            TableChange::Table { collection } => table_of(schema, collection).map(create),
            TableChange::Column { collection, column } => table_of(schema, collection).and_then(|table| {
                let column = table.column(table.find(column)?);
                let mut text = format!("alter table {} add column {};\n", table.sql, definition(column));
                if let Some(mark) = &column.mark {
                    text.push_str(&format!("alter table {} add column {};\n", table.sql, mark_definition(mark)));
                    text.push_str(&derived_trigger(table, column, mark));
                }
                Some(text)
            }),
            TableChange::Index { collection, columns } => table_of(schema, collection).and_then(|table| {
                let key = table.indexes.iter().find(|key| key.name == *columns)?;
                Some(index(table, key, ""))
            }),
            TableChange::Unique { collection, key } => table_of(schema, collection).and_then(|table| {
                let key = table.unique.iter().find(|other| other.name == *key)?;
                Some(index(table, key, "unique "))
            }),
            TableChange::Check { collection, check } => {
                let found = table_of(schema, collection)
                    .and_then(|table| Some((table, table.checks.iter().find(|other| other.name == *check)?)));
                if let Some((table, check)) = found {
                    try_check(connection, table, check)?;
                }
                found.map(|(table, check)| triggers(table, check))
            }
            TableChange::Search { collection, group } => {
                let found = table_of(schema, collection)
                    .and_then(|table| Some((table, table.search.iter().find(|other| other.name == *group)?)));
                found.map(|(table, group)| search(connection, table, group)).transpose()?
            }
            TableChange::DropUnique { collection, key } => table_of(schema, collection)
                .map(|table| format!("drop index if exists \"{}\"", Tables::unique_index(&table.bare, key))),
            TableChange::DropCheck { collection, check } => table_of(schema, collection).map(|table| {
                let name = Tables::constraint(&table.bare, check);
                format!("drop trigger if exists \"{name}_i\"; drop trigger if exists \"{name}_u\"")
            }),
        };
        let text =
            text.ok_or_else(|| Error::Fault(format!("the schema has not what it was planned from: {change}")))?;
        run(connection, &text)?;
    }
    Ok(())
}

fn table_of<'a>(schema: &'a Tables, collection: &str) -> Option<&'a Table> {
    schema.find(collection).map(|index| schema.table(index))
}

fn create(table: &Table) -> String {
    let mut text = format!("create table {} (tenant_id blob not null check (length(tenant_id) = 16)", table.sql);
    for column in &table.columns {
        text.push_str(", ");
        text.push_str(&definition(column));
    }
    for mark in table.columns.iter().filter_map(|column| column.mark.as_ref()) {
        text.push_str(&format!(", {}", mark_definition(mark)));
    }
    for group in &table.search {
        text.push_str(&format!(", {} text not null default ''", group.sql));
    }
    text.push_str(", primary key (tenant_id, id)) strict;\n");
    for key in &table.unique {
        text.push_str(&index(table, key, "unique "));
    }
    for key in &table.indexes {
        text.push_str(&index(table, key, ""));
    }
    for check in &table.checks {
        text.push_str(&triggers(table, check));
    }
    for column in &table.columns {
        if let Some(mark) = &column.mark {
            text.push_str(&derived_trigger(table, column, mark));
        }
    }
    if table.kind == Kind::Ledger {
        for event in ["update", "delete"] {
            text.push_str(&format!(
                "create trigger \"{}__no_{event}\" before {event} on {} begin \
                 select raise(abort, 'a ledger is only ever appended to'); end;\n",
                table.bare, table.sql
            ));
        }
    }
    text
}

fn definition(column: &Column) -> String {
    let name = &column.sql;
    let (type_, check) = match column.type_ {
        ColumnType::Uuid => ("blob", format!("length({name}) = 16")),
        ColumnType::Text => ("text", String::new()),
        ColumnType::Boolean => ("integer", format!("{name} in (0, 1)")),
        ColumnType::Integer | ColumnType::Timestamp => ("integer", String::new()),
        ColumnType::Decimal { precision: precision @ ..=18, .. } => {
            let most = 10i64.pow(u32::from(precision)) - 1;
            ("integer", format!("{name} between -{most} and {most}"))
        }
        ColumnType::Decimal { precision, scale } => {
            let width = usize::from(precision) + 1 + usize::from(scale > 0);
            ("text", format!("length({name}) = {width}"))
        }
        ColumnType::Date => ("text", format!("length({name}) = 10")),
        ColumnType::Json => ("text", format!("json_valid({name})")),
    };
    let mut text = format!("{name} {type_}");
    if !column.nullable {
        text.push_str(" not null");
    }
    if let Some(default) = &column.default {
        text.push_str(&format!(" default {}", checks::literal(default, column.type_, Dialect::Sqlite)));
    }
    if !check.is_empty() {
        text.push_str(&format!(" check ({check})"));
    }
    text
}

/// The id ends every index that is not unique: pages are ordered by it last.
fn index(table: &Table, key: &Key, kind: &str) -> String {
    let mut columns = String::from("tenant_id");
    for column in &key.columns {
        columns.push_str(", ");
        columns.push_str(&table.column(*column).sql);
    }
    if kind.is_empty() && !key.columns.contains(&ID) {
        columns.push_str(", id");
    }
    let rows =
        key.not_null.map(|column| format!(" where {} is not null", table.column(column).sql)).unwrap_or_default();
    format!("create {kind}index if not exists \"{}\" on {} ({columns}){rows};\n", key.index, table.sql)
}

/// Names of the indexes that exist.
pub const STANDING: &str = "select name from sqlite_schema where type = 'index'";

/// Statements that give tables the indexes that `create` gives them. `drop`: indexes.
pub fn reindex(schema: &Tables, stands: impl Fn(&str) -> bool, drop: &[String]) -> Vec<String> {
    let mut texts = Vec::new();
    for table in &schema.tables {
        let missing = table.indexes.iter().filter(|key| !stands(&key.index));
        texts.extend(missing.map(|key| index(table, key, "")));
    }
    texts.extend(drop.iter().map(|index| format!("drop index if exists \"{index}\"")));
    texts
}

fn mark_definition(mark: &str) -> String {
    format!("{mark} integer not null default 0")
}

/// Makes a derived column null after a change that left its mark. The trigger's own change finds nothing more to do.
fn derived_trigger(table: &Table, column: &Column, mark: &str) -> String {
    let name = Tables::derived_trigger(&table.bare, &column.name);
    let (rows, column) = (&table.sql, &column.sql);
    format!(
        "create trigger \"{name}\" after update on {rows} when new.{mark} = old.{mark} and new.{column} is not null begin \
         update {rows} set {column} = null where tenant_id = new.tenant_id and id = new.id; end;\n"
    )
}

fn triggers(table: &Table, check: &Check) -> String {
    let holds = checks::sql(table, check, Dialect::Sqlite, &|column| format!("new.{}", table.column(column).sql));
    ["insert", "update"]
        .iter()
        .map(|event| {
            format!(
                "create trigger \"{}_{}\" before {event} on {} when {holds} is false begin \
                 select raise(abort, 'check {}'); end;\n",
                check.constraint,
                event.get(..1).unwrap_or_default(),
                table.sql,
                check.name
            )
        })
        .collect()
}

/// Fails if a row breaks a check that is about to be made.
fn try_check(connection: &Connection, table: &Table, check: &Check) -> Result<(), Error> {
    let holds = checks::sql(table, check, Dialect::Sqlite, &|column| table.column(column).sql.clone());
    let text = format!("select exists (select 1 from {} where {holds} is false)", table.sql);
    let broken: bool = connection.query_row(&text, [], |row| row.get(0)).map_err(Error::from_rusqlite)?;
    if broken {
        return Err(Error::Check(format!("{} of {}", check.name, table.name)));
    }
    Ok(())
}

/// The column is there already where the group was declared before and taken back.
fn search(connection: &Connection, table: &Table, group: &Group) -> Result<String, Error> {
    let bare = group.sql.trim_matches('"');
    let known: bool = connection
        .query_row(
            "select exists (select 1 from pragma_table_info(?1) where name = ?2)",
            [table.bare.as_str(), bare],
            |row| row.get(0),
        )
        .map_err(Error::from_rusqlite)?;
    let add = format!("alter table {} add column {} text not null default '';\n", table.sql, group.sql);
    let parts: Vec<String> =
        group.columns.iter().map(|column| format!("stoa_fold({})", table.column(*column).sql)).collect();
    let folded = parts.join(" || char(31) || ");
    let fold = format!("update {} as t set {} = {folded}{};\n", table.sql, group.sql, table.turn_marks());
    Ok(if known { fold } else { add + &fold })
}
