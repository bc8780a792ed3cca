//! One change of an activation to a module's tables.

use std::fmt;

/// One change, by the names of the descriptor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TableChange {
    Table {
        collection: String,
    },
    Column {
        collection: String,
        column: String,
    },
    /// Its columns, joined by commas.
    Index {
        collection: String,
        columns: String,
    },
    /// Tried on the rows: fails if two have the same.
    Unique {
        collection: String,
        key: String,
    },
    /// Tried on the rows: fails if one breaks it.
    Check {
        collection: String,
        check: String,
    },
    /// Folds the rows that are there.
    Search {
        collection: String,
        group: String,
    },
    /// Taken back with the generation that brought it.
    DropUnique {
        collection: String,
        key: String,
    },
    DropCheck {
        collection: String,
        check: String,
    },
}

impl TableChange {
    /// Returns whether it tightens: the older generation may write rows that break it.
    pub fn tightens(&self) -> bool {
        matches!(self, TableChange::Unique { .. } | TableChange::Check { .. })
    }

    /// Returns whether the tables work without it, if slowly.
    pub fn is_index(&self) -> bool {
        matches!(self, TableChange::Index { .. })
    }
}

impl fmt::Display for TableChange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TableChange::Table { collection } => write!(f, "{collection}: new collection"),
            TableChange::Column { collection, column } => write!(f, "{collection}: new column {column}"),
            TableChange::Index { collection, columns } => write!(f, "{collection}: new index on {columns}"),
            TableChange::Unique { collection, key } => write!(f, "{collection}: new unique key {key}"),
            TableChange::Check { collection, check } => write!(f, "{collection}: new check {check}"),
            TableChange::Search { collection, group } => write!(f, "{collection}: new search group {group}"),
            TableChange::DropUnique { collection, key } => write!(f, "{collection}: unique key {key} is dropped"),
            TableChange::DropCheck { collection, check } => write!(f, "{collection}: check {check} is dropped"),
        }
    }
}
