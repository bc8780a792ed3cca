//! Tables on PostgreSQL: row-level security on every one, checks as constraints, ledgers shut by triggers.

use stoa_descriptor::{ColumnType, Kind};
use tokio_postgres::types::Type;
use uuid::Uuid;

use crate::database::Error;
use crate::database::postgres::{PgStatement, Transaction, field};
use crate::store::checks;
use crate::store::fold;
use crate::store::schema::{Check, Column, Group, Key, Table, Tables};
use crate::store::sql::Dialect;
use crate::store::table_change::TableChange;

/// Projections are changed in place, time and again: with room left in its page a row changes without a touch of its indexes.
const FILL: &str = "fillfactor=70";

async fn run(transaction: &mut Transaction, text: String) -> Result<(), Error> {
    transaction.send_text(&text).await.map(drop)
}

pub async fn apply(transaction: &mut Transaction, schema: &Tables, changes: &[TableChange]) -> Result<(), Error> {
    for change in changes {
        if let TableChange::Search { collection, group } = change {
            let found = table_of(schema, collection)
                .and_then(|table| Some((table, table.search.iter().find(|other| other.name == *group)?)));
            let (table, group) = found.ok_or_else(|| plan_mismatch(change))?;
            search(transaction, table, group).await?;
            continue;
        }
        let text = text(schema, change).ok_or_else(|| plan_mismatch(change))?;
        run(transaction, text).await?;
    }
    Ok(())
}

fn plan_mismatch(change: &TableChange) -> Error {
    Error::Fault(format!("the schema has not what it was planned from: {change}"))
}

fn table_of<'a>(schema: &'a Tables, collection: &str) -> Option<&'a Table> {
    schema.find(collection).map(|index| schema.table(index))
}

fn text(schema: &Tables, change: &TableChange) -> Option<String> {
    Some(match change {
        TableChange::Table { collection } => create(table_of(schema, collection)?),
        TableChange::Column { collection, column } => {
            let table = table_of(schema, collection)?;
            let column = table.column(table.find(column)?);
            let mut text = format!("alter table {} add column if not exists {};\n", table.sql, definition(column));
            if let Some(mark) = &column.mark {
                text.push_str(&format!(
                    "alter table {} add column if not exists {};\n{}",
                    table.sql,
                    mark_definition(mark),
                    derived_trigger(table, column, mark)
                ));
            }
            text
        }
        TableChange::Index { collection, columns } => {
            let table = table_of(schema, collection)?;
            index(table, table.indexes.iter().find(|key| key.name == *columns)?, false, "")
        }
        TableChange::Unique { collection, key } => {
            let table = table_of(schema, collection)?;
            index(table, table.unique.iter().find(|other| other.name == *key)?, true, "")
        }
        TableChange::Check { collection, check } => {
            let table = table_of(schema, collection)?;
            let check = table.checks.iter().find(|other| other.name == *check)?;
            format!("alter table {} add {}", table.sql, constraint(table, check))
        }
        TableChange::DropUnique { collection, key } => {
            format!("drop index if exists \"{}\"", Tables::unique_index(&table_of(schema, collection)?.bare, key))
        }
        TableChange::DropCheck { collection, check } => {
            let table = table_of(schema, collection)?;
            let name = Tables::constraint(&table.bare, check);
            format!("alter table {} drop constraint if exists \"{name}\"", table.sql)
        }
        TableChange::Search { .. } => return None,
    })
}

fn create(table: &Table) -> String {
    create_bare(table) + &complete(table)
}

/// The table with its columns, checks and primary key.
pub fn create_bare(table: &Table) -> String {
    let mut text = format!("create table {} (tenant_id uuid not null", table.sql);
    for column in &table.columns {
        text.push_str(", ");
        text.push_str(&definition(column));
    }
    for mark in table.columns.iter().filter_map(|column| column.mark.as_ref()) {
        text.push_str(&format!(", {}", mark_definition(mark)));
    }
    for group in &table.search {
        text.push_str(&format!(", {} text collate \"C\" not null default ''", group.sql));
    }
    for check in &table.checks {
        text.push_str(", ");
        text.push_str(&constraint(table, check));
    }
    text.push_str(", primary key (tenant_id, id))");
    if table.kind == Kind::Projection {
        text.push_str(&format!(" with ({FILL})"));
    }
    text.push_str(";\n");
    text
}

