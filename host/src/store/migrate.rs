//! Changes of an activation to a module's tables: found by comparing declarations, and only ever something that a host
//! still on the older generation can live with.

use stoa_descriptor::{Collection, Kind};

use super::schema::Tables;
use super::table_change::TableChange;
use super::{postgres, sqlite};
use crate::database::sqlite::lift_time_limit;
use crate::database::{Error, Session};

/// The way from the recorded collections to the wanted ones, or everything on it that is not additive.
///
/// Collections, columns that need no value, indexes and search groups may be missing in what is wanted: they stay, so
/// that the generation before the last can be activated again; indexes until a host starts (`reindex.rs`).
pub fn plan(current: &[Collection], wanted: &Tables) -> Result<Vec<TableChange>, Vec<String>> {
    let mut changes = Vec::new();
    let mut wrong = Vec::new();
    for new in &wanted.declared {
        match current.iter().find(|old| old.name == new.name) {
            None => changes.push(TableChange::Table { collection: new.name.clone() }),
            Some(old) => {
                let mut faults = Vec::new();
                columns(old, new, &mut changes, &mut faults);
                rules(old, new, &mut changes, &mut faults);
                wrong.extend(faults.into_iter().map(|fault| format!("collection {}: {fault}", new.name)));
            }
        }
    }
    if wrong.is_empty() { Ok(changes) } else { Err(wrong) }
}

fn columns(old: &Collection, new: &Collection, changes: &mut Vec<TableChange>, faults: &mut Vec<String>) {
    if old.kind != new.kind {
        faults.push("another kind".to_owned());
    }
    for column in &new.columns {
        let name = &column.name;
        match old.columns.iter().find(|other| other.name == *name) {
            None if column.nullable || column.default.is_some() => {
                changes.push(TableChange::Column { collection: new.name.clone(), column: name.clone() });
            }
            None => faults.push(format!("column {name} is new and required, but has no default")),
            Some(other) if other.type_ != column.type_ => faults.push(format!("column {name} has another type")),
            Some(other) if other.nullable != column.nullable => {
                faults
                    .push(format!("column {name} is {}", if other.nullable { "now required" } else { "now nullable" }));
            }
            // Either way the rows that are there were written by another promise, and a way back would break it again.
            Some(other) if other.derived != column.derived => {
                let promise = if column.derived { "now derived" } else { "no longer derived" };
                faults.push(format!("column {name} is {promise}"));
            }
            Some(_) => {}
        }
    }
    for column in &old.columns {
        let gone = !new.columns.iter().any(|other| other.name == column.name);
        if gone && !column.nullable && column.default.is_none() {
            faults.push(format!("column {} is gone, but required in the table", column.name));
        }
    }
}

fn rules(old: &Collection, new: &Collection, changes: &mut Vec<TableChange>, faults: &mut Vec<String>) {
    let collection = &new.name;
    for key in &new.unique {
        match old.unique.iter().find(|other| other.name == key.name) {
            None => changes.push(TableChange::Unique { collection: collection.clone(), key: key.name.clone() }),
            Some(other) if other != key => faults.push(format!("unique key {} has other columns", key.name)),
            Some(_) => {}
        }
    }
    for key in old.unique.iter().filter(|key| !new.unique.iter().any(|other| other.name == key.name)) {
        changes.push(TableChange::DropUnique { collection: collection.clone(), key: key.name.clone() });
    }
    for columns in new.indexes.iter().filter(|columns| !old.indexes.contains(columns)) {
        changes.push(TableChange::Index { collection: collection.clone(), columns: columns.join(",") });
    }
    for check in &new.checks {
        match old.checks.iter().find(|other| other.name == check.name) {
            None => changes.push(TableChange::Check { collection: collection.clone(), check: check.name.clone() }),
            Some(other) if other != check => faults.push(format!("check {} is another", check.name)),
            Some(_) => {}
        }
    }
    for check in old.checks.iter().filter(|check| !new.checks.iter().any(|other| other.name == check.name)) {
        changes.push(TableChange::DropCheck { collection: collection.clone(), check: check.name.clone() });
    }
    for search in &new.search {
        match old.search.iter().find(|other| other.name == search.name) {
            None if new.kind == Kind::Ledger => {
                faults.push(format!("search group {} is new, but a ledger's rows cannot be folded later", search.name));
            }
            None => changes.push(TableChange::Search { collection: collection.clone(), group: search.name.clone() }),
            Some(other) if other != search => faults.push(format!("search group {} has other columns", search.name)),
            Some(_) => {}
        }
    }
}

