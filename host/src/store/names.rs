//! The names of a call, resolved: collections, columns and keys.

use super::schema::{Table, Tables};
use super::{Refused, misuse};

pub(super) fn table(schema: &Tables, collection: &str) -> Result<usize, Refused> {
    schema.find(collection).ok_or_else(|| misuse("the module has no such collection"))
}

/// Columns by name; none named: all.
pub(super) fn table_columns(table: &Table, names: &[String]) -> Result<Vec<usize>, Refused> {
    if names.is_empty() {
        return Ok((0..table.columns.len()).collect());
    }
    list_columns(table, names)
}

pub(super) fn list_columns(table: &Table, names: &[String]) -> Result<Vec<usize>, Refused> {
    let mut found = Vec::with_capacity(names.len());
    for name in names {
        let column =
            table.find(name).ok_or_else(|| misuse(&format!("collection {} has no such column", table.name)))?;
        if found.contains(&column) {
            return Err(misuse(&format!("collection {}: column {name} is named twice", table.name)));
        }
        found.push(column);
    }
    Ok(found)
}

pub(super) fn key(table: &Table, name: &str) -> Result<Vec<usize>, Refused> {
    table
        .unique
        .iter()
        .find(|key| key.name == name)
        .map(|key| key.columns.clone())
        .ok_or_else(|| misuse(&format!("collection {} has no such unique key", table.name)))
}