/// Indexes, row-level security, the trigger of a ledger and the place of a table that was made bare.
pub fn complete(table: &Table) -> String {
    let mut text = String::new();
    for key in &table.unique {
        text.push_str(&index(table, key, true, ""));
    }
    for key in &table.indexes {
        text.push_str(&index(table, key, false, ""));
    }
    text.push_str(&format!(
        "alter table {0} enable row level security; alter table {0} force row level security;\n\
         create policy tenant on {0} using (tenant_id = nullif(current_setting('stoa.tenant', true), '')::uuid);\n",
        table.sql
    ));
    if table.kind == Kind::Ledger {
        text.push_str(&format!(
            "create or replace function stoa_refuse_change() returns trigger language plpgsql as \
             $$ begin raise exception 'a ledger is only ever appended to'; end $$;\n\
             create trigger ledger before update or delete or truncate on {} \
             for each statement execute function stoa_refuse_change();\n",
            table.sql
        ));
    }
    for column in &table.columns {
        if let Some(mark) = &column.mark {
            text.push_str(&derived_trigger(table, column, mark));
        }
    }
    // Last, on the whole table: a deployment of several servers puts it there.
    text.push_str(&format!("select stoa_place('{}', 'company');\n", table.sql));
    text
}

/// The type of a column, with the order of its texts.
pub(super) fn type_name(type_: ColumnType) -> String {
    match type_ {
        ColumnType::Uuid => "uuid".to_owned(),
        ColumnType::Text => "text collate \"C\"".to_owned(),
        ColumnType::Boolean => "boolean".to_owned(),
        ColumnType::Integer => "bigint".to_owned(),
        ColumnType::Decimal { precision, scale } => format!("numeric({precision},{scale})"),
        ColumnType::Timestamp => "timestamptz(3)".to_owned(),
        ColumnType::Date => "date".to_owned(),
        ColumnType::Json => "jsonb".to_owned(),
    }
}

fn definition(column: &Column) -> String {
    let mut text = format!("{} {}", column.sql, type_name(column.type_));
    if !column.nullable {
        text.push_str(" not null");
    }
    if let Some(default) = &column.default {
        text.push_str(&format!(" default {}", checks::literal(default, column.type_, Dialect::Postgres)));
    }
    text
}

fn mark_definition(mark: &str) -> String {
    format!("{mark} boolean not null default false")
}

/// Makes a derived column null in a change that leaves its mark.
fn derived_trigger(table: &Table, column: &Column, mark: &str) -> String {
    let trigger = Tables::derived_trigger(&table.bare, &column.name);
    format!(
        "create or replace function stoa_make_null() returns trigger language plpgsql as \
         $$ begin new := jsonb_populate_record(new, jsonb_build_object(tg_argv[0], null::text)); return new; end $$;\n\
         create or replace trigger \"{trigger}\" before update on {} for each row \
         when (new.{mark} = old.{mark} and new.{} is not null) execute function stoa_make_null('{}');\n",
        table.sql, column.sql, column.name
    )
}

fn constraint(table: &Table, check: &Check) -> String {
    let holds = checks::sql(table, check, Dialect::Postgres, &|column| table.column(column).sql.clone());
    format!("constraint \"{}\" check ({holds})", check.constraint)
}

/// The id ends every index that is not unique: pages are ordered by it last.
fn index(table: &Table, key: &Key, unique: bool, concurrently: &str) -> String {
    let mut columns = String::from("tenant_id");
    for column in &key.columns {
        columns.push_str(", ");
        columns.push_str(&table.column(*column).sql);
    }
    if !unique && !key.columns.contains(&crate::store::schema::ID) {
        columns.push_str(", id");
    }
    let kind = if unique { "unique " } else { "" };
    let rows =
        key.not_null.map(|column| format!(" where {} is not null", table.column(column).sql)).unwrap_or_default();
    format!("create {kind}index {concurrently}if not exists \"{}\" on {} ({columns}){rows};\n", key.index, table.sql)
}

/// Names of the indexes that exist, and of the tables whose pages leave room. An index that a builder left half-built
/// does not.
pub const STANDING: &str = "select c.relname::text from pg_class c left join pg_index i on i.indexrelid = c.oid
    where c.relnamespace = current_schema()::regnamespace
      and (c.relkind = 'i' and i.indisvalid or c.relkind = 'r' and 'fillfactor=70' = any(c.reloptions))";