/// The collections to record after the changes: the wanted ones with all that stays in the tables besides.
pub fn merge(current: &[Collection], wanted: &Tables) -> Vec<Collection> {
    let mut merged = wanted.declared.clone();
    for old in current {
        match merged.iter_mut().find(|new| new.name == old.name) {
            None => merged.push(old.clone()),
            Some(new) => {
                let columns: Vec<_> = old
                    .columns
                    .iter()
                    .filter(|c| !new.columns.iter().any(|other| other.name == c.name))
                    .cloned()
                    .collect();
                let indexes: Vec<_> = old.indexes.iter().filter(|i| !new.indexes.contains(i)).cloned().collect();
                new.columns.extend(columns);
                new.indexes.extend(indexes);
            }
        }
    }
    merged
}

/// The same while the changes that tighten are still to come: without the rules that a collection gets with them. Without new search
/// groups too: rows that the older generation writes meanwhile are still to be folded.
pub fn merge_additive(current: &[Collection], wanted: &Tables) -> Vec<Collection> {
    let mut merged = merge(current, wanted);
    for new in &mut merged {
        if let Some(old) = current.iter().find(|old| old.name == new.name) {
            new.unique.retain(|key| old.unique.iter().any(|other| other.name == key.name));
            new.checks.retain(|check| old.checks.iter().any(|other| other.name == check.name));
            new.search.retain(|search| old.search.iter().any(|other| other.name == search.name));
        }
    }
    merged
}

/// PostgreSQL: statements that build indexes on tables in use, each to run by itself and outside a transaction, before `apply`.
pub fn indexes_ahead(schema: &Tables, changes: &[TableChange]) -> Vec<String> {
    postgres::ahead(schema, changes)
}

/// PostgreSQL: statements that drop those of the indexes with which the older generation cannot work.
pub fn drop_ahead(schema: &Tables, changes: &[TableChange]) -> Vec<String> {
    postgres::drop_ahead(schema, changes)
}

/// Makes the changes in the open transaction.
pub async fn apply(session: &mut Session, schema: &Tables, changes: &[TableChange]) -> Result<(), Error> {
    match session {
        Session::Sqlite(connection) => {
            lift_time_limit();
            sqlite::apply(connection, schema, changes)
        }
        Session::Postgres(transaction) => postgres::apply(transaction, schema, changes).await,
    }
}

/// PostgreSQL: the statements that make the module's tables for rows that are copied in, and those that complete them
/// afterwards. Indexes are built once over all rows, and row-level security does not allow COPY.
pub fn write_creation(schema: &Tables) -> (String, String) {
    let tables = || schema.tables.iter();
    (tables().map(postgres::create_bare).collect(), tables().map(postgres::complete).collect())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn list(item: serde_json::Value, others: &[serde_json::Value]) -> Vec<Collection> {
        let all = std::iter::once(item).chain(others.iter().cloned()).collect();
        serde_json::from_value(serde_json::Value::Array(all)).unwrap()
    }

    #[test]
    fn changes_that_tighten_are_left_where_only_others_were_made() {
        let size = json!({ "name": "size", "type": "integer", "nullable": true });
        let name = json!({ "name": "name", "type": "text" });
        let old = list(
            json!({
                "name": "item", "kind": "record", "columns": [name],
                "unique": [{ "name": "gone", "columns": ["name"] }],
            }),
            &[],
        );
        let new = list(
            json!({
                "name": "item", "kind": "record", "columns": [name, size], "indexes": [["size"]],
                "unique": [{ "name": "name", "columns": ["name"] }],
                "checks": [{ "name": "some", "all": [{ "column": "size", "op": ">=", "right": { "constant": "1" } }] }],
                "search": [{ "name": "text", "columns": ["name"] }],
            }),
            &[json!({
                "name": "other", "kind": "record", "columns": [name],
                "unique": [{ "name": "name", "columns": ["name"] }],
            })],
        );
        let wanted = Tables::new("demo", &new).unwrap();
        let changes = plan(&old, &wanted).unwrap();
        let tightening = changes.iter().filter(|change| change.tightens()).count();
        assert_eq!((changes.len(), tightening), (7, 2), "{changes:?}");
        let recorded = merge_additive(&old, &wanted);
        let left: Vec<String> = plan(&recorded, &wanted).unwrap().iter().map(ToString::to_string).collect();
        assert_eq!(left, ["item: new unique key name", "item: new check some", "item: new search group text"]);
        assert_eq!(plan(&merge(&recorded, &wanted), &wanted), Ok(Vec::new()));
        // The generation before loses a rule that is dropped, and gets it again where the activation came to nothing.
        let before = Tables::new("demo", &old).unwrap();
        let back: Vec<String> = plan(&recorded, &before).unwrap().iter().map(ToString::to_string).collect();
        assert_eq!(back, ["item: new unique key gone"]);
    }
}
