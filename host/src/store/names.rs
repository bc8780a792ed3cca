//! The names of a call, resolved: collections, columns and keys.

use super::schema::{Table, Tables};
use super::{Refused, misuse};

pub(super) fn table(schema: &Tables, collection: &str) -> Result<usize, Refused> {
    schema.find(collection).ok_or_else(|| misuse(&format!("the module has no collection {}", quote_name(collection))))
}

pub(super) fn find_column(table: &Table, name: &str) -> Result<usize, Refused> {
    table.find(name).ok_or_else(|| misuse(&format!("collection {} has no column {}", table.name, quote_name(name))))
}

/// A name that the module made up, as long as one that it could have declared.
pub(super) fn quote_name(name: &str) -> String {
    let text: String = name.chars().take(40).flat_map(char::escape_debug).collect();
    format!("`{text}`")
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
        let column = find_column(table, name)?;
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
        .ok_or_else(|| misuse(&format!("collection {} has no unique key {}", table.name, quote_name(name))))
}