/// Statements that give tables the form that `create` gives them, each to run by itself, outside transactions. `drop`:
/// indexes.
pub fn reindex(schema: &Tables, stands: impl Fn(&str) -> bool, drop: &[String]) -> Vec<String> {
    let mut texts = Vec::new();
    for table in &schema.tables {
        let missing = table.indexes.iter().filter(|key| !stands(&key.index));
        texts.extend(missing.map(|key| index(table, key, false, "concurrently ")));
        if table.kind == Kind::Projection && !stands(&table.bare) {
            texts.push(format!("alter table {} set ({FILL})", table.sql));
        }
    }
    texts.extend(drop.iter().map(|index| format!("drop index concurrently if exists \"{index}\"")));
    texts
}

/// Statements that build the plan's indexes on tables that are there already, without holding up their writers. Each is
/// to run by itself, outside any transaction, before `apply`, which then finds them made. A failed one leaves an
/// invalid index of the same name behind, to be dropped before the next try.
pub fn ahead(schema: &Tables, changes: &[TableChange]) -> Vec<String> {
    let text = |change: &TableChange| match change {
        TableChange::Index { collection, columns } => {
            let table = table_of(schema, collection)?;
            Some(index(table, table.indexes.iter().find(|key| key.name == *columns)?, false, "concurrently "))
        }
        TableChange::Unique { collection, key } => {
            let table = table_of(schema, collection)?;
            Some(index(table, table.unique.iter().find(|other| other.name == *key)?, true, "concurrently "))
        }
        _ => None,
    };
    changes.iter().filter_map(text).collect()
}

/// Statements that drop the unique indexes which were built ahead for a plan that comes to nothing.
pub fn drop_ahead(schema: &Tables, changes: &[TableChange]) -> Vec<String> {
    let text = |change: &TableChange| match change {
        TableChange::Unique { collection, key } => {
            let index = Tables::unique_index(&table_of(schema, collection)?.bare, key);
            Some(format!("drop index concurrently if exists \"{index}\""))
        }
        _ => None,
    };
    changes.iter().filter_map(text).collect()
}

/// Rows folded by one statement.
const FOLDED_AT_ONCE: i64 = 1_000;

/// Adds a group's column and folds the rows of all tenants: the table's owner bypasses row-level security while
/// FORCE is off, which no other transaction can see.
async fn search(transaction: &mut Transaction, table: &Table, group: &Group) -> Result<(), Error> {
    let (name, column) = (&table.sql, &group.sql);
    let add = format!("alter table {name} add column if not exists {column} text collate \"C\" not null default ''");
    run(transaction, format!("{add}; alter table {name} no force row level security")).await?;
    let fields: String = group.columns.iter().map(|index| format!(", {}", table.column(*index).sql)).collect();
    let read = format!(
        "select tenant_id, id{fields} from {name} where (tenant_id, id) > ($1, $2) \
         order by tenant_id, id limit {FOLDED_AT_ONCE}"
    );
    let write = format!(
        "update {name} t set {column} = r.folded{} from unnest($1::uuid[], $2::uuid[], $3::text[]) \
         as r(tenant_id, id, folded) where t.tenant_id = r.tenant_id and t.id = r.id",
        table.turn_marks()
    );
    let mut last = (Uuid::nil(), Uuid::nil());
    loop {
        let page = PgStatement::new(read.clone()).bind(Type::UUID, last.0).bind(Type::UUID, last.1);
        let rows = transaction.query(page).await?;
        let (mut tenants, mut ids, mut texts) = (Vec::new(), Vec::new(), Vec::new());
        for row in &rows {
            last = (field(row, 0)?, field(row, 1)?);
            let mut parts = Vec::with_capacity(group.columns.len());
            for nth in 0..group.columns.len() {
                let text: Option<&str> = field(row, nth + 2)?;
                parts.push(fold::fold(text.unwrap_or("")));
            }
            tenants.push(last.0);
            ids.push(last.1);
            texts.push(parts.join(&fold::PART.to_string()));
        }
        if rows.is_empty() {
            break;
        }
        let fold = PgStatement::new(write.clone())
            .bind(Type::UUID_ARRAY, tenants)
            .bind(Type::UUID_ARRAY, ids)
            .bind(Type::TEXT_ARRAY, texts);
        transaction.query(fold).await?;
    }
    run(transaction, format!("alter table {name} force row level security")).await
}
